import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';

/** A core/v1 Event, with the fields that this process writes. */
export interface CoreEvent extends KubernetesObject {
  readonly involvedObject: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly source: { readonly component: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

export const EventKind: Kind<CoreEvent> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
};
