/** Names that the API server accepts (Kubernetes, "Object Names and IDs" and `ValidateCustomResourceDefinition`). */

const longestLabel = 63;
const longestName = 253;
/** Shorter than a label, because the kind with `List` after it must be a label, too. */
const longestKind = longestLabel - 'List'.length;
const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const groupPattern = new RegExp(`^${label}(?:\\.${label})+$`);

/** Lower-case letters, digits and dashes; the first and last character is not a dash (RFC 1123). */
export const isLabel = (text: string): boolean =>
  text.length <= longestLabel && new RegExp(`^${label}$`).test(text);

/** The message for a text that is not a label. */
export const notALabel = (text: string): string =>
  `${JSON.stringify(text)} is not a valid name: use at most ${longestLabel} lower-case letters, digits and dashes, no dash first or last`;

/** A label that begins with a letter (RFC 1035), for plurals, short names and categories. */
export const isResourceName = (text: string): boolean => isLabel(text) && /^[a-z]/.test(text);

/** A DNS subdomain with at least one dot. */
export const isGroup = (text: string): boolean => text.length <= longestName && groupPattern.test(text);

/** Groups that are reserved for Kubernetes: the API server accepts definitions in them only with its approval. */
export const isReservedGroup = (group: string): boolean => /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group);

/** In PascalCase. */
export const isKindName = (text: string): boolean =>
  text.length <= longestKind && /^[A-Z][A-Za-z0-9]*$/.test(text);

/** `v1`, `v1alpha1`. */
export const isVersion = (text: string): boolean => /^v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?$/.test(text);
