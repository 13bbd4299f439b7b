/**
 * Control and format characters (invisible, or changing the direction of text), line and paragraph separators, spaces other
 * than U+0020, and all that Unicode tells programs to ignore.
 */
const unprintable = /(?! )[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

export const hasUnprintable = (text: string): boolean => text.search(unprintable) >= 0;

/**
 * The text on one line. Characters that are invisible or would move a cursor are written as `\u{…}`. So are line breaks,
 * because a name may contain one: the condition that shows the text (`printable`) would make it a space.
 */
export const escaped = (text: string): string =>
  text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** `1 open session`, `2 open sessions`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** A foreign text within a message: quoted, on one line, with lone surrogates escaped too. */
export const quoted = (text: string): string => escaped(JSON.stringify(text));
