import type { Definition } from '../schema.ts';
import type { Kind, KubernetesObject } from './kind.ts';

/** Annotations that users and other controllers rely on (Crossplane's own names and formats). */
export const annotationKeys = {
  externalName: 'crossplane.io/external-name',
  paused: 'crossplane.io/paused',
  pollInterval: 'crossplane.io/poll-interval',
  reconcileRequestedAt: 'crossplane.io/reconcile-requested-at',
  externalCreatePending: 'crossplane.io/external-create-pending',
  externalCreateSucceeded: 'crossplane.io/external-create-succeeded',
  externalCreateFailed: 'crossplane.io/external-create-failed',
  defaultClass: 'resourceclass.crossplane.io/is-default-class',
  /** Our own: the identity of the external resource, written before it is created. */
  externalIdentity: 'crossplane.io/external-identity',
  /** Our own: the external resource that was found while the policies only allowed to observe it. */
  observedIdentity: 'crossplane.io/observed-identity',
  /** Our own: the UID of the object that creates the external resource, written before the creation. */
  externalCreation: 'crossplane.io/external-creation',
  /** Our own: an administrator sets it to `true` to accept the external resource that the spec now identifies. */
  adoptIdentity: 'crossplane.io/adopt-identity',
  /** Our own: the time of a loss. The external resource was lost, and may be empty now. Its removal acknowledges the loss. */
  externalLost: 'crossplane.io/external-lost',
  /** Our own: the claim's parameters from which a resource was provisioned, in JSON. */
  claimParameters: 'crossplane.io/claim-parameters',
  /**
   * Our own: an administrator sets it to `with-same-credentials`, so that the next claim gets a Released resource whose
   * credential cannot be replaced.
   */
  reoffer: 'crossplane.io/reoffer',
  /** Our own: an author sets it to `true`, so that the claim takes no resource back and waits for none. */
  startEmpty: 'crossplane.io/start-empty',
  /** Our own: an administrator gives a resource back to the claims of the namespace with this UID. */
  giveBack: 'crossplane.io/give-back',
} as const;

/** The value of `reoffer` with which the next claim gets the credentials that the previous one had. */
export const sameCredentials = 'with-same-credentials';

export const finalizerNames = {
  claim: 'finalizer.resourceclaim.crossplane.io',
  managed: 'finalizer.managedresource.crossplane.io',
  inUse: 'in-use.crossplane.io',
} as const;

/** The version of the product that a definition belongs to. An older process leaves a newer definition as it is. */
export const definitionVersionAnnotation = 'services-stack.crossplane.io/definition-version';

/** The name of the package that a definition belongs to, as in its package.json. Only its processes write the definition. */
export const definitionOwnerAnnotation = 'services-stack.crossplane.io/definition-owner';

/**
 * By category, the fields that a definition must have before the process acts on its kind. The API server drops fields that
 * a definition lacks. Without these, a claim could get a resource of another team, or a deletion could delete what must
 * stay.
 */
export const guardFields = {
  claim: [
    ...['spec.classRef', 'spec.resourceRef', 'spec.writeConnectionSecretToRef', 'spec.deletionProtection'],
    'status.bindingPhase',
  ],
  class: [
    ...['specTemplate.externalNames', 'specTemplate.namespaceSelector', 'specTemplate.reclaimPolicy'],
    ...['specTemplate.retainFor', 'specTemplate.giveBack', 'specTemplate.deletionProtection'],
    ...['specTemplate.deletionPolicy', 'specTemplate.managementPolicies'],
  ],
  managed: [
    ...['spec.claimRef', 'spec.deletionPolicy', 'spec.managementPolicies'],
    ...['spec.namespaceSelector', 'spec.reclaimPolicy', 'spec.retainFor', 'spec.giveBack'],
    ...['status.releasedFrom', 'status.releasedNamespace', 'status.deleteAt'],
    ...['status.bindingPhase', 'status.boundUID', 'status.credential', 'status.externalIdentity'],
  ],
} as const;

/** The `guardFields` of a kind, by the categories of its definition. None for a kind without a definition of ours. */
export function guardFieldsOf(kind: Kind): readonly string[] {
  const { categories = [] } = kind as Partial<Definition>;
  return Object.entries(guardFields).flatMap(([category, fields]) =>
    categories.includes(category) ? fields : [],
  );
}

/** The type of every Secret with connection details (Crossplane v0.7 and later). */
export const connectionSecretType = 'connection.crossplane.io/v1alpha1';

/** Whether the object is being deleted: it only waits for its finalizers. */
export const wasDeleted = (object: KubernetesObject): boolean =>
  object.metadata.deletionTimestamp !== undefined;

/** The name of the external resource; undefined when unset or empty. */
export const externalName = (object: KubernetesObject): string | undefined =>
  object.metadata.annotations?.[annotationKeys.externalName] || undefined;

/** The name of the external resource, by default the name of the object. */
export const nameOf = (object: KubernetesObject): string => externalName(object) ?? object.metadata.name;

/** Whether the annotation pauses the object: its value is exactly `true`. */
export const isPaused = (object: KubernetesObject): boolean =>
  object.metadata.annotations?.[annotationKeys.paused] === 'true';

/**
 * The value of an annotation that only `true` switches on, if the value has no effect, such as `True`. Undefined if the
 * annotation is absent, `true` or `false`.
 */
export const ineffectiveSwitch = (value: string | undefined): string | undefined =>
  value === 'true' || value === 'false' ? undefined : value;

export const hasFinalizer = (object: KubernetesObject, finalizer: string): boolean =>
  object.metadata.finalizers?.includes(finalizer) ?? false;

/** The object with a finalizer, which is added only if the object does not have it. */
export function withFinalizer<O extends KubernetesObject>(object: O, finalizer: string): O {
  if (hasFinalizer(object, finalizer)) return object;
  const finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** The object without any occurrence of a finalizer. (The Go original keeps repeated ones, or panics.) */
export function withoutFinalizer<O extends KubernetesObject>(object: O, finalizer: string): O {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** The object with these annotations, or the same object if it has them already. An undefined value removes an annotation. */
export const withAnnotations = <O extends KubernetesObject>(
  object: O,
  annotations: Readonly<Record<string, string | undefined>>,
): O => {
  const { metadata } = object;
  const present = metadata.annotations ?? {};
  if (Object.entries(annotations).every(([key, value]) => present[key] === value)) return object;
  const all = Object.entries({ ...metadata.annotations, ...annotations });
  const given = Object.fromEntries(
    all.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  return { ...object, metadata: { ...metadata, annotations: given } };
};
