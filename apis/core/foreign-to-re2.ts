/**
 * The parts of a JavaScript pattern that RE2 does not support. The API server uses RE2 (Go's `regexp/syntax`). It has no
 * lookaround, no back-references, no named groups (before Go 1.22), no other escapes and classes, and at most 1000
 * repetitions.
 */
export function foreignToRe2(pattern: string): readonly string[] {
  const pieces = [...pattern.matchAll(piece)].map(([text]) => text);
  const parts = pieces.flatMap((text) => {
    if (/^\[\^?\]$/.test(text)) return [text];
    // In a character class, all characters except escapes are literal.
    if (text.startsWith('[')) return (text.match(escaped) ?? []).filter((part) => !isSharedWithin.test(part));
    if (text.startsWith('\\')) return isShared.test(text) ? [] : [text];
    if (text.startsWith('{')) return isTooOften(text) ? [text] : [];
    return [text];
  });
  return [...new Set(parts)];
}

const escaped = /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[0-9]+|[\s\S])/g;
/** An escape, a class, the beginning of a special group, or a repetition. */
const piece = new RegExp(
  `${escaped.source}|\\[\\^?\\]|\\[(?:\\\\[\\s\\S]|[^\\]\\\\])*\\]|\\(\\?(?:<?[=!]|<\\w+>)|\\{[0-9]+(?:,[0-9]*)?\\}`,
  'g',
);
/** Escapes with the same meaning in both: of characters that are not letters or digits, and of some that are. */
const isSharedWithin = /^\\(?:[^A-Za-z0-9]|[dDwWsSfnrtv0]|x[0-9A-Fa-f]{2}|[pP]\{[A-Z][a-z]?\})$/;
const isShared = /^\\(?:[^A-Za-z0-9]|[dDwWsSfnrtv0bB]|x[0-9A-Fa-f]{2}|[pP]\{[A-Z][a-z]?\})$/;

const isTooOften = (repetition: string): boolean =>
  (repetition.match(/[0-9]+/g) ?? []).some((count) => Number(count) > 1000);
