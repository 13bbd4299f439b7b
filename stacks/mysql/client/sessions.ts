import { counted } from '../../../package/stack.ts';
import { errnoOf, MysqlError } from './error.ts';
import { missingPrivileges } from './privilege.ts';
import type { Session } from './session.ts';
import { account, quotedName } from './text.ts';
import type { UserObservation } from './user-spec.ts';

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
       AND (BINARY USER = BINARY NULLIF(?, '') OR BINARY DB = BINARY NULLIF(?, '')) ORDER BY ID`,
    [user ?? '', database ?? ''],
  );
}

async function checkSeesSessions(session: Session): Promise<void> {
  const lacking = await missingPrivileges(session);
  if (!lacking?.missing.includes('PROCESS')) return;
  throw new MysqlError(`${session.account} does not see the sessions of others`, { code: 'Forbidden' });
}

/**
 * Ends the sessions of a user, and those of any user in a database. Those of the user in one statement: its events may begin
 * sessions faster than they are ended one by one.
 */
export async function endSessions(
  session: Session,
  { user, database }: Parameters<typeof sessionsOf>[1],
): Promise<void> {
  if (user !== undefined) await session.run(`KILL USER ${account(user)}`);
  for (const { id } of database === undefined ? [] : await sessionsOf(session, { database })) {
    await session.run(`KILL ${Number(id)}`).catch((error: unknown) => {
      if (errnoOf(error) !== 1094) throw error; // it has ended by itself
    });
  }
}

/**
 * Lets a user in no more, so that it can be dropped: DROP USER ends no session. Throws `InUse` while sessions block it, and
 * then the user can log in as before.
 */
export async function shutOut(
  session: Session,
  { name, isLocked }: UserObservation,
  {
    terminateSessions,
    database,
  }: { readonly terminateSessions: boolean; readonly database?: string | undefined },
): Promise<void> {
  const who = { user: name, database };
  const what = database === undefined ? `user ${quotedName(name)}` : `database ${quotedName(database)}`;
  if (!terminateSessions) refuseIfUsed(what, await sessionsOf(session, who));
  if (!isLocked) await session.run(`ALTER USER ${account(name)} ACCOUNT LOCK`);
  if (terminateSessions) {
    await endSessions(session, who);
    return;
  }
  const found = await sessionsOf(session, who);
  if (found.length === 0) return;
  // One began in between.
  await session.run(`ALTER USER ${account(name)} ACCOUNT UNLOCK`);
  refuseIfUsed(what, found);
}

/** Throws `InUse` if there are sessions. `what`: the user or database that has them, for the message. */
export function refuseIfUsed(what: string, { length: open }: readonly OpenSession[]): void {
  if (open === 0) return;
  throw new MysqlError(`${what} has ${counted(open, 'open session')}`, { code: 'InUse' });
}
