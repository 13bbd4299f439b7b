const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * A tree as XML: an object's entries are elements, an array is an element for each of its items, and what is undefined
 * is none. `{ vpcSet: { item: [{ vpcId: 'vpc-1' }] } }`.
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
