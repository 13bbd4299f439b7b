import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';

/**
 * The owner of something that has no tags, for a mark of your own, such as a comment: kind and name, which survive backup and
 * restore; a UID does not.
 */
export const ownerIdOf = ({ apiVersion, kind, metadata }: Managed): string =>
  resourceId({ group: apiVersion.split('/')[0] ?? '', kind }, metadata.name);

/** The same for a resource that may no longer exist. */
export const resourceId = ({ group, kind }: Pick<Kind, 'group' | 'kind'>, name: string): string =>
  `${kind}.${group}/${name}`.toLowerCase();
