import isEqual from 'lodash/isEqual.js';
import type { Observable } from 'rxjs';
import { distinctUntilChanged, EMPTY, groupBy, map, mergeMap, skipWhile, switchMap, tap } from 'rxjs';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { Provider, ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';
import type { SecretKey } from '../../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { forgetSecret } from '../../../runtime/cache/recent-secrets.ts';
import type { Change, Store } from '../../../runtime/cache/store.ts';
import { watchOne } from '../../../runtime/cache/watch-one.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import { credentialsOf } from './provider-credentials.ts';

/** Emits the name of an object when the Secret that `awaited` returns for the object changes. */
export function changedCredentials<T extends KubernetesObject>(
  env: Pick<Environment, 'client' | 'clock' | 'log'>,
  { changes$ }: Pick<Store<T>, 'changes$'>,
  awaited: (change: Change<T>) => AwaitedSecret | undefined,
): Observable<Request> {
  return changes$.pipe(
    groupBy(({ object }) => object.metadata.name),
    mergeMap((changesOfOne$) =>
      changesOfOne$.pipe(
        map(awaited),
        distinctUntilChanged(isEqual),
        switchMap((secret) => (secret === undefined ? EMPTY : secretChanges(env, secret))),
        map(() => ({ name: changesOfOne$.key })),
      ),
    ),
  );
}

export interface AwaitedSecret extends SecretKey {
  /** Whether the credentials could not be read. If so, a Secret that exists when the watch begins counts as changed. */
  readonly isUnreadable: boolean;
}

/** The Secret of a provider. Errors are ignored, because the provider may be malformed. */
export function secretOfProvider(change: Change<Provider | ProviderConfig>): AwaitedSecret | undefined {
  const { type, object } = change;
  if (type === 'deleted' || wasDeleted(object)) return undefined;
  try {
    const { reason } = getCondition(object.status?.conditions, 'Ready');
    const { secretRef } = credentialsOf(object);
    if (secretRef === undefined) return undefined;
    const { namespace, name } = secretRef;
    return { namespace, name, isUnreadable: reason === 'CannotReadCredentials' };
  } catch {
    return undefined;
  }
}

/** Emits after each change of one Secret. */
const secretChanges = (
  env: Pick<Environment, 'client' | 'clock' | 'log'>,
  { isUnreadable, ...key }: AwaitedSecret,
): Observable<string> =>
  watchOne(env.client, SecretKind, key, env).pipe(
    skipWhile((version, index) => index === 0 && (version === '' || !isUnreadable)),
    tap(() => forgetSecret(env, key)),
  );
