import { escapeId, escape as escapeText } from 'mysql2';

/**
 * A text as a statement has it. Only for sessions with our own `sql_mode` and character set (session.ts): with
 * NO_BACKSLASH_ESCAPES, or with some character sets, the same escapes mean something else.
 */
export const quotedText = (text: string): string => escapeText(text);

/** A name as a statement has it. */
export const quotedName = (name: string): string => escapeId(name, true);

/**
 * The name of a database in GRANT and REVOKE, where `_` and `%` are wildcards. Not quoted: this is what the server stores
 * in `mysql.db`.
 */
export const pattern = (database: string): string => database.replace(/[\\%_]/g, '\\$&');

/** All that is in a database, in GRANT and REVOKE. */
export const contentsOf = (database: string): string => `${quotedName(pattern(database))}.*`;

/** All users of this product are of every host. */
export const account = (name: string, host = '%'): string => `${quotedText(name)}@${quotedText(host)}`;
