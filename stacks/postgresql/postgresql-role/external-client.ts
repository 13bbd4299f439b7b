import type { DetailsOf } from '../../../package/schema.ts';
import type { DesiredCredential, ExternalClient, PasswordChecks } from '../../../package/stack.ts';
import {
  accountPassword,
  deleting,
  isLockedOut,
  isObserver,
  mayBeRenamed,
  nameOf,
  ownerIdOf,
  wasDeleted,
  wasOurs,
} from '../../../package/stack.ts';
import { connectionDetails } from '../connection-details.ts';
import type { PostgreSQLRole } from '../kinds/v1alpha1/postgresql-role.ts';
import {
  checkExternalName,
  checkMayManage,
  checkNewExternalName,
  checkNotTheAdministrator,
  hasUsableName,
  isOfOther,
  isOurs,
  ownedByAnother,
} from '../ownership.ts';
import { remaining } from '../remaining.ts';
import { observedElsewhere, observedTaken, renamedParts } from '../renamed.ts';
import type { ServerConnection } from '../server-connection.ts';
import { adoptionOf, observationOf, roleSpec } from './desired-state.ts';

export interface PostgreSQLRoleOptions extends ServerConnection {
  readonly checks: PasswordChecks;
}

/** Roles of a server, for one run. Their names are known before they are created. */
export function postgreSQLRoleClient({
  server,
  credentials,
  closing,
  checks,
  holderOf,
}: PostgreSQLRoleOptions): ExternalClient<PostgreSQLRole> {
  const { roles } = server;
  const password = accountPassword({ accounts: roles, checks });
  const detailsOf = (
    managed: PostgreSQLRole,
    credential: DesiredCredential | undefined,
  ): DetailsOf<PostgreSQLRole> =>
    connectionDetails(credentials, { username: nameOf(managed), password: credential?.value });

  return {
    async observe(managed, credential, signal) {
      const name = nameOf(managed);
      if (wasDeleted(managed)) {
        const exists =
          hasUsableName(managed, 'role') &&
          name !== credentials.username &&
          isOurs(managed, await roles.observe(name, { signal }));
        const remains = exists
          ? undefined
          : await remaining(managed, roles, { databases: [], hasRole: true, signal });
        return { exists, isUpToDate: true, ready: deleting(), ...(remains !== undefined && { remains }) };
      }
      if (!isObserver(managed)) checkExternalName(managed, 'role');
      checkNotTheAdministrator(managed, credentials);
      const role = await roles.observe(name, { signal });
      if (!isObserver(managed) && !isOurs(managed, role)) checkNewExternalName(managed, 'role');
      if (!isOurs(managed, role) && mayBeRenamed(managed)) {
        const own = await roles.renamed(ownerIdOf(managed), { signal });
        const part = { kind: 'role', own, namesake: role } as const;
        const spareName = () => server.spareName(name, signal);
        const renamed = await renamedParts([part], name, { holderOf, spareName });
        if (renamed !== undefined) return observedElsewhere(managed, part, renamed);
      }
      // guard: otherwise a role of another resource is reported as this one's, with a statement that gives it to this one
      if (wasOurs(managed) && !isObserver(managed) && isOfOther(managed, role))
        return observedTaken('role', { kind: 'role', namesake: role }, holderOf);
      if (role === undefined) return { exists: false, isUpToDate: false };
      if (!isOurs(managed, role)) password.doubt(managed);
      checkMayManage(managed, 'role', role, adoptionOf(managed));
      if (!isObserver(managed)) await closing.keepUp(signal);
      const verdict = role.login ? await password.verdictOn(managed, credential, signal) : undefined;
      return {
        ...observationOf(managed, { role, isLockedOut: isLockedOut(credential, verdict) }),
        ...(verdict && { credential: verdict }),
        details: {
          ...detailsOf(managed, credential),
          // A role that may no longer log in does not need the published details.
          ...(managed.spec.forProvider.login !== true && !isObserver(managed) && { uri: null }),
        },
        ...ownedByAnother(managed, role),
      };
    },

    async create(managed, credential, signal) {
      await closing.prepare(signal);
      const ownerId = ownerIdOf(managed);
      await server.requiring(['CREATEROLE'], signal, () =>
        roles.create(nameOf(managed), roleSpec(managed), {
          ownerId,
          signal,
          ...(credential && { password: credential.value }),
        }),
      );
      password.wasCreatedWith(managed, credential);
      return { details: detailsOf(managed, credential) };
    },

    async update(managed, credential, signal) {
      await closing.prepare(signal);
      // The password is sent alone, so that another refused change does not block it. The other changes follow.
      if (await password.set(managed, credential, signal)) return {};
      await roles.update(nameOf(managed), roleSpec(managed), { ownerId: ownerIdOf(managed), signal });
      return {};
    },

    plannedDetails: detailsOf,

    async delete(managed, signal) {
      const name = nameOf(managed);
      if (!isOurs(managed, await roles.observe(name, { signal }))) return;
      await roles.drop(name, { ownerId: ownerIdOf(managed), signal });
    },
  };
}
