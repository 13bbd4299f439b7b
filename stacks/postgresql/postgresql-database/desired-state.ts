import { escapeIdentifier } from 'pg';
import type { GeneratedCredential, Observation, ReadyFacts } from '../../../package/stack.ts';
import {
  available,
  ChangeRefused,
  coreAdvice,
  databaseAdoption,
  generatedPassword,
  isObserver,
  nameOf,
  refusesPassword,
  renamed,
  resourceId,
  unavailable,
  wasOurs,
} from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import type { DatabaseObservation, DatabaseSpec } from '../client/database-spec.ts';
import { databaseDrift } from '../client/database-spec.ts';
import type { Adoption, Marked } from '../client/mark.ts';
import type { RoleObservation, RoleSpec } from '../client/role.ts';
import { roleDrift } from '../client/role.ts';
import { fixedIn, limitFix } from '../closed-by-spec.ts';
import type { PostgreSQLDatabase } from '../kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLRoleKind } from '../kinds/v1alpha1/postgresql-role.ts';
import { databaseOwnership, markDifference, roleOwnership } from '../ownership.ts';
import type { Renamed, Taken } from '../renamed.ts';

/**
 * Whether a database has an owner role of its own, with the same name. It has none if an owner is named, also if only
 * for the creation.
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
 * A database's own owner role: it may log in and has no other right. Its connection limit is that of the database. An
 * owner can remove the limit of its database and use other databases that accept it, but cannot remove its own limit.
 */
export const ownRoleSpec = ({ spec: { forProvider } }: PostgreSQLDatabase): RoleSpec => ({
  login: true,
  ...(forProvider.connectionLimit === undefined ? {} : { connectionLimit: forProvider.connectionLimit }),
});

