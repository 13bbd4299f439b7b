import type { Environment } from '../../package/stack.ts';
import { markHolders, resourceId } from '../../package/stack.ts';
import type { HolderOf } from './client/mark.ts';
import { markOf } from './client/mark.ts';
import { PostgreSQLDatabaseKind } from './kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLRoleKind } from './kinds/v1alpha1/postgresql-role.ts';

/** Finds the PostgreSQLRole or PostgreSQLDatabase whose mark a role has, in the caches. */
export function roleHolders(env: Pick<Environment, 'resource'>): HolderOf {
  const find = markHolders(env, [PostgreSQLRoleKind, PostgreSQLDatabaseKind], markOf);
  return (mark, role) => {
    // The resource of a role was deleted and kept the role. Only administrators make roles of this kind.
    const isRole = mark === markOf(resourceId(PostgreSQLRoleKind, role));
    return find(mark) ?? (isRole ? { isClaims: false, what: `PostgreSQLRole ${role}` } : undefined);
  };
}
