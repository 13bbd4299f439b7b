/** Names as the API server takes them (Kubernetes, "Object Names and IDs" and `ValidateCustomResourceDefinition`). */

const longestLabel = 63;
const longestName = 253;
/** With `List` after it, it is a label, too. */
const longestKind = longestLabel - 'List'.length;
const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const groupPattern = new RegExp(`^${label}(?:\\.${label})+$`);

/** Lower case letters, digits and dashes within (RFC 1123). */
export const isLabel = (text: string): boolean =>
  text.length <= longestLabel && new RegExp(`^${label}$`).test(text);

/** Says of a name that it is no label. */
export const notALabel = (text: string): string =>
  `${JSON.stringify(text)} is not of at most ${longestLabel} lower case letters, digits and dashes within`;

/** A label that begins with a letter (RFC 1035), as plurals, short names and categories are. */
export const isResourceName = (text: string): boolean => isLabel(text) && /^[a-z]/.test(text);

/** A DNS subdomain with a dot in it. */
export const isGroup = (text: string): boolean => text.length <= longestName && groupPattern.test(text);

/** The API server takes definitions in these groups only with the approval of Kubernetes. */
export const isKept = (group: string): boolean => /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group);

/** In PascalCase. */
export const isKindName = (text: string): boolean =>
  text.length <= longestKind && /^[A-Z][A-Za-z0-9]*$/.test(text);

/** `v1`, `v1alpha1`. */
export const isVersion = (text: string): boolean => /^v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?$/.test(text);
