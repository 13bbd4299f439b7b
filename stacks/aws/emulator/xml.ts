const notInXml = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** Whether XML 1.0 can hold a text: it has no control characters but tab and ends of lines, not even escaped. */
export const isXmlText = (text: string): boolean => text.search(notInXml) === -1;

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    // As it is, a reader takes it for a line feed.
    .replaceAll('\r', '&#xD;')
    .replaceAll(notInXml, '\u{FFFD}');

/**
 * A tree as XML: an object's entries are elements, an array is an element for each of its items, and what is undefined
 * is none. `{ vpcSet: { item: [{ vpcId: 'vpc-1' }] } }`. A character that XML cannot contain becomes U+FFFD.
 */
export function xmlOf(tree: object): string {
  return Object.entries(tree)
    .flatMap(([name, value]: [string, unknown]) => [value].flat().map((one) => element(name, one)))
    .join('');
}

function element(name: string, value: unknown): string {
  if (value === undefined) return '';
  const content = typeof value === 'object' && value !== null ? xmlOf(value) : escaped(String(value));
  return `<${name}>${content}</${name}>`;
}
