import type { ExternalClient } from '../../../package/stack.ts';
import { accountOn, nameOf } from '../../../package/stack.ts';
import type { UserObservation, UserSpec } from '../client/user-spec.ts';
import { connectionDetails } from '../connection-details.ts';
import type { MySQLUser } from '../kinds/v1alpha1/mysql-user.ts';
import { userOwnership } from '../ownership.ts';
import { checkNoOtherWins, isDoubtful } from '../password-doubts.ts';
import type { ServerConnection } from '../server-connection.ts';
import { userSpec } from '../user-spec.ts';
import { observationOf } from './desired-state.ts';

/** Users of a server, for one run. */
export const mySQLUserClient = ({
  server: { users },
  credentials,
  ...shared
}: ServerConnection): ExternalClient<MySQLUser> =>
  accountOn<MySQLUser, UserSpec, UserObservation>({
    ...shared,
    accounts: {
      ...users,
      async setPassword(name, password, options) {
        await users.setPassword(name, password, options);
        await checkNoOtherWins(users, await users.observe(name, options), password, options.signal);
      },
      drop: (name, options) => users.drop(name, { ...options, terminateSessions: true }),
    },
    ownership: userOwnership,
    administrator: credentials.username,
    spec: ({ spec }) => userSpec(spec.forProvider),
    observationOf,
    detailsOf(managed, credential) {
      const { tls } = managed.spec.forProvider;
      return connectionDetails(credentials, { username: nameOf(managed), password: credential?.value, tls });
    },
    isDoubtful,
  });
