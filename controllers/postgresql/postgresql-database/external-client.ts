import { deleting } from '../../../apis/core/v1alpha1/condition.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { PostgreSQLDatabase } from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { databaseDrift } from '../../../clients/postgresql/database-spec.ts';
import { type RoleObservation, roleDrift } from '../../../clients/postgresql/role.ts';
import type { ExternalClient, Observation } from '../../core/managed/external-client.ts';
import { connectionDetails } from '../connection-details.ts';
import { checkExternalName, checkMayManage, isObserver, nameOf, ownerIdOf } from '../ownership.ts';
import type { PasswordChecks } from '../password-checks.ts';
import { type PasswordNeed, passwordFault, rolePassword } from '../role-password.ts';
import type { ServerConnection } from '../server-connection.ts';
import { checkImmutable, databaseReady, databaseSpec, ownershipOf, ownRoleSpec } from './desired-state.ts';
import { checkEngineVersion } from './engine-version.ts';
import { isAnythingLeft, removeAll } from './leftovers.ts';

export interface PostgreSQLDatabaseOptions extends ServerConnection {
  readonly checks: PasswordChecks;
  /** Yields a new one at each call. */
  readonly generatePassword: () => string;
}

/**
 * The database of one managed resource, during one pass, with a role of its own unless an owner is named. Names
 * are known before anything is created: the role first, so that whatever a creation leaves behind has an owner.
 */
export function postgreSQLDatabaseClient(
  managed: PostgreSQLDatabase,
  { server, credentials, checks, generatePassword }: PostgreSQLDatabaseOptions,
): ExternalClient<PostgreSQLDatabase> {
  const { databases, roles } = server;
  const name = nameOf(managed);
  const password = rolePassword({ roles, checks, generatePassword, roleName: name });
  const hasOwnRole = (database: PostgreSQLDatabase): boolean => ownershipOf(database).type === 'own';

  const detailsOf = (database: PostgreSQLDatabase, text: string | undefined): ConnectionDetails =>
    connectionDetails(credentials, {
      database: name,
      ...(hasOwnRole(database) && !isObserver(database) ? { username: name, password: text } : {}),
    });
  const serverVersion = async (signal: AbortSignal) => ({
    version: await server.serverVersion(signal),
    address: `${credentials.endpoint}:${credentials.port}`,
  });
  const createRole = async (
    database: PostgreSQLDatabase,
    known: ConnectionDetails,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    const initial = password.initial(database, known);
    await roles.create(name, ownRoleSpec, {
      ownerId: ownerIdOf(database),
      signal,
      ...(initial === undefined ? {} : { password: initial }),
    });
    password.wasSet(database, initial);
    return initial;
  };

  return {
    async observe(database, known, signal): Promise<Observation> {
      if (wasDeleted(database)) {
        const exists = await isAnythingLeft(server, database, signal);
        return { exists, isUpToDate: true, ready: deleting() };
      }
      if (!isObserver(database)) checkExternalName(database, 'database');
      const spec = databaseSpec(database);
      const withExtensions = (spec.extensions ?? []).length > 0;
      const found = await databases.observe(name, { withExtensions, signal });
      if (found === undefined) return { exists: false, isUpToDate: false };
      checkMayManage(database, 'database', found);
      if (found.isInvalid) return { exists: false, isUpToDate: false };

      const { encoding, lcCollate, lcCType, owner } = found;
      const { version } = await serverVersion(signal);
      const facts = { owner, encoding, lcCollate, lcCType };
      const ownership = ownershipOf(database);
      let role: RoleObservation | undefined;
      let need: PasswordNeed | undefined;
      const drift = databaseDrift(found, spec);
      const differing = [...drift.changed, ...drift.immutable];
      if (isObserver(database)) {
        return {
          exists: true,
          isUpToDate: true,
          ready: databaseReady({ database: found, ownership: { type: 'given', role: owner }, role, passwordFault: undefined }),
          details: detailsOf(database, undefined),
          status: { ...facts, engineVersion: String(version) },
          lateInitialized: facts,
        };
      }
      if (ownership.type === 'own') {
        role = await roles.observe(name, { signal });
        if (role !== undefined) checkMayManage(database, 'role', role);
        differing.push(...(role === undefined ? ['role'] : roleDrift(role, ownRoleSpec).map((field) => `role ${field}`)));
        need = role?.login ? await password.need(database, known, signal) : undefined;
        if (need !== undefined) differing.push('password');
      }
      return {
        exists: true,
        isUpToDate: differing.length === 0,
        ready: databaseReady({ database: found, ownership, role, passwordFault: passwordFault(need) }),
        details: detailsOf(database, known.password),
        status: { ...facts, engineVersion: String(version), ...password.rotation(database) },
        ...(differing.length === 0 ? {} : { difference: differing.join(', ') }),
      };
    },

    async create(database, known, signal) {
      checkEngineVersion(database.spec.forProvider.engineVersion, await serverVersion(signal));
      const spec = databaseSpec(database);
      if (spec.owner === undefined) {
        throw new Error('spec.forProvider.ownerRef and ownerSelector are not resolved; set owner');
      }
      const initial = hasOwnRole(database) ? await createRole(database, known, signal) : undefined;
      await databases.create(name, spec, { ownerId: ownerIdOf(database), signal });
      return { details: detailsOf(database, initial) };
    },

    async update(database, known, signal) {
      const ownerId = ownerIdOf(database);
      const spec = databaseSpec(database);
      let fresh: string | undefined;
      if (hasOwnRole(database)) {
        if ((await roles.observe(name, { signal })) === undefined) {
          fresh = await createRole(database, known, signal);
        } else {
          await roles.update(name, ownRoleSpec, { ownerId, signal });
        }
      }
      await databases.update(name, spec, { ownerId, signal });
      const found = await databases.observe(name, { signal });
      // Last, because a new password must get out of here; what cannot be changed is reported the next time.
      if (fresh === undefined && hasOwnRole(database)) {
        const need = await password.need(database, known, signal);
        if (need !== undefined) fresh = await password.renew(database, signal);
      }
      if (fresh !== undefined) return { details: detailsOf(database, fresh) };
      if (found !== undefined) checkImmutable(database, found, databaseDrift(found, spec).immutable);
      return {};
    },

    delete: (database, signal) => removeAll(server, database, signal),
  };
}
