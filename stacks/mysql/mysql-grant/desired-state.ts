import { changing, invalid, referencedOwners } from '../../../package/stack.ts';
import type { GrantObservation, GrantSpec, GrantTarget } from '../client/grant.ts';
import { driftNames, grantDrift } from '../client/grant.ts';
import { databasePrivileges } from '../kinds/v1alpha1/fields.ts';
import type { MySQLGrant } from '../kinds/v1alpha1/mysql-grant.ts';
import { grantReferences } from './references.ts';

/** The grant that forProvider asks for. Throws an Error that names missing fields. */
export function grantSpec(managed: MySQLGrant): GrantSpec {
  const { privileges } = managed.spec.forProvider;
  const place = grantPlace(managed);
  if (privileges === undefined)
    throw invalid('spec.forProvider.privileges are needed', changing('privileges'));
  return { ...place, privileges, resources: referencedOwners(managed, grantReferences) };
}

/** The user and the database of a grant. Throws an Error that names missing fields. */
export function grantPlace({ spec }: MySQLGrant): GrantTarget {
  const { user, database } = spec.forProvider;
  if (user === undefined) {
    throw invalid(
      'spec.forProvider.user is needed, or userRef, userSelector or userDatabaseRef',
      changing('user'),
    );
  }
  if (database === undefined) {
    throw invalid(
      'spec.forProvider.database is needed, or databaseRef or databaseSelector',
      changing('database'),
    );
  }
  return { user, database };
}

/** The user and the database of a grant; undefined while a field is missing. */
export function intendedGrant({ spec }: MySQLGrant): GrantTarget | undefined {
  const { user, database } = spec.forProvider;
  return user === undefined || database === undefined ? undefined : { user, database };
}

/** The differences between the privileges that a user has and the wanted ones. */
export const grantDifferences = (held: GrantObservation, spec: GrantSpec): readonly string[] =>
  driftNames(grantDrift(held, spec));

/** The privileges that a user has, in the form of forProvider and in the order of the definition. */
export const grantParameters = ({ privileges }: GrantObservation) => ({
  privileges: databasePrivileges.filter((privilege) => privileges.includes(privilege)),
});
