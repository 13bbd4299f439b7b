import type { KubernetesObject } from '../apis/core/v1alpha1/kind.ts';

/** Something that happened to an object, for `kubectl describe`. Messages are stable and hold no secrets. */
export interface EventFacts {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, as in behaviour tables (`BoundManagedResource`, `CannotCreateExternalResource`, …). */
  readonly reason: string;
  readonly message: string;
}

/** Records Kubernetes Events without waiting for them; never throws, never fills the process's memory. */
export interface EventRecorder {
  record(object: KubernetesObject, event: EventFacts): void;
}
