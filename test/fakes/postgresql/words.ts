const token = /\s*(?:"((?:[^"]|"")*)"|(E)?'((?:[^']|'')*)'|(-?\d+)|([A-Za-z_][\w$]*)|(\S))/y;

interface Token {
  /** A keyword or name in lower case, a punctuation mark, or empty. */
  readonly word: string;
  /** The name, quoted or not; undefined for literals and punctuation. */
  readonly name?: string;
  readonly literal?: string;
}

/** Reads a statement from left to right. */
export class Words {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  /** Steps over these keywords or marks if they come next; else stays. */
  accept(...words: readonly string[]): boolean {
    if (!words.every((word, index) => this.#tokens[this.#at + index]?.word === word.toLowerCase()))
      return false;
    this.#at += words.length;
    return true;
  }

  expect(...words: readonly string[]): void {
    if (!this.accept(...words)) throw this.unknown();
  }

  /** A name, or with dots between them several. */
  name(): string {
    const { name } = this.#tokens[this.#at] ?? {};
    if (name === undefined) throw this.unknown();
    this.#at += 1;
    return name;
  }

  names(): readonly string[] {
    const names = [this.name()];
    while (this.accept(',')) names.push(this.name());
    return names;
  }

  dottedName(): string {
    const names = [this.name()];
    while (this.accept('.')) names.push(this.name());
    return names.join('.');
  }

  literal(): string {
    const { literal } = this.#tokens[this.#at] ?? {};
    if (literal === undefined) throw this.unknown();
    this.#at += 1;
    return literal;
  }

  isAtLiteral(): boolean {
    return this.#tokens[this.#at]?.literal !== undefined;
  }

  integer(): number {
    const { word = '' } = this.#tokens[this.#at] ?? {};
    if (!/^-?\d+$/.test(word)) throw this.unknown();
    this.#at += 1;
    return Number(word);
  }

  boolean(): boolean {
    if (this.accept('true')) return true;
    this.expect('false');
    return false;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length || this.#tokens[this.#at]?.word === ';';
  }

  /** The error for a statement that this server in memory does not know. */
  unknown(): Error {
    const rest = this.#tokens[this.#at];
    const text = this.#text.replace(/'(?:[^']|'')*'/g, "'…'");
    return new Error(`not in the PostgreSQL in memory, from "${rest?.word ?? ''}" on: ${text}`);
  }
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  const end = text.trimEnd().length;
  while (token.lastIndex < end) {
    const found = token.exec(text);
    if (found === null) throw new Error('a statement that cannot be read');
    const [, quoted, escaped, literal, number, word, mark] = found;
    if (quoted !== undefined) tokens.push({ word: '', name: quoted.replaceAll('""', '"') });
    else if (literal !== undefined) {
      const plain = literal.replaceAll("''", "'");
      tokens.push({ word: '', literal: escaped === undefined ? plain : plain.replaceAll('\\\\', '\\') });
    } else if (word !== undefined) tokens.push({ word: word.toLowerCase(), name: word.toLowerCase() });
    else tokens.push({ word: number ?? mark ?? '' });
  }
  return tokens;
}
