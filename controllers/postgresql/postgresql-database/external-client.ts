import { deleting } from '../../../apis/core/v1alpha1/condition.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { PostgreSQLDatabase } from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { PostgresqlError } from '../../../clients/postgresql/error.ts';
import type { PasswordRotations } from '../../author/password-rotations.ts';
import type { ExternalClient } from '../../core/managed/external-client.ts';
import { connectionDetails } from '../connection-details.ts';
import {
  checkExternalName,
  checkMayManage,
  checkNewExternalName,
  checkNotAdministrator,
  isObserver,
  isOurs,
  nameOf,
  ownerIdOf,
} from '../ownership.ts';
import type { PasswordChecks } from '../password-checks.ts';
import { rolePassword } from '../role-password.ts';
import type { ServerConnection } from '../server-connection.ts';
import {
  changeOfOwner,
  checkImmutable,
  databaseSpec,
  hasOwnRole,
  observationOf,
  ownRoleSpec,
} from './desired-state.ts';
import { checkEngineVersion } from './engine-version.ts';
import { isAnythingLeft, removeAll } from './leftovers.ts';

export interface PostgreSQLDatabaseOptions extends ServerConnection {
  readonly checks: PasswordChecks;
  readonly rotations: PasswordRotations;
  /** Yields a new one at each call. */
  readonly generatePassword: () => string;
}

/**
 * Databases of a server, for one run, each with a role of its own unless an owner is named. Names are known
 * before anything is created: the role first, so that what an interrupted creation leaves behind is found.
 */
export function postgreSQLDatabaseClient({
  server,
  credentials,
  closing,
  checks,
  rotations,
  generatePassword,
}: PostgreSQLDatabaseOptions): ExternalClient<PostgreSQLDatabase> {
  const { databases, roles } = server;
  const password = rolePassword({ roles, checks, rotations, generatePassword });

  const detailsOf = (managed: PostgreSQLDatabase, text: string | undefined): ConnectionDetails =>
    connectionDetails(credentials, {
      database: nameOf(managed),
      ...(hasOwnRole(managed) && !isObserver(managed) ? { username: nameOf(managed), password: text } : {}),
    });

  return {
    async observe(managed, known, signal) {
      if (wasDeleted(managed)) {
        const exists = await isAnythingLeft(server, managed, signal);
        return { exists, isUpToDate: true, ready: deleting() };
      }
      if (!isObserver(managed)) checkExternalName(managed, 'database');
      if (hasOwnRole(managed)) checkNotAdministrator(managed, credentials);
      const name = nameOf(managed);
      const withExtensions = (managed.spec.forProvider.extensions ?? []).length > 0;
      const database = await databases.observe(name, { withExtensions, signal });
      if (!isObserver(managed) && !isOurs(managed, database)) checkNewExternalName(managed, 'database');
      if (database === undefined) return { exists: false, isUpToDate: false };
      checkMayManage(managed, 'database', database, changeOfOwner(managed, database));
      if (database.isInvalid) return { exists: false, isUpToDate: false }; // left by an interrupted DROP DATABASE
      if (!isObserver(managed)) await closing.keepUp(signal);

      const role =
        hasOwnRole(managed) && !isObserver(managed) ? await roles.observe(name, { signal }) : undefined;
      if (role !== undefined) checkMayManage(managed, 'role', role);
      const need = role?.login ? await password.need(managed, known, signal) : undefined;
      const serverVersion = await server.serverVersion(signal);
      const observed = observationOf(managed, { database, role, need, serverVersion });
      return {
        ...observed,
        details: detailsOf(managed, known.password),
        status: { ...observed.status, ...password.rotation(managed) },
      };
    },

    async create(managed, known, signal) {
      checkEngineVersion(managed.spec.forProvider.engineVersion, {
        version: await server.serverVersion(signal),
        address: `${credentials.endpoint}:${credentials.port}`,
      });
      const spec = databaseSpec(managed);
      if (spec.owner === undefined) {
        throw new Error('spec.forProvider.ownerRef and ownerSelector are not resolved; set owner');
      }
      await closing.prepare(signal);
      const initial = await ensureRole(managed, known, signal);
      await databases.create(nameOf(managed), spec, { ownerId: ownerIdOf(managed), signal });
      // Last, so that no attempt of those that the server refuses sets one that nobody gets to know.
      const fresh = initial ?? (await renewed(managed, known, signal));
      return { details: detailsOf(managed, fresh ?? known.password) };
    },

    async update(managed, known, signal) {
      await closing.prepare(signal);
      const [name, ownerId] = [nameOf(managed), ownerIdOf(managed)];
      const initial = await ensureRole(managed, known, signal);
      // A session of whoever knows the password may hold the database: that must not keep the password from renewal.
      const repair = databases.update(name, databaseSpec(managed), { ownerId, signal });
      const failure = await repair.then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof PostgresqlError && error.isRetryable) return error;
          throw error;
        },
      );
      // Last, because a new password must get out of here; what cannot be changed is reported the next time.
      const fresh = initial ?? (await renewed(managed, known, signal));
      if (fresh !== undefined) return { details: detailsOf(managed, fresh) };
      if (failure !== undefined) throw failure;
      const database = await databases.observe(name, { signal });
      if (database !== undefined) checkImmutable(managed, database);
      return {};
    },

    delete: (managed, signal) => removeAll(server, managed, signal),
  };

  /** Makes a database's own role, or repairs it; the password of one that it made. */
  async function ensureRole(
    managed: PostgreSQLDatabase,
    known: ConnectionDetails,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (!hasOwnRole(managed)) return undefined;
    const [name, ownerId] = [nameOf(managed), ownerIdOf(managed)];
    const role = await roles.observe(name, { signal });
    if (role !== undefined) {
      await roles.update(name, ownRoleSpec(managed), { ownerId, signal });
      return undefined;
    }
    // Since it was looked at the name may have become somebody else's: that database gets no role from us.
    const database = await databases.observe(name, { signal });
    if (database !== undefined) checkMayManage(managed, 'database', database);
    const initial = password.initial(managed, known);
    await roles.create(name, ownRoleSpec(managed), {
      ownerId,
      signal,
      ...(initial === undefined ? {} : { password: initial }),
    });
    password.wasSet(managed, initial);
    return initial;
  }

  /** A new password of a database's own role, if it needs one. */
  async function renewed(
    managed: PostgreSQLDatabase,
    known: ConnectionDetails,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (!hasOwnRole(managed)) return undefined;
    const need = await password.need(managed, known, signal);
    return need && password.renew(managed, signal);
  }
}
