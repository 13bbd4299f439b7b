import range from 'lodash/range.js';
import { maxNameBytes } from './name.ts';
import type { Session } from './session.ts';

/** The text, cut to so many bytes of UTF-8, without a part of a character. */
function cut(text: string, bytes: number): string {
  const characters = [...text];
  while (Buffer.byteLength(characters.join('')) > bytes) characters.pop();
  return characters.join('');
}

/** A name that begins as `name` and that no database and no role has, for statements that an administrator runs. */
export async function spareName(session: Session, name: string): Promise<string> {
  const candidates = range(1, 20)
    .map((number) => `-other${number === 1 ? '' : number}`)
    .map((suffix) => cut(name, maxNameBytes - suffix.length) + suffix);
  const rows = await session.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE datname = ANY ($1)
     UNION SELECT rolname FROM pg_roles WHERE rolname = ANY ($1)`,
    [candidates],
  );
  const used = new Set(rows.map(({ name: each }) => each));
  return candidates.find((each) => !used.has(each)) ?? `${candidates[0]}`;
}
