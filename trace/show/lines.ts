import { sentence } from '../model/words.ts';
import { partsOf } from './commands-in.ts';

/** Escape sequences have no width. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds them
const colour = /\u001b\[[0-9;]*m/g;
const widthOf = (text: string): number => [...text.replaceAll(colour, '')].length;

/** A blank within quotes, where no line may end. No text that is shown has this character. */
const heldBlank = '\0';

/**
 * The text in lines of at most `width` characters, broken only between words, and never within quotes. A command or
 * statement in it has a line of its own, of any length, so that a user can paste it. The first line begins with `first`,
 * the others with `rest`.
 */
export function wrapped(text: string, width: number, first = '', rest = first): readonly string[] {
  return partsOf(text).flatMap((part, at) => {
    if (part.is === 'command') return [`${rest}  ${part.text}`];
    return at === 0
      ? wordLines(part.text, width, first, rest)
      : wordLines(sentence(part.text), width, rest, rest);
  });
}

function wordLines(text: string, width: number, first: string, rest: string): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  const held = text.trimEnd().replaceAll(/"[^"]*"/g, (quoted) => quoted.replaceAll(' ', heldBlank));
  for (const word of held.split(' ')) {
    const fits = widthOf(line) + (isEmpty ? 0 : 1) + widthOf(word) <= width;
    if (!isEmpty && !fits) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].map((one) => one.replaceAll(heldBlank, ' '));
}