/** The database that forProvider asks for. */
export function databaseSpec(managed: PostgreSQLDatabase): DatabaseSpec {
  const { encoding, lcCollate, lcCType, template, connectionLimit, allowConnections, extensions, ownerRef } =
    managed.spec.forProvider;
  const owner = hasOwnRole(managed) ? nameOf(managed) : managed.spec.forProvider.owner;
  return {
    ...(owner === undefined ? {} : { owner }),
    ...(ownerRef === undefined ? {} : { ownerResource: resourceId(PostgreSQLRoleKind, ownerRef.name) }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(lcCollate === undefined ? {} : { lcCollate }),
    ...(lcCType === undefined ? {} : { lcCType }),
    ...(template === undefined ? {} : { template }),
    ...(connectionLimit === undefined ? {} : { connectionLimit }),
    ...(allowConnections === undefined ? {} : { allowConnections }),
    ...(extensions === undefined ? {} : { extensions }),
  };
}

/**
 * Facts about an adoption for its message: besides those of all databases, the change of the owner, and `others`, roles
 * that stay in the database.
 */
export function adoptionOf(
  managed: PostgreSQLDatabase,
  { owner }: Pick<DatabaseObservation, 'owner'>,
  others: readonly string[],
): Adoption {
  const next = databaseSpec(managed).owner;
  const further = [
    ...(next === undefined || next === owner
      ? []
      : [
          `its owner becomes ${escapeIdentifier(next)} instead of ${escapeIdentifier(owner)}, ${advice.keepOwner}`,
        ]),
    ...(others.length === 0
      ? []
      : [`${others.map(escapeIdentifier).join(', ')} keep objects or privileges in it`]),
  ];
  const isOwnerWanted = !hasOwnRole(managed) && next === owner;
  return { ...databaseAdoption(managed, further), isOwnerWanted, owner: next };
}

/**
 * The role of another resource that has the name of a database's own one, and no database of ours: it owns the database
 * of the name, or there is none. It owns whatever the comment of the database says.
 */
export const otherRole = (
  managed: PostgreSQLDatabase,
  database: DatabaseObservation | undefined,
  role: Marked | undefined,
): Marked | undefined =>
  hasOwnRole(managed) &&
  roleOwnership.isOfOther(managed, role) &&
  // guard: otherwise our database counts as lost because a role of another resource took the name
  (database === undefined || database.owner === role.name)
    ? role
    : undefined;

/** The database, or its own role, that another resource has now under the name of a lost database that we managed. */
export function takenOf(
  managed: PostgreSQLDatabase,
  {
    database,
    role,
  }: { readonly database: DatabaseObservation | undefined; readonly role: Marked | undefined },
): Taken | undefined {
  if (!wasOurs(managed) || isObserver(managed)) return undefined;
  const other = otherRole(managed, database, role);
  if (other !== undefined) return { kind: 'role', namesake: other };
  return databaseOwnership.isOfOther(managed, database)
    ? { kind: 'database', namesake: database }
    : undefined;
}

/** A database that exists. `role` is its own owner role, if it should have one and has it. */
export interface Found {
  readonly database: DatabaseObservation;
  readonly role: RoleObservation | undefined;
  /** Its own role has another name now. */
  readonly renamedRole?: Renamed | undefined;
  /** The server refuses the previous password of the role. */
  readonly isLockedOut: boolean;
  /** Major version of the server. */
  readonly serverVersion: number;
}

/** The observation of a database. */
export function observationOf(managed: PostgreSQLDatabase, found: Found): Observation {
  const { database, role, renamedRole: lost, serverVersion } = found;
  const { owner, encoding, lcCollate, lcCType, localeProvider } = database;
  const facts = { owner, encoding, lcCollate, lcCType };
  // Most databases have libc. It is left out, so that an upgrade writes no status.
  const isOther = localeProvider !== 'libc' || managed.status?.localeProvider !== undefined;
  const provider = isOther ? { localeProvider } : {};
  const status = { ...facts, ...provider, engineVersion: String(serverVersion) };
  if (isObserver(managed)) {
    const ready = openness(database) ?? available();
    const lateInitialized = localeProvider === 'libc' ? facts : { owner, encoding };
    return { exists: true, isUpToDate: true, ready, status, lateInitialized };
  }
  const { changed, immutable } = databaseDrift(database, databaseSpec(managed));
  // Others are not in the spec, such as the rights of PUBLIC.
  const edited = [...changed, ...immutable].filter((field) => Object.hasOwn(managed.spec.forProvider, field));
  const differing = [
    ...changed,
    ...immutable,
    ...markDifference(managed, database),
    ...(hasOwnRole(managed) ? roleDifference(managed, role) : []),
  ];
  return {
    exists: true,
    isUpToDate: differing.length === 0,
    ready: lost === undefined ? readyOf(managed, found) : renamed(lost.message, lost.by && { by: lost.by }),
    // guard: otherwise a second role is created beside the one that a user renamed, and cannot use its objects
    ...(lost !== undefined && { unchangeable: lost.message }),
    status,
    ...(differing.length === 0 ? {} : { difference: differing.join(', ') }),
    ...(edited.length === 0 ? {} : { differing: edited.map((field) => `spec.forProvider.${field}`) }),
  };
}

const roleDifference = (managed: PostgreSQLDatabase, role: RoleObservation | undefined): readonly string[] =>
  role === undefined
    ? ['role']
    : [...roleDrift(role, ownRoleSpec(managed)), ...markDifference(managed, role)].map(
        (field) => `role ${field}`,
      );

/** Why no user can connect to the database. `forProvider`: the spec that the controllers apply to it. */
function openness(
  { allowConnections, connectionLimit }: DatabaseObservation,
  forProvider: PostgreSQLDatabase['spec']['forProvider'] = {},
): ReadyFacts | undefined {
  if (!allowConnections) {
    const isWanted = forProvider.allowConnections === false;
    return unavailable(`the database does not allow connections${fixedIn('allowConnections', isWanted)}`);
  }
  return connectionLimit === 0
    ? unavailable(`the database allows no connections: its connection limit is 0${limitFix(forProvider)}`)
    : undefined;
}

/** Whether the own role, which has the name of the database, may connect. */
const isOpenToRole = ({ name, owner, isOpenToOwner, isOpenToPublic }: DatabaseObservation): boolean =>
  owner === name ? isOpenToOwner : isOpenToPublic;

function readyOf(managed: PostgreSQLDatabase, { database, role, isLockedOut }: Found): ReadyFacts {
  const closed = openness(database, managed.spec.forProvider);
  if (closed !== undefined) return closed;
  if (!hasOwnRole(managed)) return available();
  if (role === undefined) return unavailable('the role of the database does not exist');
  if (!role.login) return unavailable('the role of the database may not log in');
  if (role.connectionLimit === 0)
    return unavailable(
      `the role of the database may not connect: its connection limit is 0${limitFix(managed.spec.forProvider)}`,
    );
  if (!isOpenToRole(database)) return unavailable('the role of the database has no right to connect to it');
  return isLockedOut ? refusesPassword('role') : available();
}

/** The provider of the locale, if it is another than the one of the field. */
const providerOf = ({ localeProvider }: DatabaseObservation, field: string): string =>
  field === 'encoding' || localeProvider === 'libc' ? '' : ` of provider ${localeProvider}`;

/** Throws a ChangeRefused that names the differences that PostgreSQL cannot change, with the current and the wanted values. */
export function checkImmutable(managed: PostgreSQLDatabase, database: DatabaseObservation): void {
  const { forProvider } = managed.spec;
  const changes = databaseDrift(database, databaseSpec(managed)).immutable.map(
    (field) =>
      `spec.forProvider.${field} from "${database[field]}"${providerOf(database, field)} to "${forProvider[field]}"`,
  );
  if (changes.length === 0) return;
  throw new ChangeRefused([
    `cannot change ${changes.join(' and ')}: PostgreSQL sets it at creation only; ${coreAdvice.undoEdit}`,
  ]);
}
