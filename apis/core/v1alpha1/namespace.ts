import type { Kind, KubernetesObject, ObjectKey } from './kind.ts';
import { kindKey } from './kind.ts';

/** A namespace; of it nothing is read but name and labels. */
export type Namespace = KubernetesObject;

export const NamespaceKind: Kind<Namespace> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
};

export const isNamespaceKind = (kind: Kind): boolean => kindKey(kind) === kindKey(NamespaceKind);

/** In which namespace an object is, a namespace in itself; undefined: in none. */
export const namespaceOf = (kind: Kind, { namespace, name }: ObjectKey): string | undefined =>
  isNamespaceKind(kind) ? name : namespace;

/**
 * The label by which a selector names one namespace. The API server sets it from 1.21 on, and lets nobody change it; before,
 * nobody sets it, or anybody.
 */
export const nameLabel = 'kubernetes.io/metadata.name';

/** A namespace's labels, its name among them whatever the server does about that. */
export const labelsOf = ({ metadata }: Namespace): Readonly<Record<string, string>> => ({
  ...metadata.labels,
  [nameLabel]: metadata.name,
});
