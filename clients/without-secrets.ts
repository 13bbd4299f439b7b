/** A secret of this length is removed wherever it stands. */
const longSecret = 12;

/**
 * A foreign text in which each of the secrets is replaced, if the text contains it. A short secret of letters alone, or
 * of digits alone, may be part of a word or number by chance, such as `short` in `shorter`. It is replaced only where it
 * stands alone. All other secrets are replaced wherever they stand.
 */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret !== '')
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(wordOf(secret) ?? secret, '***'), text);

/** Matches a short secret of one kind of characters between characters of other kinds. Undefined for other secrets. */
function wordOf(secret: string): RegExp | undefined {
  const kind = ['\\p{L}', '\\p{N}'].find((each) => new RegExp(`^${each}+$`, 'u').test(secret));
  if (kind === undefined || secret.length >= longSecret) return undefined;
  // A letter before it may belong to an escape sequence of JSON.
  return new RegExp(`(?<!${kind})${secret}(?!${kind})|(?<=\\\\[a-z])${secret}(?!${kind})`, 'gu');
}
