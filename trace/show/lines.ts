/** Escape sequences have no width. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds them
const colour = /\u001b\[[0-9;]*m/g;
const widthOf = (text: string): number => [...text.replaceAll(colour, '')].length;

/**
 * The text in lines of at most `width` characters, broken only between words. The first line begins with `first`, the
 * others with `rest`.
 */
export function wrapped(text: string, width: number, first = '', rest = first): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    const fits = widthOf(line) + (isEmpty ? 0 : 1) + widthOf(word) <= width;
    if (!isEmpty && !fits) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
