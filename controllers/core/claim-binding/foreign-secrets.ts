import isEqual from 'lodash/isEqual.js';
import type { Observable } from 'rxjs';
import {
  defer,
  distinctUntilChanged,
  EMPTY,
  filter,
  finalize,
  groupBy,
  map,
  mergeMap,
  switchMap,
  tap,
} from 'rxjs';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKey, objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { SecretKey } from '../../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { forgetSecret } from '../../../runtime/cache/recent-secrets.ts';
import type { Change, Store } from '../../../runtime/cache/store.ts';
import { watchOne } from '../../../runtime/cache/watch-one.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import { secretKeyOfClaim } from './observe-secrets.ts';

/** How many Secrets are watched at once. Any team can make claims that wait for a Secret; their runs are also retried. */
const mostWatched = 100;

/**
 * Emits a claim when the Secret of its name that blocks it changes or is deleted. The cache has only Secrets of the
 * connection type, so a Secret of another type is watched alone, and only while the claim reports it.
 */
export function blockingSecretChanges(
  env: Pick<Environment, 'client' | 'clock' | 'log'>,
  { changes$ }: Pick<Store<Claim>, 'changes$'>,
): Observable<Request> {
  let watched = 0;
  const watching = (secret: SecretKey): Observable<string> =>
    defer(() => {
      if (watched >= mostWatched) return EMPTY;
      watched += 1;
      return watchOne(env.client, SecretKind, secret, env).pipe(
        tap(() => forgetSecret(env, secret)),
        finalize(() => {
          watched -= 1;
        }),
      );
    });
  return changes$.pipe(
    groupBy(({ object }) => objectKeyText(object.metadata), {
      duration: (changesOfOne$) => changesOfOne$.pipe(filter(({ type }) => type === 'deleted')),
    }),
    mergeMap((changesOfOne$) =>
      changesOfOne$.pipe(
        map((change) => ({ claim: objectKey(change.object.metadata), secret: blockingSecretOf(change) })),
        distinctUntilChanged(isEqual),
        switchMap(({ claim, secret }) =>
          secret === undefined ? EMPTY : watching(secret).pipe(map(() => claim)),
        ),
      ),
    ),
  );
}

/** Undefined for a malformed claim, too: its own run reports what is wrong with it. */
function blockingSecretOf({ type, object }: Change<Claim>): SecretKey | undefined {
  try {
    const isBlocked = getCondition(object.status?.conditions, 'Ready').reason === 'SecretConflict';
    return type === 'deleted' || wasDeleted(object) || !isBlocked ? undefined : secretKeyOfClaim(object);
  } catch {
    return undefined;
  }
}
