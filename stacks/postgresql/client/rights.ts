import { escapeIdentifier } from 'pg';
import { advice } from '../advice.ts';
import { PostgresqlError, sqlStateOf } from './error.ts';
import type { UseSession } from './session.ts';

/** The attributes that a creation needs. */
type Right = 'CREATEDB' | 'CREATEROLE';

/** Runs `body` of a creation. If the server refuses it, the error names all `rights` that the administrator lacks. */
export type Requiring = <T>(
  rights: readonly Right[],
  signal: AbortSignal | undefined,
  body: () => Promise<T>,
) => Promise<T>;

/** See {@link Requiring}. The server itself names only the first right that is missing. */
export const requiring =
  (withSession: UseSession, server: string): Requiring =>
  async (rights, signal, body) => {
    try {
      return await body();
    } catch (error) {
      if (sqlStateOf(error) !== '42501') throw error;
      const asking = withSession(undefined, signal, async (session) => {
        const [held] = await session.query<Record<Right, boolean>>(
          `SELECT rolsuper OR rolcreatedb AS "CREATEDB", rolsuper OR rolcreaterole AS "CREATEROLE"
           FROM pg_roles WHERE rolname = current_user`,
        );
        const lacking = rights.filter((right) => held?.[right] === false);
        return lacking.length === 0 ? undefined : lackingError(session.admin.name, server, lacking);
      });
      // If the server does not answer this question, its refusal is still the error of the creation.
      throw (await asking.catch(() => undefined)) ?? error;
    }
  };

function lackingError(user: string, server: string, lacking: readonly Right[]): PostgresqlError {
  const statement = `ALTER ROLE ${escapeIdentifier(user)} ${lacking.join(' ')}`;
  const message = `user "${user}" of server ${server} lacks ${lacking.join(' and ')}; ${advice.grantAdmin(statement)}`;
  return new PostgresqlError(message, { code: '42501' });
}
