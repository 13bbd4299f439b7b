import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { CoreEvent } from '../../runtime/events/event-recorder.ts';
import type { Found } from '../model/findings.ts';

/** Where a trace is read from: the API server, with the rights of whoever asks, or the stores of a process. */
export interface Source {
  /** Throws what keeps it from being found out. */
  get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): Promise<Found<T>>;
  /** All of a kind; of a namespaced one those of all namespaces, or of one. Throws likewise. */
  list<T extends KubernetesObject>(kind: Kind<T>, namespace?: string): Promise<Found<readonly T[]>>;
  /** What was told of an object. Throws likewise. */
  eventsOf(object: KubernetesObject): Promise<Found<readonly CoreEvent[]>>;
}
