import { deleting } from '../../../apis/core/v1alpha1/condition.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { PostgreSQLRole } from '../../../apis/postgresql/v1alpha1/postgresql-role.ts';
import type { PasswordRotations } from '../../author/password-rotations.ts';
import type { ExternalClient } from '../../core/managed/external-client.ts';
import { connectionDetails } from '../connection-details.ts';
import {
  checkExternalName,
  checkMayManage,
  checkNewExternalName,
  checkNotAdministrator,
  hasUsableName,
  isObserver,
  isOurs,
  nameOf,
  ownerIdOf,
} from '../ownership.ts';
import type { PasswordChecks } from '../password-checks.ts';
import { rolePassword } from '../role-password.ts';
import type { ServerConnection } from '../server-connection.ts';
import { observationOf, roleSpec } from './desired-state.ts';

export interface PostgreSQLRoleOptions extends ServerConnection {
  readonly checks: PasswordChecks;
  readonly rotations: PasswordRotations;
  /** Yields a new one at each call. */
  readonly generatePassword: () => string;
}

const noPassword = { password: null, uri: null } as const;

/** Roles of a server, for one run. Their names are known before they are created. */
export function postgreSQLRoleClient({
  server: { roles },
  credentials,
  closing,
  checks,
  rotations,
  generatePassword,
}: PostgreSQLRoleOptions): ExternalClient<PostgreSQLRole> {
  const password = rolePassword({ roles, checks, rotations, generatePassword });
  const detailsOf = (managed: PostgreSQLRole, text: string | undefined): ConnectionDetails =>
    connectionDetails(credentials, { username: nameOf(managed), password: text });

  return {
    async observe(managed, known, signal) {
      const name = nameOf(managed);
      if (wasDeleted(managed)) {
        const exists =
          hasUsableName(managed, 'role') &&
          name !== credentials.username &&
          isOurs(managed, await roles.observe(name, { signal }));
        return { exists, isUpToDate: true, ready: deleting() };
      }
      if (!isObserver(managed)) checkExternalName(managed, 'role');
      checkNotAdministrator(managed, credentials);
      const role = await roles.observe(name, { signal });
      if (!isObserver(managed) && !isOurs(managed, role)) checkNewExternalName(managed, 'role');
      if (role === undefined) return { exists: false, isUpToDate: false };
      checkMayManage(managed, 'role', role);
      if (!isObserver(managed)) await closing.keepUp(signal);
      const hasPassword = role.login && managed.spec.forProvider.login === true && !isObserver(managed);
      const need = hasPassword ? await password.need(managed, known, signal) : undefined;
      return {
        ...observationOf(managed, { role, need }),
        details: {
          ...detailsOf(managed, hasPassword ? known.password : undefined),
          // Who may not log in has no use for what was published while he might.
          ...(managed.spec.forProvider.login !== true && !isObserver(managed) && noPassword),
        },
        status: password.rotation(managed),
      };
    },

    async create(managed, known, signal) {
      await closing.prepare(signal);
      const spec = roleSpec(managed);
      const initial = spec.login ? password.initial(managed, known) : undefined;
      await roles.create(nameOf(managed), spec, {
        ownerId: ownerIdOf(managed),
        signal,
        ...(initial === undefined ? {} : { password: initial }),
      });
      password.wasSet(managed, initial);
      return { details: detailsOf(managed, initial) };
    },

    async update(managed, known, signal) {
      await closing.prepare(signal);
      const spec = roleSpec(managed);
      await roles.update(nameOf(managed), spec, { ownerId: ownerIdOf(managed), signal });
      // Last: a new password must get out of here.
      const need = spec.login ? await password.need(managed, known, signal) : undefined;
      if (need === undefined) return {};
      return { details: detailsOf(managed, await password.renew(managed, signal)) };
    },

    async delete(managed, signal) {
      const name = nameOf(managed);
      if (!isOurs(managed, await roles.observe(name, { signal }))) return;
      await roles.drop(name, { ownerId: ownerIdOf(managed), signal });
    },
  };
}
