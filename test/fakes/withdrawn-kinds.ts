import { merge, mergeMap, Observable, Subject, throwError } from 'rxjs';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import { ApiError, unknownReason } from '../../runtime/client/errors.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';

/** A cluster whose API server may not know all of its kinds. */
export type WithdrawnKinds = ReturnType<typeof withdrawnKinds>;

/** The answer of an API server for an unknown path: no Status object. */
const noSuchPath = () => new ApiError('404 page not found', { code: 404, reason: unknownReason });
const forbidden = () => new ApiError('forbidden by RBAC', { code: 403, reason: 'Forbidden' });

export interface Withdrawal {
  /** False: the API server says that it serves the kind. Default: true. */
  readonly isDenied?: boolean;
  /** True: the API server has the kind, and RBAC forbids it. */
  readonly isForbidden?: boolean;
}

/** The client of a cluster, and the doors of its kinds. */
export function withdrawnKinds(client: KubernetesClient) {
  const withdrawn = new Map<string, Withdrawal>();
  const withdrawn$ = new Subject<string>();
  const isGone = (kind: Kind): boolean => withdrawn.has(kindKey(kind));
  const refusal = (kind: Kind) => (withdrawn.get(kindKey(kind))?.isForbidden ? forbidden() : noSuchPath());
  const about =
    <A extends readonly unknown[], R>(request: (kind: Kind, ...given: A) => Promise<R>) =>
    async (kind: Kind, ...given: A): Promise<never> => {
      if (isGone(kind)) throw refusal(kind);
      return (await request(kind, ...given)) as never; // of the kind that was asked for
    };
  const known: KubernetesClient = {
    serverVersion: (signal) => client.serverVersion(signal),
    serves: async (kind) => withdrawn.get(kindKey(kind))?.isDenied !== true,
    get: about(client.get),
    list: about(client.list),
    create: about(client.create),
    patch: about(client.patch),
    apply: about(client.apply),
    replace: about(client.replace),
    delete: about(client.delete),
    watch(kind, options) {
      return new Observable((subscriber) => {
        if (isGone(kind)) return subscriber.error(refusal(kind));
        const end$ = withdrawn$.pipe(
          mergeMap((gone) => (gone === kindKey(kind) ? throwError(noSuchPath) : [])),
        );
        return merge(client.watch(kind, options), end$).subscribe(subscriber);
      });
    },
  };
  return {
    client: known,
    /** From now on there is no such path as this kind's, and open watches end. */
    withdraw(kind: Kind, { isForbidden = false, isDenied = !isForbidden }: Withdrawal = {}): void {
      withdrawn.set(kindKey(kind), { isDenied, isForbidden });
      withdrawn$.next(kindKey(kind));
    },
    isWithdrawn: isGone,
    /** It is served (again). */
    serve: (kind: Kind) => void withdrawn.delete(kindKey(kind)),
  };
}
