import { createHash } from 'node:crypto';

/** Who a thing in a cloud belongs to. Kind and name survive backup and restore; a UID would not. */
export interface Owner {
  /** `favouritedbinstance.database.fcp.crossplane.io`. */
  readonly kind: string;
  readonly name: string;
  /** The class it was made from; absent where it was made from none. */
  readonly className?: string;
  /** The credentials that manage it. */
  readonly provider?: { readonly kind: 'Provider' | 'ProviderConfig'; readonly name: string };
}

type Tags = Readonly<Record<string, string>>;

/** Longer values no label of Google's clouds may have. */
const longestLabel = 63;

/**
 * An owner in words that labels may hold where they are no free text: lower case letters, digits, `-` and `_`, 63 of them.
 * A dot, which the names of Kubernetes may have and never a `_`, becomes one; what is too long ends in a hash of all of it.
 */
export const labelled = ({ kind, name, className, provider }: Owner): Owner => ({
  kind: labelOf(kind),
  name: labelOf(name),
  ...(className !== undefined && { className: labelOf(className) }),
  ...(provider !== undefined && { provider: { ...provider, name: labelOf(provider.name) } }),
});

function labelOf(value: string): string {
  const label = value.toLowerCase().replaceAll(/[^a-z0-9-]/g, '_');
  if (label.length <= longestLabel) return label;
  const hash = createHash('sha256').update(value).digest('hex').slice(0, 8);
  return `${label.slice(0, longestLabel - hash.length - 1)}-${hash}`;
}

/**
 * The tags that Crossplane's providers set: kind, name, class and provider since v0.6, and of the later releases that
 * of the ProviderConfig. Only the first two say whose a thing is; the others are for people and their bills.
 */
const tagKeys = {
  kind: 'crossplane-kind',
  name: 'crossplane-name',
  className: 'crossplane-class',
  Provider: 'crossplane-provider',
  ProviderConfig: 'crossplane-providerconfig',
} as const;
const allKeys: readonly string[] = Object.values(tagKeys);

/** Whether a tag is one of those that say whose a thing is. */
export const isOwnerTag = (key: string): boolean => allKeys.includes(key);

export const ownerTags = ({ kind, name, className, provider }: Owner): Tags => ({
  [tagKeys.kind]: kind,
  [tagKeys.name]: name,
  ...(className === undefined ? {} : { [tagKeys.className]: className }),
  ...(provider === undefined ? {} : { [tagKeys[provider.kind]]: provider.name }),
});

/** The tags that are not about the owner: those of the thing's users. */
export const withoutOwner = (tags: Tags): Tags =>
  Object.fromEntries(Object.entries(tags).filter(([key]) => !allKeys.includes(key)));

/** `nobody`: without a tag of an owner's kind and name. */
export function ownershipOf(tags: Tags, owner: Owner): 'ours' | 'nobody' | 'foreign' {
  const [kind, name] = [tags[tagKeys.kind], tags[tagKeys.name]];
  if (kind === undefined && name === undefined) return 'nobody';
  return kind === owner.kind && name === owner.name ? 'ours' : 'foreign';
}

/**
 * All tags that a thing of ours should have, somebody else's kept; undefined if they need not be written. They are
 * where one is missing, or says another kind or name. One that only says another class or provider is no reason by
 * itself, or two clusters that share a thing would tag it in turns for ever: it goes with another change (`isChanging`).
 */
export function retagged(tags: Tags, owner: Owner, isChanging: boolean): Tags | undefined {
  const wanted = ownerTags(owner);
  const isMissing = Object.keys(wanted).some((key) => tags[key] === undefined);
  const isOutdated = allKeys.some((key) => tags[key] !== wanted[key]);
  if (ownershipOf(tags, owner) === 'ours' && !isMissing && !(isChanging && isOutdated)) return undefined;
  return { ...withoutOwner(tags), ...wanted };
}

/** Kind and name of the owner, as far as the tags say. */
export const ownerIn = (tags: Tags): Partial<Pick<Owner, 'kind' | 'name'>> => ({
  ...(tags[tagKeys.kind] && { kind: tags[tagKeys.kind] }),
  ...(tags[tagKeys.name] && { name: tags[tagKeys.name] }),
});

/** For messages: `kind "name"`, as the tags say. */
export const ownerNamedBy = (tags: Tags): string =>
  `${tags[tagKeys.kind] ?? 'an unknown kind'} "${tags[tagKeys.name] ?? ''}"`;
