/** Who a thing in a cloud belongs to. Kind and name survive backup and restore; a UID would not. */
export interface Owner {
  /** `favouritedbinstance.database.fcp.crossplane.io`. */
  readonly kind: string;
  readonly name: string;
}

type Tags = Readonly<Record<string, string>>;

/** The tags that Crossplane's providers set since v0.6, as far as they say who the owner is. */
const kindTag = 'crossplane-kind';
const nameTag = 'crossplane-name';

export const ownerTags = ({ kind, name }: Owner): Tags => ({ [kindTag]: kind, [nameTag]: name });

/** `nobody`: without any of the tags. */
export function ownershipOf(tags: Tags, owner: Owner): 'ours' | 'nobody' | 'foreign' {
  const [kind, name] = [tags[kindTag], tags[nameTag]];
  if (kind === undefined && name === undefined) return 'nobody';
  return kind === owner.kind && name === owner.name ? 'ours' : 'foreign';
}

/** For messages: `kind "name"`, as the tags say. */
export const ownerNamedBy = (tags: Tags): string =>
  `${tags[kindTag] ?? 'an unknown kind'} "${tags[nameTag] ?? ''}"`;
