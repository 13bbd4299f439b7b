import type {
  Adoption,
  GeneratedCredential,
  Managed,
  Observation,
  ReadyFacts,
} from '../../../package/stack.ts';
import {
  available,
  describeReference,
  generatedPassword,
  isObserver,
  refusesPassword,
  shouldDelete,
  unavailable,
  wasOurs,
} from '../../../package/stack.ts';
import type { DatabaseObservation, DatabaseSpec } from '../client/database.ts';
import { databaseDrift } from '../client/database.ts';
import type { Marked } from '../client/mark.ts';
import type { SchemaObservation } from '../client/schema.ts';
import type { ServerFacts } from '../client/server-facts.ts';
import type { MySQLDatabase } from '../kinds/v1alpha1/mysql-database.ts';
import { isOfOther } from '../ownership.ts';
import { fieldPaths, lateUserFields, observedUserFields, userSpec } from '../user-spec.ts';

/** The password of a database's own user. */
export const databaseCredential: GeneratedCredential<MySQLDatabase> = {
  ...generatedPassword,
  rotationOf: ({ spec }) => spec.forProvider.passwordRotation,
};

/** The database and the user that forProvider asks for. */
export function databaseSpec({ spec: { forProvider } }: MySQLDatabase): DatabaseSpec {
  const { characterSet, collation, privileges } = forProvider;
  return {
    ...(characterSet === undefined ? {} : { characterSet }),
    ...(collation === undefined ? {} : { collation }),
    ...(privileges === undefined ? {} : { privileges }),
    user: userSpec(forProvider),
  };
}

/**
 * Facts about an adoption for its message: the claim that gets the data, the result of a deletion, and `others`, users
 * who keep privileges on the database.
 */
export function adoptionOf({ spec }: MySQLDatabase, others: readonly string[]): Adoption {
  const { claimRef } = spec;
  const consequences = [
    ...(claimRef === undefined ? [] : [`${describeReference(claimRef)} gets its data`]),
    ...(shouldDelete(spec)
      ? ['kubectl delete of this resource then drops it with its data, because its policies allow Delete']
      : []),
    ...(others.length === 0 ? [] : [`${others.join(', ')} keep privileges on it`]),
  ];
  return {
    ...(consequences.length > 0 && { consequence: consequences.join('; ') }),
    isReserved: claimRef !== undefined,
  };
}

/** The same as {@link adoptionOf}, for the database's own user. */
export const userAdoptionOf = ({ spec }: MySQLDatabase): Adoption =>
  shouldDelete(spec) ? { consequence: 'it is dropped with the database' } : {};

/** The database, or its own user, that another resource has now under the name of a lost database that we managed. */
export function takenOf(managed: Managed, { database, user }: DatabaseObservation): Marked | undefined {
  if (!wasOurs(managed) || isObserver(managed)) return undefined;
  return [database, user].find((part) => isOfOther(managed, part));
}

/** A database that exists. */
export interface Found extends Pick<DatabaseObservation, 'user' | 'grant' | 'marks'> {
  readonly database: SchemaObservation;
  /** The server refuses the previous password of the user. */
  readonly isLockedOut: boolean;
  readonly facts: ServerFacts;
}

/** The observation of a database. */
export function observationOf(managed: MySQLDatabase, found: Found): Observation<MySQLDatabase> {
  const { database, user, facts } = found;
  const { characterSet, collation } = database;
  const status = { characterSet, collation, engineVersion: facts.version, flavour: facts.flavour };
  if (isObserver(managed)) {
    const lateInitialized = { characterSet, collation, ...(user && observedUserFields(user)) };
    return { exists: true, isUpToDate: true, ready: available(), status, lateInitialized };
  }
  const { changed } = databaseDrift(found, databaseSpec(managed));
  const differing = fieldPaths(changed, managed.spec.forProvider);
  return {
    exists: true,
    isUpToDate: changed.length === 0,
    ready: readyOf(found),
    status,
    lateInitialized: { characterSet, collation, ...(user && lateUserFields(user)) },
    ...(changed.length === 0 ? {} : { difference: changed.join(', ') }),
    ...(differing.length === 0 ? {} : { differing }),
  };
}

function readyOf({ user, grant, isLockedOut }: Found): ReadyFacts {
  if (user === undefined) return unavailable('the user of the database does not exist');
  if (user.isLocked) return unavailable('the user of the database is locked');
  if ((grant?.privileges ?? []).length === 0)
    return unavailable('the user of the database has no privileges on it');
  return isLockedOut ? refusesPassword('user') : available();
}
