import { PostgreSQLDatabaseKind } from '../kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLRoleKind } from '../kinds/v1alpha1/postgresql-role.ts';

/**
 * The references of a grant. A name says which role the server has, a reference whose role is meant: only a reference to a
 * PostgreSQLDatabase reaches the role of a claim.
 */
export const grantReferences = [
  { field: 'role', ref: 'roleRef', selector: 'roleSelector', to: PostgreSQLRoleKind },
  { field: 'role', ref: 'roleDatabaseRef', to: PostgreSQLDatabaseKind },
  { field: 'database', ref: 'databaseRef', selector: 'databaseSelector', to: PostgreSQLDatabaseKind },
  { field: 'memberOf', ref: 'memberOfRef', selector: 'memberOfSelector', to: PostgreSQLRoleKind },
  { field: 'memberOf', ref: 'memberOfDatabaseRef', to: PostgreSQLDatabaseKind },
] as const;
