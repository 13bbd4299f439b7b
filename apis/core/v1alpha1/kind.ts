import type { FieldMarks } from '../marks.ts';

/** Kubernetes object metadata as JSON (dates are RFC 3339 strings). */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Names an owner of an object. At most one owner is the controller. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Any Kubernetes object: plain JSON, never mutated; updates are copies. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/**
 * One kind of object that the API server serves. `T` is the type of its objects and exists only at compile time. `group` is
 * empty for the core group; `plural` is the resource name in URLs.
 */
export interface Kind<T extends KubernetesObject = KubernetesObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** For a managed kind: the marked fields of `forProvider`. Absent: none. */
  readonly marks?: FieldMarks;
  /** For a managed kind: whether a loss of the external resource loses data. */
  readonly holdsData?: boolean;
  /** For a kind of provider: whether a stack uses it that does not define it. Default: no. */
  readonly isOfAnotherStack?: true;
  /** Never present at run time; carries the object type. */
  readonly objectType?: T;
}

/** The `apiVersion` of a kind's objects: `group/version`, or `version` alone for the core group. */
export function apiVersionOf({ group, version }: Pick<Kind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Identifies a kind in maps and logs: `plural.version.group`. */
export function kindKey({ group, version, plural }: Pick<Kind, 'group' | 'version' | 'plural'>): string {
  return `${plural}.${version}.${group || 'core'}`;
}

/** Identifies an object of a kind. `namespace` is absent for cluster-scoped objects. */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/** The key of an object's metadata, or of the object that a reference names. */
export const objectKey = ({ namespace, name }: ObjectKey): ObjectKey =>
  namespace === undefined ? { name } : { namespace, name };

/** `namespace/name`, or `name` alone: one string per object of a kind. */
export const objectKeyText = ({ namespace, name }: ObjectKey): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** The name of a kind's definition: `favouritedbinstances.database.fcp.crossplane.io`. */
export const crdName = ({ plural, group }: Pick<Kind, 'plural' | 'group'>): string => `${plural}.${group}`;
