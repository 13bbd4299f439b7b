import type { Kind, KubernetesObject, ObjectKey } from './kind.ts';
import { kindKey } from './kind.ts';

/** A DNS label, which the API server requires of the name of a namespace. */
export const namespaceName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
export const maxNamespaceLength = 63;

/** A namespace; only its name and labels are read. */
export type Namespace = KubernetesObject;

export const NamespaceKind: Kind<Namespace> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
};

export const isNamespaceKind = (kind: Kind): boolean => kindKey(kind) === kindKey(NamespaceKind);

/** The namespace of an object; for a Namespace its own name; undefined for other cluster-scoped objects. */
export const namespaceOf = (kind: Kind, { namespace, name }: ObjectKey): string | undefined =>
  isNamespaceKind(kind) ? name : namespace;

/**
 * The label by which a selector names one namespace. The API server sets it since 1.21 and refuses to change it. On older
 * servers it is absent, or set by any user.
 */
const nameLabel = 'kubernetes.io/metadata.name';

/** A namespace's labels with its name, even if the API server does not set that label. */
export const labelsOf = ({ metadata }: Namespace): Readonly<Record<string, string>> => ({
  ...metadata.labels,
  [nameLabel]: metadata.name,
});
