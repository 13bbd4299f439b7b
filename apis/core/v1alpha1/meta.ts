import type { KubernetesObject } from './kind.ts';

/** Names that users and other controllers rely on (Crossplane's own; wire compatible). */
export const annotationKeys = {
  externalName: 'crossplane.io/external-name',
  paused: 'crossplane.io/paused',
  pollInterval: 'crossplane.io/poll-interval',
  reconcileRequestedAt: 'crossplane.io/reconcile-requested-at',
  externalCreatePending: 'crossplane.io/external-create-pending',
  externalCreateSucceeded: 'crossplane.io/external-create-succeeded',
  externalCreateFailed: 'crossplane.io/external-create-failed',
  defaultClass: 'resourceclass.crossplane.io/is-default-class',
  /** Ours: what identifies the external resource, written before it is created. */
  externalIdentity: 'crossplane.io/external-identity',
  /** Ours: an admin sets it to `true` to have what a managed resource names now taken for what it has always named. */
  adoptIdentity: 'crossplane.io/adopt-identity',
  /**
   * Ours: an administrator sets it to `with-same-credentials`, so that the next claim gets a Released resource whose
   * credential cannot be replaced.
   */
  reoffer: 'crossplane.io/reoffer',
} as const;

export const finalizerNames = {
  claim: 'finalizer.resourceclaim.crossplane.io',
  managed: 'finalizer.managedresource.crossplane.io',
  providerConfig: 'in-use.crossplane.io',
} as const;

/** The type of every secret that holds connection details (Crossplane v0.7 and later). */
export const connectionSecretType = 'connection.crossplane.io/v1alpha1';

export const wasDeleted = (object: KubernetesObject): boolean =>
  object.metadata.deletionTimestamp !== undefined;

/** The name of the external resource; undefined when unset or empty. */
export const externalName = (object: KubernetesObject): string | undefined =>
  object.metadata.annotations?.[annotationKeys.externalName] || undefined;

/** Paused by annotation: exactly `true`. */
export const isPaused = (object: KubernetesObject): boolean =>
  object.metadata.annotations?.[annotationKeys.paused] === 'true';

export const hasFinalizer = (object: KubernetesObject, finalizer: string): boolean =>
  object.metadata.finalizers?.includes(finalizer) ?? false;

/** The finalizers with one added, once. */
export function withFinalizer(object: KubernetesObject, finalizer: string): readonly string[] {
  const finalizers = object.metadata.finalizers ?? [];
  return finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer];
}

/** The finalizers with every occurrence of one removed (the Go original leaves or panics on repeats). */
export function withoutFinalizer(object: KubernetesObject, finalizer: string): readonly string[] {
  return (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
}
