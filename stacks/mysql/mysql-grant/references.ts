import { MySQLDatabaseKind } from '../kinds/v1alpha1/mysql-database.ts';
import { MySQLUserKind } from '../kinds/v1alpha1/mysql-user.ts';

/**
 * The references of a grant. A name says which user the server has, a reference whose user is meant: only a reference to a
 * MySQLDatabase reaches the user of a claim.
 */
export const grantReferences = [
  { field: 'user', ref: 'userRef', selector: 'userSelector', to: MySQLUserKind },
  { field: 'user', ref: 'userDatabaseRef', to: MySQLDatabaseKind },
  { field: 'database', ref: 'databaseRef', selector: 'databaseSelector', to: MySQLDatabaseKind },
] as const;
