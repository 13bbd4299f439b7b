import type { Adoption, GeneratedCredential, Observation, ReadyFacts } from '../../../package/stack.ts';
import {
  available,
  databaseAdoption,
  generatedPassword,
  isObserver,
  refusesPassword,
  unavailable,
} from '../../../package/stack.ts';
import type { DatabaseObservation, DatabaseSpec } from '../client/database.ts';
import { databaseDrift } from '../client/database.ts';
import type { SchemaObservation } from '../client/schema.ts';
import type { ServerFacts } from '../client/server-facts.ts';
import type { MySQLDatabase } from '../kinds/v1alpha1/mysql-database.ts';
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

/** Facts about an adoption for its message. `others`: users who keep privileges on the database. */
export const adoptionOf = (managed: MySQLDatabase, others: readonly string[]): Adoption =>
  databaseAdoption(managed, others.length === 0 ? [] : [`${others.join(', ')} keep privileges on it`]);

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
