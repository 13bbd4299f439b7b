import { alterDatabase, breakDatabase, createDatabase, dropDatabase } from './database-statements.ts';
import { grant, revoke } from './grant-statements.ts';
import { alterExtension, comment, createExtension } from './inside-statements.ts';
import { questions } from './questions.ts';
import { alterRole, createRole, dropOwned, dropRole, reassignOwned } from './role-statements.ts';
import type { Statement } from './statement.ts';
import { Words } from './words.ts';

const beginnings: readonly (readonly [words: readonly string[], read: (words: Words) => Statement])[] = [
  [['CREATE', 'DATABASE'], createDatabase],
  [['CREATE', 'ROLE'], createRole],
  [['CREATE', 'EXTENSION'], createExtension],
  [['ALTER', 'DATABASE'], alterDatabase],
  [['ALTER', 'ROLE'], alterRole],
  [['ALTER', 'EXTENSION'], alterExtension],
  [['DROP', 'DATABASE'], dropDatabase],
  [['DROP', 'ROLE'], dropRole],
  [['DROP', 'OWNED', 'BY'], dropOwned],
  [['REASSIGN', 'OWNED', 'BY'], reassignOwned],
  [['COMMENT', 'ON'], comment],
  [['GRANT'], grant],
  [['REVOKE'], revoke],
  [['UPDATE', 'pg_database', 'SET', 'datconnlimit', '='], breakDatabase],
];

/** Questions are asked in the same words again and again. */
const known = new Map<string, Statement>();

/** Throws an Error for what a server has and this one in memory does not. */
export function parse(text: string): Statement {
  const before = known.get(text);
  if (before !== undefined) return before;
  // The settings that a session begins with have no effect here.
  const line = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^(SET \w+ TO [^;]*; )+/, '');
  const question = questions.find(([pattern]) => pattern.test(line))?.[1];
  if (question !== undefined) {
    const statement = { verb: 'SELECT', target: '', isWrite: false, run: question };
    known.set(text, statement);
    return statement;
  }
  const words = new Words(text);
  for (const [beginning, read] of beginnings) {
    if (!words.accept(...beginning)) continue;
    const statement = read(words);
    if (!words.isAtEnd) throw words.unknown();
    return statement;
  }
  throw words.unknown();
}
