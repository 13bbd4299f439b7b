import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import { refuseNewUser } from '../../new-user.ts';
import type { ProviderKinds } from '../../provider/provider-credentials.ts';
import { originOf, providerFinder } from '../../provider/provider-credentials.ts';
import type { ProviderHealth } from '../../provider/provider-health.ts';
import { secretTextsOf } from '../../provider/secret-texts.ts';
import type { ManagedReconcilerOptions } from '../options.ts';
import { borderedConnector } from './border.ts';
import type { ExternalCalls } from './external-calls.ts';
import { limitedConnector } from './external-calls.ts';
import type { ExternalConnector } from './external-client.ts';
import type { CallLimits } from './hanging-calls.ts';
import { leasedConnector } from './leased-connector.ts';
import type { CallObserver } from './observed-connector.ts';
import { observedConnector } from './observed-connector.ts';
import { observingConnector } from './observing-connector.ts';
import { providerHealthConnector } from './provider-health-connector.ts';

/** The connector of a managed kind, and how it may be used. */
export interface ConnectedService<M extends Managed>
  extends Pick<ManagedReconcilerOptions<M>, 'externalNames' | 'connector'> {
  readonly kind: Kind<M>;
  /** The provider kinds of this service. A changed provider triggers runs of its managed resources. */
  readonly providers: ProviderKinds;
  /** The name of the stack, for messages. */
  readonly stack?: string;
  readonly limits?: CallLimits;
  /** The stack trace of the call that defined this service. Errors about the answers of its clients show it. */
  readonly definedAt?: string;
  readonly onCall?: CallObserver;
}

/** Adds to a connector the rules for every stack, such as the rate limit. `health` gets the results of the calls. */
export function guardedConnector<M extends Managed>(
  env: Environment,
  service: ConnectedService<M>,
  calls: ExternalCalls,
  health?: Pick<ProviderHealth, 'record'>,
): ExternalConnector<M> {
  const { connector, kind, stack, definedAt, limits, onCall, providers, externalNames } = service;
  const providerOf = providerFinder(env, providers);
  const bordered = borderedConnector(connector, {
    kind: kind as unknown as Kind<Managed>,
    externalNames,
    stack,
    definedAt,
    log: env.log,
    clock: env.clock,
    limits,
    secretsOf: (managed) => secretTextsOf(providerOf(managed)?.provider),
  });
  const observing = observingConnector(bordered, env);
  const observed = observedConnector(observing, onCall, env.clock);
  const connectedBy = (managed: M) => {
    const found = providerOf(managed);
    return found && { ...found, origin: originOf(found.provider) };
  };
  const isNamed = (managed: M) => externalNames === 'deterministic' || externalName(managed) !== undefined;
  const recorded = health ? providerHealthConnector(observed, health, connectedBy, isNamed) : observed;
  const limited = limitedConnector(leasedConnector(recorded, env), calls, calls.keyFor(providers));
  return {
    async connect(managed, signal) {
      const used = providerOf(managed);
      if (used !== undefined) refuseNewUser(managed, used.provider);
      return limited.connect(managed, signal);
    },
  };
}
