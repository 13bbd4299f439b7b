import type { Environment } from '../../package/stack.ts';
import { markHolders, resourceId } from '../../package/stack.ts';
import type { HolderOf } from './client/mark.ts';
import { markOf } from './client/mark.ts';
import { PostgreSQLDatabaseKind } from './kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLRoleKind } from './kinds/v1alpha1/postgresql-role.ts';

/**
 * Finds the PostgreSQLRole or PostgreSQLDatabase whose mark a role has, in the caches. Only administrators make a
 * PostgreSQLRole: no class provisions one, whatever its spec says. Its mark tells the kind also after its deletion.
 */
export function roleHolders(env: Pick<Environment, 'resource'>): HolderOf {
  const roleByMark = markHolders(env, [PostgreSQLRoleKind], markOf);
  const databaseByMark = markHolders(env, [PostgreSQLDatabaseKind], markOf);
  return (mark, role) => {
    const wasRole = mark === markOf(resourceId(PostgreSQLRoleKind, role));
    const holder = roleByMark(mark) ?? (wasRole ? { what: `PostgreSQLRole ${role}` } : undefined);
    return holder === undefined ? databaseByMark(mark) : { ...holder, isClaims: false };
  };
}
