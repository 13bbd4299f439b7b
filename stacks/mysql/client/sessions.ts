import { errnoOf, MysqlError } from './error.ts';
import { missingPrivileges } from './privilege.ts';
import type { Session } from './session.ts';

/** A session of another client. */
interface OpenSession {
  readonly id: number;
}

/**
 * The open sessions of a user, and those of any user in a database. Without PROCESS the server would show none,
 * so this throws `Forbidden`.
 */
export async function sessionsOf(
  session: Session,
  { user, database }: { readonly user?: string | undefined; readonly database?: string | undefined },
): Promise<readonly OpenSession[]> {
  await checkSeesSessions(session);
  return session.query<OpenSession>(
    `SELECT ID AS id FROM information_schema.PROCESSLIST
     WHERE ID <> CONNECTION_ID() AND USER NOT IN ('system user', 'event_scheduler')
       AND (BINARY USER = BINARY ? OR BINARY DB = BINARY ?) ORDER BY ID`,
    [user ?? '', database ?? ''],
  );
}

async function checkSeesSessions(session: Session): Promise<void> {
  const lacking = await missingPrivileges(session);
  if (!lacking?.missing.includes('PROCESS')) return;
  throw new MysqlError(`${session.account} does not see the sessions of others`, { code: 'Forbidden' });
}

/** Ends sessions; returns how many there were. */
export async function endSessions(session: Session, sessions: readonly OpenSession[]): Promise<number> {
  for (const { id } of sessions) {
    await session.run(`KILL ${Number(id)}`).catch((error: unknown) => {
      if (errnoOf(error) !== 1094) throw error; // it has ended by itself
    });
  }
  return sessions.length;
}
