import { createHash } from 'node:crypto';

/** The owner of a resource in a cloud. Kind and name survive backup and restore; a UID does not. */
export interface Owner {
  /** `favouritedbinstance.database.fcp.crossplane.io`. */
  readonly kind: string;
  readonly name: string;
  /** The class of the resource; absent if it was not created from a class. */
  readonly className?: string;
  /** The provider whose credentials manage it. */
  readonly provider?: { readonly kind: 'Provider' | 'ProviderConfig'; readonly name: string };
}

type Tags = Readonly<Record<string, string>>;

/** The longest value that a label may have, in the strictest cloud. */
const longestLabel = 63;

/**
 * An owner in the characters that labels allow: lower case letters, digits, `-` and `_`, at most 63. A dot becomes `_`,
 * which no name in Kubernetes has. A long value is cut and ends in a hash of the whole value.
 */
export const labelled = ({ kind, name, className, provider }: Owner): Owner => ({
  kind: labelText(kind),
  name: labelText(name),
  ...(className !== undefined && { className: labelText(className) }),
  ...(provider !== undefined && { provider: { ...provider, name: labelText(provider.name) } }),
});

/** A text in the characters that labels of clouds allow: see {@link labelled}. */
export function labelText(value: string): string {
  const label = value.toLowerCase().replaceAll(/[^a-z0-9-]/g, '_');
  if (label.length <= longestLabel) return label;
  const hash = createHash('sha256').update(value).digest('hex').slice(0, 8);
  return `${label.slice(0, longestLabel - hash.length - 1)}-${hash}`;
}

/**
 * The tags that Crossplane's providers set: kind, name, class and provider since v0.6, and the ProviderConfig of later
 * releases. Only kind and name identify the owner. The others are for users and their bills.
 */
const tagKeys = {
  kind: 'crossplane-kind',
  name: 'crossplane-name',
  className: 'crossplane-class',
  Provider: 'crossplane-provider',
  ProviderConfig: 'crossplane-providerconfig',
} as const;
const allKeys: readonly string[] = Object.values(tagKeys);

/** Whether a tag identifies the owner. */
export const isOwnerTag = (key: string): boolean => allKeys.includes(key);

/** The tags that mark an external resource as owned. */
export const ownerTags = ({ kind, name, className, provider }: Owner): Tags => ({
  [tagKeys.kind]: kind,
  [tagKeys.name]: name,
  ...(className === undefined ? {} : { [tagKeys.className]: className }),
  ...(provider === undefined ? {} : { [tagKeys[provider.kind]]: provider.name }),
});

/** The tags that are not about the owner: the tags of the resource's users. */
export const withoutOwner = (tags: Tags): Tags =>
  Object.fromEntries(Object.entries(tags).filter(([key]) => !allKeys.includes(key)));

/** `unowned`: the tags name no owner. `others`: the tags name another owner. */
export function ownershipOf(tags: Tags, owner: Owner): 'ours' | 'unowned' | 'others' {
  const [kind, name] = [tags[tagKeys.kind], tags[tagKeys.name]];
  if (kind === undefined && name === undefined) return 'unowned';
  return kind === owner.kind && name === owner.name ? 'ours' : 'others';
}

/**
 * All tags of a resource that we own; other tags stay. Undefined if there is nothing to write.
 *
 * Tags are written if one is missing, or names another kind or name. A different class or provider alone is no reason:
 * otherwise two clusters that share a resource would overwrite each other's tags for ever. They are written together
 * with another change (`isChanging`).
 */
export function retagged(tags: Tags, owner: Owner, isChanging: boolean): Tags | undefined {
  const wanted = ownerTags(owner);
  const isMissing = Object.keys(wanted).some((key) => tags[key] === undefined);
  const isOutdated = allKeys.some((key) => tags[key] !== wanted[key]);
  if (ownershipOf(tags, owner) === 'ours' && !isMissing && !(isChanging && isOutdated)) return undefined;
  return { ...withoutOwner(tags), ...wanted };
}

/** Kind and name of the owner, as far as the tags name them. */
export const ownerIn = (tags: Tags): Partial<Pick<Owner, 'kind' | 'name'>> => ({
  ...(tags[tagKeys.kind] && { kind: tags[tagKeys.kind] }),
  ...(tags[tagKeys.name] && { name: tags[tagKeys.name] }),
});

/** For messages: `kind "name"` from the tags. */
export const ownerNamedBy = (tags: Tags): string =>
  `${tags[tagKeys.kind] ?? 'an unknown kind'} "${tags[tagKeys.name] ?? ''}"`;
