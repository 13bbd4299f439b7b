import type { Environment } from '../../package/stack.ts';
import { markHolders } from '../../package/stack.ts';
import type { HolderOf } from './client/mark.ts';
import { markOf } from './client/mark.ts';
import { PostgreSQLDatabaseKind } from './kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLRoleKind } from './kinds/v1alpha1/postgresql-role.ts';

/** Finds the PostgreSQLRole or PostgreSQLDatabase whose mark a role has, in the caches. */
export const roleHolders = (env: Pick<Environment, 'resource'>): HolderOf =>
  markHolders(env, { administrators: PostgreSQLRoleKind, claimable: PostgreSQLDatabaseKind }, markOf);
