import { percentEncoded } from './percent-encoded.ts';

/** A secret of this length is removed wherever it stands. */
const longSecret = 12;

/** How a text can have a secret: as it is, in JSON, or as a part of an address, percent-encoded by either of two rules. */
const formsOf = (secret: string): readonly string[] => {
  const text = secret.toWellFormed();
  return [
    ...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(text), percentEncoded(text)]),
  ];
};

/** Whether a text contains a secret, also in JSON or percent-encoded. */
export const containsSecret = (text: string, secret: string): boolean =>
  formsOf(secret).some((form) => text.includes(form));

/**
 * A foreign text in which each of the secrets is replaced, if the text contains it, also in JSON or percent-encoded. A
 * short secret of letters alone, or of digits alone, may be part of a word or number by chance, such as `short` in `shorter`. It is
 * replaced only where it stands alone. All other secrets are replaced wherever they stand.
 */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret !== '')
    .flatMap(formsOf)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(wordOf(secret) ?? secret, '***'), text);

/** Matches a short secret of one kind of characters between characters of other kinds. Undefined for other secrets. */
function wordOf(secret: string): RegExp | undefined {
  const kind = ['\\p{L}', '\\p{N}'].find((each) => new RegExp(`^${each}+$`, 'u').test(secret));
  if (kind === undefined || secret.length >= longSecret) return undefined;
  // A letter before it may belong to an escape sequence of JSON.
  return new RegExp(`(?<!${kind})${secret}(?!${kind})|(?<=\\\\[a-z])${secret}(?!${kind})`, 'gu');
}
