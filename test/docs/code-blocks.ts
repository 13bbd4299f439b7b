/** A fenced code block of a Markdown text. */
export interface CodeBlock {
  readonly language: string;
  /** The path in its first line, a comment; absent if that is no path. */
  readonly file?: string;
  readonly content: string;
}

/** Every fenced code block of a Markdown text, in order. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', content = '']) => {
    const file = /^(?:\/\/|#) (\S+\/(?:\S+\.\w+|Dockerfile))\n/.exec(content)?.[1];
    return { language, content, ...(file !== undefined && { file }) };
  });
}
