import type { ReadyFacts } from '../../apis/core/v1alpha1/condition.ts';
import { withShortMessage } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { isPaused, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import type { ProviderReason } from '../../apis/core/v1alpha1/ready-reasons.ts';
import { apiErrorIn, isInterrupted } from '../../runtime/client/errors.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { warning } from '../../runtime/events/event-facts.ts';
import { bugIn } from '../../runtime/log/bug.ts';
import type { UsedReport } from '../in-use/setup.ts';
import { decideProviderReady } from './decide-ready.ts';
import { originOf } from './provider-credentials.ts';
import type { CallResult, ProviderHealth } from './provider-health.ts';

/** Checks a provider without users. Returns undefined if its stack has no check. Throws if the check proves nothing. */
export type ProviderCheck = (
  provider: Provider | ProviderConfig,
  signal: AbortSignal,
) => Promise<CallResult | undefined>;

export interface ProviderState {
  readonly health: ProviderHealth;
  readonly check: ProviderCheck;
}

const repeatAfterMs = 600_000;
const checkAgainMs = 60_000;
const retryMs = 5_000;

/** The reasons that end without an edit of the provider or its Secret, so that no event reports their end. */
const endsWithoutEvent: ReadonlySet<string> = new Set<ProviderReason>([
  'ProviderUnreachable',
  'TlsFailed',
  'ServerExhausted',
  'LoginRefused',
  'ServerReadOnly',
]);

/** The readiness of providers, from the results of calls. A provider without users is checked until it works. */
export function providerReadiness(
  { log }: Pick<Environment, 'log'>,
  kind: Kind,
  { health, check }: ProviderState,
) {
  /** The result, as a list. Empty if the check proved nothing, undefined if a request to the API server failed. */
  async function checked(
    provider: Provider | ProviderConfig,
    signal: AbortSignal,
  ): Promise<CallResult[] | undefined> {
    try {
      const result = await check(provider, signal);
      return result === undefined ? [] : [result];
    } catch (error) {
      if (isInterrupted(error) || bugIn(error) !== undefined) throw error;
      log.warn('cannot check a provider', { kind: kind.kind, name: provider.metadata.name, error });
      return apiErrorIn(error) === undefined ? [] : undefined;
    }
  }

  return async (
    provider: Provider | ProviderConfig,
    users: readonly Managed[],
    signal: AbortSignal,
  ): Promise<UsedReport> => {
    const before = provider.status?.conditions?.find(({ type }) => type === 'Ready');
    // A deletion changes the generation, but not the spec, so the condition stays current.
    const isCurrent = wasDeleted(provider) || before?.observedGeneration === provider.metadata.generation;
    // A paused managed resource makes no calls, so its last result is ignored.
    const active = users.filter((user) => !isPaused(user) && user.spec.managementPolicies?.length !== 0);
    const uids = active.map(({ metadata: { uid = '' } }) => uid);
    const calls = health.of(kind, provider, uids);
    const isToCheck = users.length === 0 && !(isCurrent && before?.status === 'True');
    const results = isToCheck ? await checked(provider, signal) : [...(calls?.results.values() ?? [])];
    // The API server failed, not the provider. So Ready stays as it is, but the number of users is still written.
    if (results === undefined) return { againMs: checkAgainMs };
    const isUsed = users.length > 0;
    const decision = decideProviderReady({ before, isCurrent, isUsed, results });
    // Check again, because a file, a variable or the network may change without an event.
    const again = isToCheck && !results.includes('works') ? { againMs: checkAgainMs } : {};
    if (decision.ready === undefined) return again;
    const lastMessage = before?.status === 'True' ? before.message : undefined;
    const { version, warning: message = lastMessage } = calls?.system ?? {};
    const ready = withOrigin({ ...(message && { message }), ...decision.ready }, originOf(provider));
    // One managed resource at a time retries soon. If its call succeeds, all of them retry.
    const isDown = isUsed && endsWithoutEvent.has(ready.reason);
    if (isDown && before?.reason === ready.reason) health.retryOne(kind, provider.metadata.name);
    return {
      ready,
      ...again,
      ...(version !== undefined && { systemVersion: version }),
      ...(ready.status === 'False' && {
        event: warning(ready.reason, ready.message ?? ''),
        ...(isUsed && { againMs: isDown ? retryMs : repeatAfterMs }),
      }),
    };
  };
}

/**
 * Adds the Secret, variable or file with the credentials to a failure message that does not name it. A semicolon ends a
 * command or a statement at the end of the message.
 */
function withOrigin(ready: ReadyFacts, origin: string): ReadyFacts {
  const { status, message = '' } = ready;
  const [, place = ''] = origin.split(', ');
  const isNamed = status !== 'False' || message.includes(place);
  return withShortMessage(
    isNamed ? ready : { ...ready, message: `${message}; credentials in ${place}` },
  ) as ReadyFacts;
}
