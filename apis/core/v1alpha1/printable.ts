/** What printable text has none of: controls, separators of lines, what turns the direction of text, half characters. */
const suspicious = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** Sequences that a terminal takes for commands: colours, titles, keys; as they are written with ESC and with C1. */
const escapeSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it is about
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/gu;
const lineBreak = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu;
/** How JavaScript says that a text is no JSON: it quotes from it, and that may be a secret. */
const noJson = 'is not valid JSON';
const quotedText = /Unexpected token '.*? is not valid JSON/gsu;
const invisible = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * The text as it may be shown to people, on one line: whatever writes to a terminal, forges a line or turns the
 * direction of the text is taken out, a break becomes a space, half a character U+FFFD, and what JavaScript quotes of a
 * text that it cannot parse is left out. Everything that comes from
 * elsewhere (a cloud's error, a name, a server's message) passes here on its way to a condition, an Event and the log.
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

/** The text, cut where it is longer than `length` UTF-16 units, between characters, with an ellipsis. */
export function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
