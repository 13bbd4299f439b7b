import type { DetailsOf } from '../../../package/schema.ts';
import type { DesiredCredential, ExternalClient, Observation } from '../../../package/stack.ts';
import {
  accountPassword,
  changing,
  deleting,
  invalid,
  isLockedOut,
  isObserver,
  nameOf,
  ownAccountAdoption,
  ownerIdOf,
  wasDeleted,
  wasOurs,
} from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import type { RoleObservation } from '../client/role.ts';
import { connectionDetails } from '../connection-details.ts';
import type { PostgreSQLDatabase } from '../kinds/v1alpha1/postgresql-database.ts';
import { databaseOwnership, roleOwnership } from '../ownership.ts';
import { observedElsewhere, observedTaken, renamedParts } from '../renamed.ts';
import type { ServerConnection } from '../server-connection.ts';
import type { Found } from './desired-state.ts';
import {
  adoptionOf,
  checkImmutable,
  databaseSpec,
  hasOwnRole,
  observationOf,
  ownRoleSpec,
  takenOf,
} from './desired-state.ts';
import { checkEngineVersion } from './engine-version.ts';
import { isAnythingLeft, remainsOf, removeAll } from './leftovers.ts';
import { partsOf } from './parts.ts';

/** The user and the password of the connection Secret: of the own role, or those that a person gave for an observed database. */
function loginOf(managed: PostgreSQLDatabase, credential: DesiredCredential | undefined) {
  const { username, value: password } = credential ?? {};
  if (isObserver(managed)) return username === undefined ? {} : { username, password };
  return hasOwnRole(managed) ? { username: nameOf(managed), password } : {};
}

/**
 * Databases of a server, for one run, each with a role of its own unless an owner is named. Names are known before the
 * creation. The role is created first, so that the remains of an interrupted creation are found.
 */
