import { isObserver, mayBeRenamed, nameOf, ownerIdOf } from '../../../package/stack.ts';
import type { DatabaseObservation } from '../client/database-spec.ts';
import type { RoleObservation } from '../client/role.ts';
import type { PostgresqlServer } from '../client/server.ts';
import type { PostgreSQLDatabase } from '../kinds/v1alpha1/postgresql-database.ts';
import { databaseOwnership, roleOwnership } from '../ownership.ts';
import type { Part } from '../renamed.ts';
import { databaseSpec, hasOwnRole, otherRole } from './desired-state.ts';

/**
 * The database of a resource, and its role if it has one of its own, by their marks. `database`, `role`: those of its
 * name. Nothing is sent for a part that has its name. Empty if the resource was never there.
 */
export async function partsOf(
  { databases, roles }: Pick<PostgresqlServer, 'databases' | 'roles'>,
  managed: PostgreSQLDatabase,
  {
    database,
    role,
  }: { readonly database: DatabaseObservation | undefined; readonly role: RoleObservation | undefined },
  signal: AbortSignal,
): Promise<readonly Part[]> {
  const [name, ownerId] = [nameOf(managed), ownerIdOf(managed)];
  const isDatabaseThere =
    databaseOwnership.isOurs(managed, database) && otherRole(managed, database, role) === undefined;
  // A retained database that a new resource names is there without a record.
  if (isObserver(managed) || !(isDatabaseThere || mayBeRenamed(managed))) return [];
  const { owner } = databaseSpec(managed);
  const ownDatabase = isDatabaseThere ? name : await databases.renamed(name, { ownerId, owner, signal });
  const part: Part = {
    kind: 'database',
    own: ownDatabase,
    namesake: isDatabaseThere ? undefined : database,
  };
  if (!hasOwnRole(managed) || ownDatabase === undefined) return [part];
  const isRoleThere = roleOwnership.isOurs(managed, role);
  const ownRole = isRoleThere ? name : await roles.renamed(ownerId, { signal });
  return [part, { kind: 'role', own: ownRole, namesake: isRoleThere ? undefined : role }];
}
