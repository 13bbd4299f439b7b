import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { CallLimiter } from '../../../runtime/time/call-limiter.ts';
import { createCallLimiter } from '../../../runtime/time/call-limiter.ts';
import { providerOf } from '../../provider/provider-choice.ts';
import type { ProviderKinds } from '../../provider/provider-credentials.ts';
import type { ExternalConnector } from './external-client.ts';
import { wrapConnector } from './wrap-calls.ts';

/** Users often create many claims at once. After a pause, as many calls may start as the rate allows in this time. */
const burstSeconds = 10;

/** The rate limits for external calls of this process: one limit for each Provider and ProviderConfig. */
export interface ExternalCalls extends Pick<CallLimiter, 'admit'> {
  /** Returns a function that maps a managed resource to the key of its provider's rate limit. */
  keyFor(kinds: ProviderKinds): (managed: Managed) => string;
}

/** Creates the rate limits. A process creates them once, for all stacks. */
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

/** Limits the rate of external calls. `keyOf` returns the key of the limit. The namespaces of the claims take turns. */
export const limitedConnector = <M extends Managed>(
  connector: ExternalConnector<M>,
  limiter: Pick<CallLimiter, 'admit'>,
  keyOf: (managed: M) => string,
): ExternalConnector<M> =>
  wrapConnector(connector, (managed) => async (call, signal) => {
    if (signal !== undefined) await limiter.admit(keyOf(managed), signal, managed.spec.claimRef?.namespace);
    return call();
  });
