import { escapeIdentifier } from 'pg';
import {
  clientAdvice,
  ExternalError,
  nameOf,
  ownerIdOf,
  waitingForSessions,
} from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import { unfinishedName } from '../client/database-read.ts';
import type { DatabaseObservation } from '../client/database-spec.ts';
import { isInUse } from '../client/error.ts';
import { hasMarkOf, markOf } from '../client/mark.ts';
import type { RoleObservation } from '../client/role.ts';
import type { PostgresqlServer } from '../client/server.ts';
import type { PostgreSQLDatabase } from '../kinds/v1alpha1/postgresql-database.ts';
import { databaseOwnership, roleOwnership } from '../ownership.ts';
import { remaining } from '../remaining.ts';
import { databaseSpec, hasOwnRole, otherRole } from './desired-state.ts';

/** The server, and the role that the provider logs in as. */
type Place = Pick<PostgresqlServer, 'databases' | 'roles'> & { readonly administrator: string };

/**
 * Whether any part of a database that is being deleted remains: the database, an interrupted creation, its own role. A
 * database of that name without its mark has another owner and stays. Throws an Error if we owned it before and it has no
 * mark, or if its own role has none: an administrator decides whether it is dropped.
 */
export async function isAnythingLeft(
  { databases, roles, administrator }: Place,
  managed: PostgreSQLDatabase,
  signal: AbortSignal,
): Promise<boolean> {
  if (!databaseOwnership.hasUsableName(managed)) return false;
  const name = nameOf(managed);
  const { database, role, isRoleTaken } = await namesakes({ databases, roles }, managed, signal);
  const hasMark = database !== undefined && hasMarkOf(database, ownerIdOf(managed));
  // The mark of its own role decides whose the database is: another owner may have taken it over.
  if (hasMark && hasOwnRole(managed) && role !== undefined && !roleOwnership.isOurs(managed, role))
    throw roleOwnership.markLost(managed, name);
  if (database !== undefined && databaseOwnership.isOurs(managed, database)) {
    checkOwner(managed, database, administrator);
    return true;
  }
  // guard: otherwise a database that a tenant owns by mistake stays without an error
  const isOfTenant = hasMark && database.distrustedOwner !== undefined;
  if (isOfTenant && managed.status?.owner !== undefined) {
    databaseOwnership.checkMayManage(managed, database, {
      isOwnerWanted: true,
      // guard: otherwise the statement gives the database to the role of another resource
      owner: isRoleTaken ? undefined : databaseSpec(managed).owner,
    });
  }
  if (managed.status?.owner !== undefined) databaseOwnership.checkMarked(managed, database);
  return (
    // guard: otherwise an interrupted creation stays
    (await databases.observe(unfinishedName(ownerIdOf(managed), name), { signal })) !== undefined ||
    roleOwnership.isOurs(managed, role)
  );
}

/**
 * Throws an Error if an administrator gave the database to another role, which may use it: only its comment has the mark.
 * An interrupted deletion leaves it with the role that the provider logs in as.
 */
function checkOwner(managed: PostgreSQLDatabase, found: DatabaseObservation, administrator: string): void {
  const wanted = databaseSpec(managed).owner;
  const isMarked = found.ownerMark === markOf(ownerIdOf(managed));
  if (isMarked || wanted === undefined || [wanted, administrator].includes(found.owner)) return;
  const [database, owner, next] = [found.name, found.owner, administrator].map(escapeIdentifier);
  throw new ExternalError(
    `database ${database} is owned by role ${owner}, which is not the role of this resource; ${advice.dropOfAnother(`${database}`, `ALTER DATABASE ${database} OWNER TO ${next}`)}; ${clientAdvice.keepUnmarked}`,
    { errorClass: 'Conflict', holder: { by: 'Nobody' } },
  );
}

/** The database and role with the name of a database that is being deleted, without those of another resource. */
interface Namesakes {
  readonly database?: DatabaseObservation | undefined;
  readonly role?: RoleObservation | undefined;
  /** Another resource has a database of that name. */
  readonly isTaken: boolean;
  /** Another resource has a role of that name. */
  readonly isRoleTaken: boolean;
}

/** A database is another resource's if the role of that name is and owns it, whatever its comment says. */
async function namesakes(
  { databases, roles }: Pick<Place, 'databases' | 'roles'>,
  managed: PostgreSQLDatabase,
  signal: AbortSignal,
): Promise<Namesakes> {
  const name = nameOf(managed);
  const database = await databases.observe(name, { signal });
  const role = roleOwnership.hasUsableName(managed) ? await roles.observe(name, { signal }) : undefined;
  const isRoleTaken = roleOwnership.isOfOther(managed, role);
  // guard: otherwise a deletion drops the database of the resource that has the name now
  const isTaken =
    database !== undefined &&
    (databaseOwnership.isOfOther(managed, database) || otherRole(managed, database, role) !== undefined);
  return {
    database: isTaken ? undefined : database,
    role: isRoleTaken ? undefined : role,
    isTaken,
    isRoleTaken,
  };
}

/** The parts of a deleted database that stay on the server, for an Event. Undefined: nothing stays. */
export async function remainsOf(
  { databases, roles, administrator }: Place,
  managed: PostgreSQLDatabase,
  signal: AbortSignal,
): Promise<string | undefined> {
  const find = (owner: string | undefined): Promise<string | undefined> =>
    databases.renamed(nameOf(managed), { ownerId: ownerIdOf(managed), owner, signal });
  // An administrator may have taken it over, so that its role could be dropped.
  const renamed = (await find(databaseSpec(managed).owner)) ?? (await find(administrator));
  return remaining(managed, roles, {
    databases: renamed === undefined ? [] : [renamed],
    hasRole: hasOwnRole(managed),
    signal,
  });
}

/** Drops all parts that remain. Throws an Error that names the sessions that block this. */
export async function removeAll(
  { databases, roles, administrator }: Place,
  managed: PostgreSQLDatabase,
  signal: AbortSignal,
): Promise<void> {
  const name = nameOf(managed);
  const ownerId = ownerIdOf(managed);
  const { database, role, isTaken } = await namesakes({ databases, roles }, managed, signal);
  const isOfOthers = isTaken || (database !== undefined && !databaseOwnership.isOurs(managed, database));
  if (database !== undefined && !isOfOthers) checkOwner(managed, database, administrator);
  // guard: otherwise it drops another owner's database
  if (isOfOthers) await databases.dropUnfinished(name, { ownerId, signal });
  else await dropDatabase(databases, managed, signal);
  if (roleOwnership.isOurs(managed, role)) await roles.drop(name, { ownerId, signal });
}

async function dropDatabase(
  databases: Place['databases'],
  managed: PostgreSQLDatabase,
  signal: AbortSignal,
): Promise<void> {
  const terminateSessions = managed.spec.forProvider.onDelete === 'TerminateSessions';
  try {
    await databases.drop(nameOf(managed), { ownerId: ownerIdOf(managed), terminateSessions, signal });
  } catch (error) {
    throw isInUse(error) && !terminateSessions ? waitingForSessions(error) : error;
  }
}
