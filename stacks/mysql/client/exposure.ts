import uniq from 'lodash/uniq.js';
import { clientAdvice } from '../../../package/stack.ts';
import { MysqlError } from './error.ts';
import type { Session } from './session.ts';
import { account, quotedName, quotedText } from './text.ts';

/** The rows that let strangers into a server's databases, or keep its users out. */
export interface Exposure {
  /** Accounts without a name, as `''@'localhost'`. From their hosts the right password of a user is refused. */
  readonly anonymous: readonly string[];
  /** The names, or patterns, of databases that every user may use, such as `test\_%`. */
  readonly openPatterns: readonly string[];
  /** The statements that end all of it, for an administrator with all privileges. Empty: there is nothing. */
  readonly statements: readonly string[];
}

interface OpenRow {
  readonly pattern: string;
  readonly user: string;
}

/** The privileges of every user: of the role PUBLIC, and of rows without a name of a user. */
const openRows = (session: Session): Promise<readonly OpenRow[]> =>
  session.query(
    `SELECT DISTINCT Db AS pattern, User AS user FROM mysql.db WHERE User IN ('', 'PUBLIC') ORDER BY Db, User`,
  );

/** See {@link Exposure}. */
export async function readExposure(session: Session): Promise<Exposure> {
  const anonymous = await session.query<{ host: string }>(
    `SELECT Host AS host FROM mysql.global_priv WHERE User = '' ORDER BY Host`,
  );
  const rows = await openRows(session);
  const [everybody] = await session.query<object>(
    `SELECT 1 FROM mysql.global_priv WHERE User = 'PUBLIC' AND Host = '' AND JSON_VALUE(Priv, '$.access') <> 0`,
  );
  const names = anonymous.map(({ host }) => account('', host));
  const unnamed = rows.filter(({ user }) => user === '').map(({ pattern }) => pattern);
  return {
    anonymous: names,
    openPatterns: uniq([...(everybody === undefined ? [] : ['%']), ...rows.map(({ pattern }) => pattern)]),
    statements: [
      ...names.map((name) => `DROP USER ${name}`),
      ...rows
        .filter(({ user }) => user !== '')
        .map(({ pattern }) => `REVOKE ALL PRIVILEGES ON ${quotedName(pattern)}.* FROM PUBLIC`),
      ...(everybody === undefined ? [] : ['REVOKE ALL PRIVILEGES, GRANT OPTION FROM PUBLIC']),
      ...(unnamed.length === 0
        ? []
        : [
            `DELETE FROM mysql.db WHERE User = '' AND Db IN (${unnamed.map(quotedText).join(', ')})`,
            'FLUSH PRIVILEGES',
          ]),
    ],
  };
}

/** Throws `Invalid` for a name of a database that everybody may use. */
export async function checkClosed(session: Session, name: string): Promise<void> {
  const open = (await openRows(session)).find(({ pattern }) => covers(pattern, name));
  if (open === undefined) return;
  const message = `every user of the server may use a database named ${quotedName(name)}, by a grant on ${quotedName(open.pattern)}; ${clientAdvice.chooseExternalName}`;
  throw new MysqlError(message, { code: 'Invalid', advice: { kinds: ['ChooseExternalName'] } });
}

/** Whether a pattern of a GRANT is for a name: `_` is any character, `%` any text, unless `\` comes before it. In any case. */
export function covers(pattern: string, name: string): boolean {
  const parts = [...pattern.matchAll(/\\(.)|(.)/gsu)].map(([, escaped, plain = '']) => {
    if (escaped !== undefined) return literal(escaped);
    if (plain === '%') return '.*';
    return plain === '_' ? '.' : literal(plain);
  });
  return new RegExp(`^${parts.join('')}$`, 'isu').test(name);
}

const literal = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