export function postgreSQLDatabaseClient({
  server,
  credentials,
  survey,
  checks,
  holderOf,
}: ServerConnection): ExternalClient<PostgreSQLDatabase> {
  const { databases, roles } = server;
  const place = { databases, roles, administrator: credentials.username };
  const password = accountPassword({ accounts: roles, checks });

  const detailsOf = (
    managed: PostgreSQLDatabase,
    credential: DesiredCredential | undefined,
  ): DetailsOf<PostgreSQLDatabase> => {
    const database = nameOf(managed);
    return { ...connectionDetails(credentials, { database, ...loginOf(managed, credential) }), database };
  };

  return {
    async observe(managed, credential, signal) {
      if (wasDeleted(managed)) return observeDeleted(managed, signal);
      checkNames(managed);
      const name = nameOf(managed);
      const withExtensions = (managed.spec.forProvider.extensions ?? []).length > 0;
      const database = await databases.observe(name, { withExtensions, signal });
      const isForeign = !isObserver(managed) && !databaseOwnership.isOurs(managed, database);
      if (isForeign) databaseOwnership.checkNewExternalName(managed);
      const isRoleWanted = hasOwnRole(managed) && !isObserver(managed);
      const mayHaveRole = isRoleWanted && (database !== undefined || wasOurs(managed));
      const role = mayHaveRole ? await roles.observe(name, { signal }) : undefined;
      const parts = await partsOf(server, managed, { database, role }, signal);
      const renamed = await renamedParts(parts, name, {
        holderOf,
        spareName: () => server.spareName(name, signal),
      });
      if (role !== undefined && !roleOwnership.isOurs(managed, role)) password.doubt(managed);
      const [own] = parts;
      // guard: otherwise another database of that name gets the role, or a statement gives it to this resource without the data
      if (own !== undefined && renamed?.kinds.includes('database'))
        return observedElsewhere(managed, own, renamed);
      if (database !== undefined && own?.own === name && renamed !== undefined) {
        const found = { database, role: undefined, renamedRole: renamed, isLockedOut: false };
        return observePresent(managed, credential, found, signal);
      }
      const taken = takenOf(managed, { database, role });
      // guard: otherwise a database of another resource is reported as this one's, with a statement that gives it to this one
      if (taken !== undefined) return observedTaken('database', taken, holderOf);
      if (database === undefined) return { exists: false, isUpToDate: false };
      // The mark of the role decides whose the database is.
      if (role !== undefined && wasOurs(managed)) roleOwnership.checkMayManage(managed, role);
      // A user who adopts the database has to know who else is in it.
      const others = isForeign ? await databases.usersOf(name, { signal }) : [];
      databaseOwnership.checkMayManage(managed, database, adoptionOf(managed, database, others));
      if (database.isInvalid) return { exists: false, isUpToDate: false }; // left by an interrupted DROP DATABASE
      if (!isObserver(managed)) await survey.refresh(signal);

      if (role !== undefined) roleOwnership.checkMayManage(managed, role, ownAccountAdoption(managed));
      const verdict = await verdictOn(managed, role, credential, signal);
      const found = { database, role, isLockedOut: isLockedOut(credential, verdict) };
      return {
        ...(await observePresent(managed, credential, found, signal)),
        ...(verdict && { credential: verdict }),
        ...databaseOwnership.ownedByAnother(managed, database),
      };
    },

    async create(managed, credential, signal) {
      checkEngineVersion(managed.spec.forProvider.engineVersion, {
        version: await server.serverVersion(signal),
        address: `${credentials.endpoint}:${credentials.port}`,
      });
      const spec = databaseSpec(managed);
      if (spec.owner === undefined) {
        throw invalid(
          `spec.forProvider.ownerRef and ownerSelector are not resolved; ${advice.setOwner}`,
          changing('owner'),
        );
      }
      await survey.prepare(signal);
      const rights = ['CREATEDB', ...(hasOwnRole(managed) ? (['CREATEROLE'] as const) : [])] as const;
      const isExisting = await server.requiring(rights, signal, async () => {
        const role = await ensureRole(managed, credential, signal);
        // guard: otherwise a database has no owner
        await databases.create(nameOf(managed), spec, { ownerId: ownerIdOf(managed), signal });
        return role === 'existing';
      });
      return { details: detailsOf(managed, credential), ...(isExisting && { isExisting }) };
    },

    async update(managed, credential, signal) {
      await survey.prepare(signal);
      const [name, ownerId] = [nameOf(managed), ownerIdOf(managed)];
      const role = await ensureRole(managed, credential, signal);
      // The password is sent alone: a session that knows the previous password may block changes of the database. The
      // other changes follow.
      if (role === 'new') return {};
      if (role === 'existing' && (await password.set(managed, credential, signal))) return {};
      await databases.update(name, databaseSpec(managed), { ownerId, signal });
      const database = await databases.observe(name, { signal });
      if (database !== undefined) checkImmutable(managed, database);
      return {};
    },

    plannedDetails: detailsOf,

    delete: (managed, signal) => removeAll(place, managed, signal),
  };

  async function observeDeleted(
    managed: PostgreSQLDatabase,
    signal: AbortSignal,
  ): Promise<Observation<PostgreSQLDatabase>> {
    const exists = await isAnythingLeft(place, managed, signal);
    const remains = exists ? undefined : await remainsOf(place, managed, signal);
    return { exists, isUpToDate: true, ready: deleting(), ...(remains !== undefined && { remains }) };
  }

  /** Throws an Error if the external name, which its own role also gets, cannot be that of a new database. */
  function checkNames(managed: PostgreSQLDatabase): void {
    if (!isObserver(managed)) databaseOwnership.checkExternalName(managed);
    if (!hasOwnRole(managed)) return;
    if (!isObserver(managed)) roleOwnership.checkExternalName(managed);
    roleOwnership.checkNotAdministrator(managed, credentials.username);
  }

  /** Tests the password of the own role, or the login that a person gave for an observed database. */
  async function verdictOn(
    managed: PostgreSQLDatabase,
    role: RoleObservation | undefined,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Observation['credential']> {
    if (isObserver(managed)) return password.verdictOnGiven(managed, credential, signal);
    return role?.login ? password.verdictOn(managed, credential, signal) : undefined;
  }

  async function observePresent(
    managed: PostgreSQLDatabase,
    credential: DesiredCredential | undefined,
    found: Omit<Found, 'serverVersion'>,
    signal: AbortSignal,
  ): Promise<Observation<PostgreSQLDatabase>> {
    const serverVersion = await server.serverVersion(signal);
    return {
      ...observationOf(managed, { ...found, serverVersion }),
      details: detailsOf(managed, credential),
    };
  }

  /** Creates a database's own role, with the credential, or repairs it. Undefined if it has no role of its own. */
  async function ensureRole(
    managed: PostgreSQLDatabase,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<'new' | 'existing' | undefined> {
    if (!hasOwnRole(managed)) return undefined;
    const [name, ownerId] = [nameOf(managed), ownerIdOf(managed)];
    const role = await roles.observe(name, { signal });
    if (role !== undefined) {
      await roles.update(name, ownRoleSpec(managed), { ownerId, signal });
      return 'existing';
    }
    // Another owner may have created a database of that name since the observation: that database gets no role from us.
    const database = await databases.observe(name, { signal });
    if (database !== undefined) databaseOwnership.checkMayManage(managed, database);
    await roles.create(name, ownRoleSpec(managed), {
      ownerId,
      signal,
      ...(credential && { password: credential.value }),
    });
    password.wasCreatedWith(managed, credential);
    return 'new';
  }
}
