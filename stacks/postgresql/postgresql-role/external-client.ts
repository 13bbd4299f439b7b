import type { ExternalClient } from '../../../package/stack.ts';
import { accountOn, isObserver, mayBeRenamed, nameOf, ownerIdOf } from '../../../package/stack.ts';
import type { RoleObservation, RoleSpec } from '../client/role.ts';
import { connectionDetails } from '../connection-details.ts';
import type { PostgreSQLRole } from '../kinds/v1alpha1/postgresql-role.ts';
import { roleOwnership } from '../ownership.ts';
import { remaining } from '../remaining.ts';
import { observedElsewhere, renamedParts } from '../renamed.ts';
import type { ServerConnection } from '../server-connection.ts';
import { observationOf, roleSpec } from './desired-state.ts';

/** Roles of a server, for one run. */
export const postgreSQLRoleClient = ({
  server,
  credentials,
  ...shared
}: ServerConnection): ExternalClient<PostgreSQLRole> => {
  const { roles } = server;
  return accountOn<PostgreSQLRole, RoleSpec, RoleObservation>({
    ...shared,
    accounts: {
      ...roles,
      create: (name, spec, options) =>
        server.requiring(['CREATEROLE'], options.signal, () => roles.create(name, spec, options)),
    },
    ownership: roleOwnership,
    administrator: credentials.username,
    spec: roleSpec,
    observationOf,
    detailsOf: (managed, credential) => ({
      ...connectionDetails(credentials, { username: nameOf(managed), password: credential?.value }),
      // A role that may no longer log in does not need the published details.
      ...(managed.spec.forProvider.login !== true && !isObserver(managed) && { uri: null }),
    }),
    async elsewhere(managed, namesake, signal) {
      if (!mayBeRenamed(managed)) return undefined;
      const name = nameOf(managed);
      const own = await roles.renamed(ownerIdOf(managed), { signal });
      const part = { kind: 'role', own, namesake } as const;
      const spareName = () => server.spareName(name, signal);
      const renamed = await renamedParts([part], name, { holderOf: shared.holderOf, spareName });
      return renamed && observedElsewhere(managed, part, renamed);
    },
    remains: (managed, _role, signal) => remaining(managed, roles, { databases: [], hasRole: true, signal }),
  });
};
