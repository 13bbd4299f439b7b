/** A part of a text: words, or a command for a shell or a server, which a user pastes. */
export interface TextPart {
  readonly is: 'words' | 'command';
  readonly text: string;
}

/** The first words of the commands in messages. They follow a colon. A transaction has BEGIN and COMMIT around them. */
const verb =
  '(?:kubectl|vault|aws|ALTER|COMMENT ON|COMMIT PREPARED|CREATE|DROP|GRANT|REASSIGN OWNED|REVOKE|ROLLBACK PREPARED|SELECT)';
/** An escaped character of a shell, a text in quotes, or one character. Quotes of a message that was cut stay open. */
const piece = String.raw`\\.|'[^']*(?:'|$)|"[^"]*(?:"|$)|[^'"]`;
/** Outside quotes: a semicolon, a full stop before another sentence or at the end of the text. */
const end = String.raw`[;.] |\.$`;
const command = `(?:${verb} (?:(?!${end})(?:${piece}))*|BEGIN|COMMIT)`;
const commands = new RegExp(`(?<=: )(${command}(?:; ${command})*)(?:${end})?`, 'g');
const single = new RegExp(command, 'g');

/** The words and the commands of a message in their order. It only serves the layout: programs read typed fields. */
export function partsOf(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  const addWords = (to: number) => {
    if (from < to) parts.push({ is: 'words', text: text.slice(from, to) });
  };
  for (const { 0: whole, 1: found = '', index } of text.matchAll(commands)) {
    addWords(index);
    for (const [one] of found.matchAll(single)) parts.push({ is: 'command', text: one });
    from = index + whole.length;
  }
  addWords(text.length);
  return parts;
}
