/** The characters that have another meaning in a text of a statement, and how it has them. */
const escapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\x1a': '\\Z',
  "'": "''",
  '\\': '\\\\',
};

/**
 * A text as a statement has it. Only for sessions with our own `sql_mode` and character set (session.ts): with
 * NO_BACKSLASH_ESCAPES, or with some character sets, the same escapes mean something else.
 */
export const quotedText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the server reads them in another way
  `'${text.replace(/[\0\b\t\n\r\x1a'\\]/g, (character) => escapes[character] ?? character)}'`;

/**
 * A text in a statement that a person runs, in a session with any `sql_mode`. A tenant chooses names: with
 * NO_BACKSLASH_ESCAPES, a text could end early, and the rest of the name be a statement.
 */
export const clearText = (text: string): string =>
  text.includes('\\') ? `CONVERT(x'${Buffer.from(text).toString('hex')}' USING utf8mb4)` : quotedText(text);

/** A name as a statement has it. */
export const quotedName = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/**
 * The name of a database in GRANT and REVOKE, where `_` and `%` are wildcards. Not quoted: this is what the server stores
 * in `mysql.db`.
 */
export const pattern = (database: string): string => database.replace(/[\\%_]/g, '\\$&');

/** All that is in a database, in GRANT and REVOKE. */
export const contentsOf = (database: string): string => `${quotedName(pattern(database))}.*`;

/** All users of this product are of every host. Messages have this, too: see `clearText`. */
export const account = (name: string, host = '%'): string =>
  [name, host].map((part) => (part.includes('\\') ? quotedName(part) : quotedText(part))).join('@');
