import { escapeIdentifier } from 'pg';
import type { ReadyFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { available, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import type { PostgreSQLDatabase } from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import type { DatabaseObservation, DatabaseSpec } from '../../../clients/postgresql/database-spec.ts';
import { databaseDrift } from '../../../clients/postgresql/database-spec.ts';
import type { RoleObservation, RoleSpec } from '../../../clients/postgresql/role.ts';
import { roleDrift } from '../../../clients/postgresql/role.ts';
import type { GeneratedCredential } from '../../core/credential.ts';
import { generatedPassword } from '../../core/credential.ts';
import type { Observation } from '../../core/managed/connecting/external-client.ts';
import { isObserver, markDifference, nameOf } from '../ownership.ts';
import { refusesPassword } from '../role-password.ts';

/**
 * Whether a database has an owner role of its own, of the same name. It has not if an owner is named, be it for
 * the creation only.
 */
export function hasOwnRole({ spec: { forProvider, initProvider } }: PostgreSQLDatabase): boolean {
  return [forProvider, initProvider].every(
    (fields) => (fields?.owner ?? fields?.ownerRef ?? fields?.ownerSelector) === undefined,
  );
}

/** The password of a database's own owner role. */
export const databaseCredential: GeneratedCredential<PostgreSQLDatabase> = {
  ...generatedPassword,
  isWanted: hasOwnRole,
  rotationOf: ({ spec }) => spec.forProvider.passwordRotation,
};

/**
 * A database's own owner role: somebody who may log in, nothing more. Its limit is the database's: an owner can lift
 * that of its database, and use other databases that let it in, but cannot lift its own.
 */
export const ownRoleSpec = ({ spec: { forProvider } }: PostgreSQLDatabase): RoleSpec => ({
  login: true,
  ...(forProvider.connectionLimit === undefined ? {} : { connectionLimit: forProvider.connectionLimit }),
});

/** The database that forProvider asks for. */
export function databaseSpec(managed: PostgreSQLDatabase): DatabaseSpec {
  const { encoding, lcCollate, lcCType, template, connectionLimit, allowConnections, extensions } =
    managed.spec.forProvider;
  const owner = hasOwnRole(managed) ? nameOf(managed) : managed.spec.forProvider.owner;
  return {
    ...(owner === undefined ? {} : { owner }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(lcCollate === undefined ? {} : { lcCollate }),
    ...(lcCType === undefined ? {} : { lcCType }),
    ...(template === undefined ? {} : { template }),
    ...(connectionLimit === undefined ? {} : { connectionLimit }),
    ...(allowConnections === undefined ? {} : { allowConnections }),
    ...(extensions === undefined ? {} : { extensions }),
  };
}

/** What taking over a database does to its owner; undefined: nothing. */
export function changeOfOwner(
  managed: PostgreSQLDatabase,
  { owner }: Pick<DatabaseObservation, 'owner'>,
): string | undefined {
  const next = databaseSpec(managed).owner;
  if (next === undefined || next === owner) return undefined;
  return `its owner becomes ${escapeIdentifier(next)} in place of ${escapeIdentifier(owner)}, unless spec.forProvider.owner says otherwise`;
}

/** A database that exists; `role` is its own, where it should have one and does. */
export interface Found {
  readonly database: DatabaseObservation;
  readonly role: RoleObservation | undefined;
  /** The server refuses the password that the role had. */
  readonly isLockedOut: boolean;
  /** Major version of the server. */
  readonly serverVersion: number;
}

/** What to report about a database that may be observed. */
export function observationOf(managed: PostgreSQLDatabase, found: Found): Observation {
  const { database, role, serverVersion } = found;
  const { owner, encoding, lcCollate, lcCType } = database;
  const facts = { owner, encoding, lcCollate, lcCType };
  const status = { ...facts, engineVersion: String(serverVersion) };
  if (isObserver(managed)) {
    const ready = openness(database) ?? available();
    return { exists: true, isUpToDate: true, ready, status, lateInitialized: facts };
  }
  const { changed, immutable } = databaseDrift(database, databaseSpec(managed));
  const differing = [
    ...changed,
    ...immutable,
    ...markDifference(managed, database),
    ...(hasOwnRole(managed) ? roleDifference(managed, role) : []),
  ];
  return {
    exists: true,
    isUpToDate: differing.length === 0,
    ready: readyOf(managed, found),
    status,
    ...(differing.length === 0 ? {} : { difference: differing.join(', ') }),
  };
}

const roleDifference = (managed: PostgreSQLDatabase, role: RoleObservation | undefined): readonly string[] =>
  role === undefined
    ? ['role']
    : [...roleDrift(role, ownRoleSpec(managed)), ...markDifference(managed, role)].map(
        (field) => `role ${field}`,
      );

const openness = ({ allowConnections }: DatabaseObservation): ReadyFacts | undefined =>
  allowConnections ? undefined : unavailable('the database does not allow connections');

function readyOf(managed: PostgreSQLDatabase, { database, role, isLockedOut }: Found): ReadyFacts {
  const closed = openness(database);
  if (closed !== undefined) return closed;
  if (!hasOwnRole(managed)) return available();
  if (role === undefined) return unavailable('the role of the database does not exist');
  if (!role.login) return unavailable('the role of the database may not log in');
  return isLockedOut ? unavailable(refusesPassword) : available();
}

/** Throws an Error that names what differs but cannot be changed in PostgreSQL, with what it is and should be. */
export function checkImmutable(managed: PostgreSQLDatabase, database: DatabaseObservation): void {
  const { forProvider } = managed.spec;
  const changes = databaseDrift(database, databaseSpec(managed)).immutable.map(
    (field) => `spec.forProvider.${field} from "${database[field]}" to "${forProvider[field]}"`,
  );
  if (changes.length === 0) return;
  throw new Error(
    `cannot change ${changes.join(' and ')}: PostgreSQL sets it at creation only; set it back, or create a new resource`,
  );
}
