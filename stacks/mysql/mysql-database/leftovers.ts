import { nameOf, ownerIdOf, waitingForSessions, wasOurs } from '../../../package/stack.ts';
import type { DatabaseObservation } from '../client/database.ts';
import { isInUse } from '../client/error.ts';
import { markOf } from '../client/mark.ts';
import type { MysqlServer } from '../client/server.ts';
import { quotedName } from '../client/text.ts';
import type { MySQLDatabase } from '../kinds/v1alpha1/mysql-database.ts';
import { databaseOwnership, userOwnership } from '../ownership.ts';

type Server = Pick<MysqlServer, 'databases' | 'users'>;

/** Whether a creation of this resource began: its marks are written first. */
const hasOurMark = (managed: MySQLDatabase, { marks }: DatabaseObservation): boolean =>
  [marks.database, marks.user].includes(markOf(ownerIdOf(managed)));

/**
 * Whether any part of a database that is being deleted remains: the database, its user, a mark of an interrupted creation.
 * A database of that name with another mark has another owner and stays. Throws an Error if we owned it before and it has
 * no mark: an administrator decides whether it is dropped.
 */
export async function isAnythingLeft(
  { databases }: Server,
  managed: MySQLDatabase,
  signal: AbortSignal,
): Promise<boolean> {
  if (!databaseOwnership.hasUsableName(managed)) return false;
  const found = await databases.observe(nameOf(managed), { signal });
  if (wasOurs(managed)) {
    databaseOwnership.checkMarked(managed, found.database);
    // A user without a mark stays if the database is gone: `remainsOf` names it.
    if (databaseOwnership.isOurs(managed, found.database)) userOwnership.checkMarked(managed, found.user);
  }
  return hasOurMark(managed, found);
}

/** The parts of a deleted database that stay on the server, for an Event. Undefined: nothing stays. */
export async function remainsOf(
  { users }: Server,
  managed: MySQLDatabase,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!wasOurs(managed) || !userOwnership.hasUsableName(managed)) return undefined;
  const name = nameOf(managed);
  const user = await users.observe(name, { signal });
  const defined = await users.definedBy(name, { except: name, signal });
  const definitions = defined.map(({ what }) => what).join(', ');
  const verb = defined.length === 1 ? 'runs' : 'run';
  const parts = [
    ...userOwnership.unmarkedRemains(managed, user),
    ...(defined.length === 0 ? [] : [`${definitions}, which ${verb} as user ${quotedName(name)}`]),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

/** Drops all parts that remain. Throws an Error that counts the sessions that block this. */
export async function removeAll(
  { databases, users }: Server,
  managed: MySQLDatabase,
  signal: AbortSignal,
): Promise<void> {
  const [name, ownerId] = [nameOf(managed), ownerIdOf(managed)];
  const terminateSessions = managed.spec.forProvider.onDelete === 'TerminateSessions';
  const { database, user } = await databases.observe(name, { signal });
  const isOfOthers = database !== undefined && !databaseOwnership.isOurs(managed, database);
  try {
    // guard: otherwise it drops another owner's database
    if (!isOfOthers) await databases.drop(name, { ownerId, terminateSessions, signal });
    else if (userOwnership.isOurs(managed, user))
      await users.drop(name, { ownerId, terminateSessions, signal });
  } catch (error) {
    throw isInUse(error) && !terminateSessions ? waitingForSessions(error) : error;
  }
}
