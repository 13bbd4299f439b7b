import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { CoreEvent } from '../../runtime/events/event-kind.ts';
import type { Found } from '../model/findings.ts';

/** The API server, with the rights of the user, or the stores of a process. */
export interface Source {
  /** Throws if it is not known whether the object exists. */
  get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): Promise<Found<T>>;
  /** All objects of a kind, of all namespaces or of one. Throws like `get`. */
  list<T extends KubernetesObject>(kind: Kind<T>, namespace?: string): Promise<Found<readonly T[]>>;
  /** Throws like `get`. */
  eventsOf(object: KubernetesObject): Promise<Found<readonly CoreEvent[]>>;
}
