import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import type { Environment } from '../../../../runtime/controller/environment.ts';
import { providerOf } from '../../provider/provider-choice.ts';
import type { ProviderKinds } from '../../provider/provider-credentials.ts';
import type { CallLimiter } from './call-limiter.ts';
import { createCallLimiter } from './call-limiter.ts';

/** How many seconds' worth of calls may be made at once after a rest: claims come in bursts. */
const burstSeconds = 10;

/** The cap on the external calls of a process: one allowance for each Provider or ProviderConfig. */
export interface ExternalCalls extends Pick<CallLimiter, 'admit'> {
  /** Names the provider of a managed resource of a stack with these kinds. */
  keyFor(kinds: ProviderKinds): (managed: Managed) => string;
}

/** No calls yet. A process has one of these, which the managed kinds of all stacks share. */
export function externalCalls({
  maxExternalCallsPerSecond: perSecond,
  clock,
}: Pick<Environment, 'maxExternalCallsPerSecond' | 'clock'>): ExternalCalls {
  const limiter = createCallLimiter({ perSecond, burst: Math.max(1, perSecond * burstSeconds), clock });
  return {
    admit: limiter.admit,
    keyFor:
      ({ provider, providerConfig }) =>
      (managed) => {
        const { kind, name } = providerOf(managed);
        return `${kind}/${(kind === 'Provider' ? provider : providerConfig).group}/${name}`;
      },
  };
}
