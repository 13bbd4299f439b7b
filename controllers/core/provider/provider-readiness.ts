import type { ReadyFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { setConditions } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Provider, ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';
import { messageOf } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import { faultOfConnecting } from '../error-class.ts';
import { withShortMessage } from '../message.ts';
import { credentialReader } from './credential-sources.ts';
import { decideProviderReady } from './decide-ready.ts';
import { credentialsOf, originOf } from './provider-credentials.ts';
import type { ProviderHealth } from './provider-health.ts';

/** The status of a provider, without the number of its users. */
export interface Readiness {
  /** Absent: the condition stays. */
  readonly ready?: ReadyFacts;
  readonly systemVersion?: string;
  /** Repeated while the provider does not work. */
  readonly event?: EventFacts;
  /** The time until the next check, if no event triggers it earlier. */
  readonly againMs?: number;
}

type Unreadable = 'unknown' | { readonly message: string };

/** For this time after a recovery, a new failure is reported later. */
const unsteadyMs = 3_600_000;
const maxRemembered = 1_000;
const repeatAfterMs = 600_000;
const rereadAfterMs = 60_000;

/**
 * The readiness of providers, from the results of calls. If no managed resource uses a provider, its credentials
 * are read.
 */
export function providerReadiness(
  env: Environment,
  kind: Kind,
  health: Pick<ProviderHealth, 'of' | 'forget'>,
) {
  const read = credentialReader(env);
  const recoveredAtMs = new Map<string, number>();

  /** Why the credentials cannot be read. Undefined: they can. `unknown`: the API server did not answer. */
  async function unreadable(provider: Provider | ProviderConfig): Promise<Unreadable | undefined> {
    try {
      await read(credentialsOf(provider), `${provider.kind} ${provider.metadata.name}`);
      return undefined;
    } catch (error) {
      return faultOfConnecting(error) === undefined ? 'unknown' : { message: messageOf(error) };
    }
  }

  return async (provider: Provider | ProviderConfig, users: number): Promise<Readiness> => {
    const { uid = '', generation } = provider.metadata;
    const nowMs = env.clock.elapsedMs();
    const before = provider.status?.conditions?.find(({ type }) => type === 'Ready');
    const evidence = health.of(kind, provider);
    // The failure may be fixed before the next managed resource uses it.
    if (users === 0) health.forget(kind, provider.metadata.name);
    const secret = users === 0 ? await unreadable(provider) : undefined;
    // The number of users is still written.
    if (secret === 'unknown') return { againMs: rereadAfterMs };
    const decision = decideProviderReady({
      before,
      generation,
      users,
      evidence,
      unreadable: secret?.message,
      isUnsteady: nowMs - (recoveredAtMs.get(uid) ?? Number.NEGATIVE_INFINITY) < unsteadyMs,
      pollIntervalMs: env.pollIntervalMs,
      nowMs,
    });
    if (decision.name === 'FailsBriefly') return { againMs: decision.waitMs };
    // Secrets of providers are not watched, and no call reports on an unused provider.
    const reread = users === 0 ? { againMs: rereadAfterMs } : {};
    if (decision.name === 'Unchanged') return reread;
    const ready = withOrigin(decision.ready, originOf(provider));
    if (ready.status === 'True' && before?.status === 'False') {
      if (recoveredAtMs.size >= maxRemembered) recoveredAtMs.clear();
      recoveredAtMs.set(uid, nowMs);
    }
    const systemVersion = evidence?.systemVersion;
    return {
      ready,
      ...reread,
      ...(systemVersion !== undefined && { systemVersion }),
      ...(ready.status === 'False' && {
        event: { type: 'Warning', reason: ready.reason, message: ready.message ?? '' },
        ...(users > 0 && { againMs: repeatAfterMs }),
      }),
    };
  };
}

/** Adds the object to fix to the message. */
function withOrigin(ready: ReadyFacts, origin: string): ReadyFacts {
  const { status, message = '' } = ready;
  const [, place = ''] = origin.split(', ');
  const isNamed = status !== 'False' || place === '' || message.includes(place);
  return withShortMessage(isNamed ? ready : { ...ready, message: `${message} (${place})` }) as ReadyFacts;
}

export function withReadiness<P extends Provider | ProviderConfig>(
  provider: P,
  { ready, systemVersion }: Readiness,
  now: Date,
): P {
  if (ready === undefined) return provider;
  const { generation } = provider.metadata;
  return {
    ...provider,
    status: {
      ...provider.status,
      ...(systemVersion !== undefined && { systemVersion }),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      conditions: setConditions(provider.status?.conditions, [ready], { now, generation }),
    },
  };
}
