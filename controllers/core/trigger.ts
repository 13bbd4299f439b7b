import type { Observable } from 'rxjs';
import { mergeMap } from 'rxjs';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Change, Store } from '../../runtime/cache/store.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { Request } from '../../runtime/controller/reconcile.ts';

/**
 * The requests that the changes of a store ask for. What an object holds is somebody else's: one that `map` fails on
 * is logged and asks for nothing, so that it stops neither the trigger nor the objects after it.
 */
export function requestsOn<T extends KubernetesObject>(
  { log }: Pick<Environment, 'log'>,
  { kind, changes$ }: Pick<Store<T>, 'kind' | 'changes$'>,
  map: (change: Change<T>) => readonly Request[],
): Observable<Request> {
  return changes$.pipe(
    mergeMap((change) => {
      try {
        return map(change);
      } catch (error) {
        const { namespace, name } = change.object.metadata;
        log.error('cannot tell whom a change concerns', { kind: kind.kind, namespace, name, error });
        return [];
      }
    }),
  );
}

/**
 * Requests for those objects that `isWoken` holds for. One that it fails on is woken as well: its own reconcile says
 * what is wrong with it, and the others are not held up.
 */
export function requestsFor<T extends KubernetesObject>(
  objects: readonly T[],
  isWoken: (object: T) => boolean = () => true,
): readonly Request[] {
  const holds = (object: T): boolean => {
    try {
      return isWoken(object);
    } catch {
      return true;
    }
  };
  return objects.flatMap((object) => (holds(object) ? [objectKey(object.metadata)] : []));
}
