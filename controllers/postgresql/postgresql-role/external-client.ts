import { deleting } from '../../../apis/core/v1alpha1/condition.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { PostgreSQLRole } from '../../../apis/postgresql/v1alpha1/postgresql-role.ts';
import { roleDrift } from '../../../clients/postgresql/role.ts';
import { connectionDetails } from '../connection-details.ts';
import type { ExternalClient } from '../../core/managed/external-client.ts';
import { checkExternalName, checkMayManage, hasUsableName, isObserver, isOurs, nameOf, ownerIdOf } from '../ownership.ts';
import type { PasswordChecks } from '../password-checks.ts';
import { passwordFault, rolePassword } from '../role-password.ts';
import type { ServerConnection } from '../server-connection.ts';
import { roleReady, roleSpec } from './desired-state.ts';

export interface PostgreSQLRoleOptions extends ServerConnection {
  readonly checks: PasswordChecks;
  /** Yields a new one at each call. */
  readonly generatePassword: () => string;
}

/** The role of one managed resource, during one pass. Its name is known before it is created. */
export function postgreSQLRoleClient(
  managed: PostgreSQLRole,
  { server: { roles }, credentials, checks, generatePassword }: PostgreSQLRoleOptions,
): ExternalClient<PostgreSQLRole> {
  const roleName = nameOf(managed);
  const password = rolePassword({ roles, checks, generatePassword, roleName });
  const needOf = async (...[role, known, signal]: Parameters<typeof password.need>) =>
    managed.spec.forProvider.login && !isObserver(role) ? password.need(role, known, signal) : undefined;
  const detailsOf = (text: string | undefined) =>
    connectionDetails(credentials, { username: roleName, password: text });

  return {
    async observe(role, known, signal) {
      if (wasDeleted(role)) {
        const isLeft = hasUsableName(role, 'role') && isOurs(role, await roles.observe(roleName, { signal }));
        return { exists: isLeft, isUpToDate: true, ready: deleting() };
      }
      if (!isObserver(role)) checkExternalName(role, 'role');
      const found = await roles.observe(roleName, { signal });
      if (found === undefined) return { exists: false, isUpToDate: false };
      checkMayManage(role, 'role', found);
      const drift = roleDrift(found, roleSpec(role));
      const need = found.login ? await needOf(role, known, signal) : undefined;
      const differing = [...drift, ...(need === undefined ? [] : ['password'])];
      return {
        exists: true,
        isUpToDate: differing.length === 0,
        ready: roleReady({
          mayLogIn: found.login,
          isWantedToLogIn: !isObserver(role) && role.spec.forProvider.login === true,
          passwordFault: passwordFault(need),
        }),
        details: detailsOf(found.login ? known.password : undefined),
        status: password.rotation(role),
        ...(differing.length === 0 ? {} : { difference: differing.join(', ') }),
      };
    },

    async create(role, known, signal) {
      const spec = roleSpec(role);
      const initial = spec.login ? password.initial(role, known) : undefined;
      await roles.create(roleName, spec, {
        ownerId: ownerIdOf(role),
        signal,
        ...(initial === undefined ? {} : { password: initial }),
      });
      password.wasSet(role, initial);
      return { details: detailsOf(initial) };
    },

    async update(role, known, signal) {
      await roles.update(roleName, roleSpec(role), { ownerId: ownerIdOf(role), signal });
      // Last: a new password must get out of here.
      const need = await needOf(role, known, signal);
      if (need === undefined) return {};
      return { details: detailsOf(await password.renew(role, signal)) };
    },

    async delete(role, signal) {
      if (!isOurs(role, await roles.observe(roleName, { signal }))) return;
      await roles.drop(roleName, { ownerId: ownerIdOf(role), signal });
    },
  };
}
