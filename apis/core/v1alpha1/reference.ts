import type { Described } from '../schema.ts';
import type { objectReference, referencePolicy, secretKeySelector } from './fields.ts';
import type { Kind, KubernetesObject, OwnerReference } from './kind.ts';
import { apiVersionOf } from './kind.ts';

/** Names an object of any kind, as Kubernetes' ObjectReference does. */
export type ObjectReference = Described<ReturnType<typeof objectReference>>;

/** One key of a Secret in any namespace. */
export type SecretKeySelector = Described<ReturnType<typeof secretKeySelector>>;

/** How a reference or selector is resolved. */
export type ReferencePolicy = Described<typeof referencePolicy>;

/** A reference to an object: apiVersion, kind, namespace, name and uid. */
export function referenceTo(object: KubernetesObject): ObjectReference {
  const { namespace, name, uid } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
  };
}

/**
 * Whether apiVersion, kind, namespace and name are the same. The UID is ignored, so that references survive backup and
 * restore. An absent reference equals only an absent one (crossplane-runtime v0.9).
 */
export function referencesEqual(a: ObjectReference | undefined, b: ObjectReference | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    (a.apiVersion ?? '') === (b.apiVersion ?? '') &&
    (a.kind ?? '') === (b.kind ?? '') &&
    (a.namespace ?? '') === (b.namespace ?? '') &&
    (a.name ?? '') === (b.name ?? '')
  );
}

/** Whether a reference names an object of this kind, in this version. */
export function referenceIsOfKind(
  reference: ObjectReference | undefined,
  kind: Pick<Kind, 'group' | 'version' | 'kind'>,
): boolean {
  return reference?.kind === kind.kind && reference.apiVersion === apiVersionOf(kind);
}

/** The reference if it has kind and apiVersion. A `classRef` may have only a name. */
export const completeReference = (reference: ObjectReference | undefined): ObjectReference | undefined =>
  reference?.kind && reference.apiVersion ? reference : undefined;

/** An owner reference that makes `owner` the controller. */
export function controllerReference(owner: KubernetesObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The controlling owner of an object, if it has one. */
export function controllerOf(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** The UID of the controlling owner. */
export const controllerUid = (object: KubernetesObject): string | undefined => controllerOf(object)?.uid;

/** Whether `owner` controls `object`, by UID. */
export function isControlledBy(object: KubernetesObject, owner: KubernetesObject): boolean {
  const uid = owner.metadata.uid;
  return uid !== undefined && controllerUid(object) === uid;
}

/** Whether two objects have the same controller, by UID; false if either has none. */
export function haveSameController(a: KubernetesObject, b: KubernetesObject): boolean {
  const [left, right] = [controllerUid(a), controllerUid(b)];
  return left !== undefined && left === right;
}

/** Short text for messages: `Kind name` or `Kind namespace/name`. */
export function describeReference(reference: ObjectReference): string {
  const name = reference.namespace ? `${reference.namespace}/${reference.name}` : reference.name;
  return `${reference.kind ?? 'object'} ${name ?? '(unnamed)'}`;
}
