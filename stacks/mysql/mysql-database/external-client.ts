import type { DetailsOf } from '../../../package/schema.ts';
import type { DesiredCredential, ExternalClient, Observation } from '../../../package/stack.ts';
import {
  accountPassword,
  deleting,
  isLockedOut,
  isObserver,
  nameOf,
  ownAccountAdoption,
  ownerIdOf,
  wasDeleted,
} from '../../../package/stack.ts';
import type { UserObservation } from '../client/user-spec.ts';
import { connectionDetails } from '../connection-details.ts';
import type { MySQLDatabase } from '../kinds/v1alpha1/mysql-database.ts';
import { databaseOwnership, userOwnership } from '../ownership.ts';
import { checkNoOtherWins, isDoubtful } from '../password-doubts.ts';
import { endPreviousOwner, waitsForPreviousOwner } from '../previous-owner.ts';
import type { ServerConnection } from '../server-connection.ts';
import { adoptionOf, databaseSpec, observationOf } from './desired-state.ts';
import { checkServer } from './engine-version.ts';
import { isAnythingLeft, remainsOf, removeAll } from './leftovers.ts';

/** The external name is that of both. */
const parts = [databaseOwnership, userOwnership];

/**
 * Databases of a server, for one run, each with a user of its own. Names are known before the creation. Marks are written
 * first, so that the remains of an interrupted creation are found.
 */
export function mySQLDatabaseClient({
  server,
  credentials,
  survey,
  checks,
  holderOf,
}: ServerConnection): ExternalClient<MySQLDatabase> {
  const { databases, users } = server;
  const password = accountPassword({ accounts: users, checks });

  /** With the user and the password of the own user, or those that a person gave for an observed database. */
  const detailsOf = (
    managed: MySQLDatabase,
    credential: DesiredCredential | undefined,
  ): DetailsOf<MySQLDatabase> => {
    const database = nameOf(managed);
    const username = isObserver(managed) ? credential?.username : database;
    const login = { ...(username !== undefined && { username, password: credential?.value }), database };
    const { tls } = managed.spec.forProvider;
    return { ...connectionDetails(credentials, { ...login, tls }), database };
  };

  /** Whether the password works. Undefined: it is not known, or it must not count yet. */
  const verdictOn = async (
    managed: MySQLDatabase,
    user: UserObservation | undefined,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Observation['credential']> => {
    if (isObserver(managed)) return password.verdictOnGiven(managed, credential, signal);
    if (user === undefined) return undefined;
    // guard: otherwise a session of the previous owner reads the data of the next one
    if (await waitsForPreviousOwner(users, managed, credential, signal)) return undefined;
    return password.verdictOn(managed, credential, signal);
  };

  const observeDeleted = async (
    managed: MySQLDatabase,
    signal: AbortSignal,
  ): Promise<Observation<MySQLDatabase>> => {
    const exists = await isAnythingLeft(server, managed, signal);
    const remains = exists ? undefined : await remainsOf(server, managed, signal);
    return { exists, isUpToDate: true, ready: deleting(), ...(remains !== undefined && { remains }) };
  };

  return {
    async observe(managed, credential, signal) {
      if (wasDeleted(managed)) return observeDeleted(managed, signal);
      if (!isObserver(managed)) for (const part of parts) part.checkExternalName(managed);
      userOwnership.checkNotAdministrator(managed, credentials.username);
      const name = nameOf(managed);
      const observed = await databases.observe(name, { signal });
      const { database, user } = observed;
      const isForeign = !isObserver(managed) && !databaseOwnership.isOurs(managed, database);
      if (isForeign) for (const part of parts) part.checkNewExternalName(managed);
      const isUserDoubtful = user !== undefined && isDoubtful(user);
      const isUserForeign = user !== undefined && !userOwnership.isOurs(managed, user);
      if (isUserDoubtful || isUserForeign) password.doubt(managed);
      const taken =
        databaseOwnership.observedTaken(managed, database, { holderOf }) ??
        userOwnership.observedTaken(managed, user, { holderOf, own: 'database' });
      if (taken !== undefined) return taken;
      if (database === undefined) return { exists: false, isUpToDate: false };
      // A user who adopts the database has to know who else may use it.
      const others = isForeign ? await databases.usersOf(name, { signal }) : [];
      databaseOwnership.checkMayManage(managed, database, adoptionOf(managed, others));
      if (user !== undefined) userOwnership.checkMayManage(managed, user, ownAccountAdoption(managed));
      if (!isObserver(managed)) await survey.refresh(signal);
      const verdict = await verdictOn(managed, user, credential, signal);
      const facts = await server.facts(signal);
      const isShutOut = isLockedOut(credential, verdict, isUserDoubtful);
      const found = { ...observed, database, facts, isLockedOut: isShutOut };
      return {
        ...observationOf(managed, found),
        ...(verdict && { credential: verdict }),
        details: detailsOf(managed, credential),
        ...databaseOwnership.ownedByAnother(managed, database),
      };
    },

    async create(managed, credential, signal) {
      const address = `${credentials.endpoint}:${credentials.port}`;
      checkServer(managed, { ...(await server.facts(signal)), address });
      const { user } = await databases.observe(nameOf(managed), { signal });
      if (user !== undefined) userOwnership.checkMayManage(managed, user, ownAccountAdoption(managed));
      await survey.prepare(signal);
      await apply('create', managed, credential, signal);
      password.wasCreatedWith(managed, credential);
      return { details: detailsOf(managed, credential) };
    },

    async update(managed, credential, signal) {
      await survey.prepare(signal);
      const { user } = await databases.observe(nameOf(managed), { signal });
      // The password is sent alone, so that a change that is refused or blocked does not delay it. The others follow.
      if (user !== undefined && (await password.set(managed, credential, signal))) {
        const { onDelete } = managed.spec.forProvider;
        await endPreviousOwner(users, managed, { onDelete, signal });
        if (credential !== undefined) await checkNoOtherWins(users, user, credential.value, signal);
        return {};
      }
      await apply('update', managed, credential, signal);
      if (user === undefined) password.wasCreatedWith(managed, credential);
      return {};
    },

    plannedDetails: detailsOf,

    delete: (managed, signal) => removeAll(server, managed, signal),
  };

  /** Creates or repairs the database and its user. A new user, or one with another plugin, gets the credential. */
  async function apply(
    call: 'create' | 'update',
    managed: MySQLDatabase,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    await databases[call](nameOf(managed), databaseSpec(managed), {
      ownerId: ownerIdOf(managed),
      signal,
      ...(credential && { password: credential.value }),
    });
  }
}
