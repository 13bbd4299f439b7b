import isEqual from 'lodash/isEqual.js';
import type { Observable } from 'rxjs';
import { defer, EMPTY, filter, finalize, groupBy, map, mergeMap, skipWhile, switchMap, tap } from 'rxjs';
import type { KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import { objectKey, objectKeyText } from '../apis/core/v1alpha1/kind.ts';
import type { SecretKey } from '../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../apis/core/v1alpha1/secret.ts';
import { forgetSecret } from '../runtime/cache/recent-secrets.ts';
import type { Change, Store } from '../runtime/cache/store.ts';
import { watchOne } from '../runtime/cache/watch-one.ts';
import type { Environment } from '../runtime/controller/environment.ts';
import type { Request } from '../runtime/controller/reconcile.ts';

/** A Secret that an object names. */
export interface NamedSecret extends SecretKey {
  /** Whether the Secret counts as changed when its watch begins. */
  readonly isChangedAtFirst: 'always' | 'if it exists' | 'never';
}

/**
 * Emits an object when the Secret that `secretOf` returns for it changes or is deleted. The cache has only Secrets of the
 * connection type, so each of these Secrets is watched alone. A malformed object names none: its own run reports it.
 */
export function namedSecretChanges<T extends KubernetesObject>(
  env: Pick<Environment, 'client' | 'clock' | 'log'>,
  { changes$ }: Pick<Store<T>, 'changes$'>,
  secretOf: (object: T) => NamedSecret | undefined,
  mostWatched = Number.POSITIVE_INFINITY,
): Observable<Request> {
  let watched = 0;
  const changesOf = ({ isChangedAtFirst, ...key }: NamedSecret): Observable<string> =>
    defer(() => {
      if (watched >= mostWatched) return EMPTY;
      watched += 1;
      const isSkipped = (version: string): boolean =>
        isChangedAtFirst === 'never' || (isChangedAtFirst === 'if it exists' && version === '');
      return watchOne(env.client, SecretKind, key, env).pipe(
        skipWhile((version, index) => index === 0 && isSkipped(version)),
        tap(() => forgetSecret(env, key)),
        finalize(() => {
          watched -= 1;
        }),
      );
    });
  const namedBy = ({ type, object }: Change<T>): NamedSecret | undefined => {
    try {
      return type === 'deleted' ? undefined : secretOf(object);
    } catch {
      return undefined;
    }
  };
  return defer(() => {
    /** The Secrets of those objects that name one. */
    const known = new Map<string, NamedSecret>();
    const isNews = ({ request, secret }: { request: Request; secret: NamedSecret | undefined }): boolean => {
      const key = objectKeyText(request);
      if (isEqual(known.get(key), secret)) return false;
      if (secret === undefined) known.delete(key);
      else known.set(key, secret);
      return true;
    };
    return changes$.pipe(
      map((change) => ({ request: objectKey(change.object.metadata), secret: namedBy(change) })),
      filter(isNews),
      groupBy(({ request }) => objectKeyText(request), {
        duration: (changesOfOne$) => changesOfOne$.pipe(filter(({ secret }) => secret === undefined)),
      }),
      mergeMap((changesOfOne$) =>
        changesOfOne$.pipe(
          switchMap(({ request, secret }) =>
            secret === undefined ? EMPTY : changesOf(secret).pipe(map(() => request)),
          ),
        ),
      ),
    );
  });
}
