import isEqual from 'lodash/isEqual.js';
import type { Observable } from 'rxjs';
import {
  concat,
  defer,
  distinctUntilChanged,
  EMPTY,
  filter,
  from,
  groupBy,
  map,
  mergeMap,
  of,
  repeat,
  retry,
  skipWhile,
  switchMap,
  tap,
  timer,
} from 'rxjs';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { Provider, ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';
import type { SecretKey } from '../../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { Change, Store } from '../../../runtime/cache/store.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import { forgetSecret } from './credential-sources.ts';
import { credentialsOf } from './provider-credentials.ts';

/** After this time the API server ends a watch, and the next watch starts. */
const watchSeconds = 300;
/** The pauses before the next watch: after the end of a watch, and after a failure, for example a 403. */
const againMs = 1_000;
const retryMs = 10_000;

/** Emits the name of a provider when its credentials Secret changes. Watches the Secret only while Ready is False. */
export function changedCredentials(
  env: Pick<Environment, 'client' | 'clock' | 'log'>,
  { changes$ }: Pick<Store<Provider | ProviderConfig>, 'changes$'>,
): Observable<Request> {
  return changes$.pipe(
    groupBy(({ object }) => object.metadata.name),
    mergeMap((changesOfOne$) =>
      changesOfOne$.pipe(
        map(awaitedSecret),
        distinctUntilChanged(isEqual),
        switchMap((secret) => (secret === undefined ? EMPTY : secretChanges(env, secret))),
        map(() => ({ name: changesOfOne$.key })),
      ),
    ),
  );
}

interface AwaitedSecret extends SecretKey {
  /** Whether the credentials could not be read. If so, a Secret that already exists is treated as changed. */
  readonly isUnreadable: boolean;
}

/** The Secret of a provider that does not work. Errors are ignored, because the provider may be malformed. */
function awaitedSecret({ type, object }: Change<Provider | ProviderConfig>): AwaitedSecret | undefined {
  if (type === 'deleted' || wasDeleted(object)) return undefined;
  try {
    const { status, reason } = getCondition(object.status?.conditions, 'Ready');
    const { secretRef } = credentialsOf(object);
    if (status !== 'False' || secretRef === undefined) return undefined;
    const { namespace, name } = secretRef;
    return { namespace, name, isUnreadable: reason === 'CannotReadCredentials' };
  } catch {
    return undefined;
  }
}

/** Emits after each change of one Secret. */
function secretChanges(
  { client, clock, log }: Pick<Environment, 'client' | 'clock' | 'log'>,
  { namespace, name, isUnreadable }: AwaitedSecret,
): Observable<string> {
  const selection = { namespace, fieldSelector: `metadata.name=${name}` };
  const versions$ = defer(() => from(client.list(SecretKind, selection))).pipe(
    switchMap(({ items: [found], resourceVersion }) =>
      concat(
        of(found?.metadata.resourceVersion ?? ''),
        client.watch(SecretKind, { ...selection, resourceVersion, timeoutSeconds: watchSeconds }).pipe(
          filter((event) => event.type !== 'BOOKMARK'),
          map(({ type, object }) => (type === 'DELETED' ? '' : (object.metadata.resourceVersion ?? ''))),
        ),
      ),
    ),
    repeat({ delay: () => timer(againMs, clock.scheduler) }),
    retry({
      delay: (error: unknown) => {
        log.debug('cannot watch the Secret of a provider', { namespace, name, error });
        return timer(retryMs, clock.scheduler);
      },
    }),
  );
  return versions$.pipe(
    distinctUntilChanged(),
    skipWhile((version, index) => index === 0 && (version === '' || !isUnreadable)),
    tap(() => forgetSecret({ client, clock }, { namespace, name })),
  );
}
