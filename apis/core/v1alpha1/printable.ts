/**
 * Characters that a reader does not see, or that change how other characters are shown: controls, format characters such as
 * U+200B and U+202E, spaces other than U+0020, and all that Unicode tells programs to ignore.
 */
const hidden = /(?! )[\p{Cc}\p{Cf}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const lineBreak = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;
const suspicious = new RegExp(`${hidden.source}|[\\p{Cs}\\p{Zl}\\p{Zp}]`, 'u');
/** The end of JavaScript's message for invalid JSON. The message quotes the text, which may be a secret. */
const noJson = 'is not valid JSON';
const quotedText = /Unexpected token '.*? is not valid JSON/gsu;
const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/**
 * The text as it may be shown to people, on one line. A hidden character is written as `\u{200b}`: two names that differ
 * are shown differently, and a terminal executes nothing. A line break becomes a space, and a lone surrogate becomes U+FFFD.
 * Text that JavaScript quotes from invalid JSON is removed. All text from other systems (a cloud's error, a name, a
 * server's message) passes here before it is written to a condition, an Event or the log.
 */
export function printable(text: string): string {
  const shown = text.includes(noJson) ? text.replaceAll(quotedText, `the text ${noJson}`) : text;
  if (!suspicious.test(shown)) return shown;
  return shown.toWellFormed().replaceAll(lineBreak, ' ').replaceAll(hidden, escaped).trim();
}

/** The text, cut between characters to at most `length` UTF-16 units, with an ellipsis if it was cut. */
export function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

/** The first `most` of the names, and how many more there are. */
export const firstNames = (names: readonly string[], most: number): readonly string[] => [
  ...names.slice(0, most),
  ...(names.length > most ? [`and ${names.length - most} more`] : []),
];
