/** Characters that are not printable: controls, line separators, marks that change the text direction, lone surrogates. */
const suspicious = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** Sequences that a terminal executes (colours, titles, keys), in their ESC and C1 forms. */
const escapeSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it is about
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/gu;
const lineBreak = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;
/** The end of JavaScript's message for invalid JSON. The message quotes the text, which may be a secret. */
const noJson = 'is not valid JSON';
const quotedText = /Unexpected token '.*? is not valid JSON/gsu;
const invisible = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * The text as it may be shown to people, on one line. Terminal sequences, control characters and direction marks are
 * removed, a line break becomes a space, and a lone surrogate becomes U+FFFD. Text that JavaScript quotes from invalid JSON
 * is removed. All text from other systems (a cloud's error, a name, a server's message) passes here before it is written to
 * a condition, an Event or the log.
 */
export function printable(text: string): string {
  const shown = text.includes(noJson) ? text.replaceAll(quotedText, `the text ${noJson}`) : text;
  if (!suspicious.test(shown)) return shown;
  return shown
    .toWellFormed()
    .replaceAll(escapeSequence, '')
    .replaceAll(lineBreak, ' ')
    .replaceAll(invisible, '')
    .trim();
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
