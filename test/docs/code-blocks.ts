/** A fenced code block of a Markdown text. */
export interface CodeBlock {
  readonly language: string;
  /** The path in its first line, a comment; absent if that is no path. */
  readonly file?: string;
  readonly content: string;
}

/**
 * The commands of a page that a reader pastes: the lines behind `$` of its console blocks, and the lines of its sh blocks,
 * without comments. Blocks in lists count, too. A command that ends with a backslash continues in the next line.
 */
export function commandsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^ *```(sh|console)\n(.*?)^ *```$/gms)].flatMap(
    ([, language = '', content = '']) =>
      content
        .replaceAll(/ *\\\n */g, ' ')
        // A text between quotation marks may have several lines.
        .replaceAll(/'[^'\n]*\{\n[^']*'/g, (text) => text.replaceAll(/\s*\n\s*/g, ' '))
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => (language === 'sh' ? line !== '' && !line.startsWith('#') : line.startsWith('$ ')))
        .map((line) => line.replace(/^\$ /, '').replace(/ +# .*$/, '')),
  );
}

/** Every fenced code block of a Markdown text, in order. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', content = '']) => {
    const file = /^(?:\/\/|#) (\S+\/(?:\S+\.\w+|Dockerfile))\n/.exec(content)?.[1];
    return { language, content, ...(file !== undefined && { file }) };
  });
}
