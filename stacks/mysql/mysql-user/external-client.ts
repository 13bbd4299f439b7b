import type { DetailsOf } from '../../../package/schema.ts';
import type {
  DesiredCredential,
  ExternalClient,
  Observation,
  PasswordChecks,
} from '../../../package/stack.ts';
import {
  accountPassword,
  deleting,
  isObserver,
  nameOf,
  observedTaken,
  ownerIdOf,
  wasDeleted,
  wasOurs,
} from '../../../package/stack.ts';
import { quotedName } from '../client/text.ts';
import { connectionDetails } from '../connection-details.ts';
import type { MySQLUser } from '../kinds/v1alpha1/mysql-user.ts';
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
import { checkNoneWins, isDoubtful, isShutOut } from '../password-doubts.ts';
import type { ServerConnection } from '../server-connection.ts';
import { userSpec } from '../user-spec.ts';
import { adoptionOf, observationOf } from './desired-state.ts';

export interface MySQLUserOptions extends ServerConnection {
  readonly checks: PasswordChecks;
}

/** Users of a server, for one run. Their names are known before they are created. */
export function mySQLUserClient({
  server: { users },
  credentials,
  survey,
  checks,
  holderOf,
}: MySQLUserOptions): ExternalClient<MySQLUser> {
  const password = accountPassword({ accounts: users, checks });
  const detailsOf = (managed: MySQLUser, credential: DesiredCredential | undefined): DetailsOf<MySQLUser> => {
    const { tls } = managed.spec.forProvider;
    return connectionDetails(credentials, { username: nameOf(managed), password: credential?.value, tls });
  };

  const observeDeleted = async (managed: MySQLUser, signal: AbortSignal): Promise<Observation<MySQLUser>> => {
    const name = nameOf(managed);
    const isPossible = hasUsableName(managed, 'user') && name !== credentials.username;
    const user = isPossible ? await users.observe(name, { signal }) : undefined;
    const exists = isOurs(managed, user);
    const isUnmarked = user !== undefined && user.mark === undefined && wasOurs(managed);
    return {
      exists,
      isUpToDate: true,
      ready: deleting(),
      ...(isUnmarked && { remains: `user ${quotedName(name)}, which has no mark` }),
    };
  };

  return {
    async observe(managed, credential, signal) {
      if (wasDeleted(managed)) return observeDeleted(managed, signal);
      const name = nameOf(managed);
      if (!isObserver(managed)) checkExternalName(managed, 'user');
      checkNotTheAdministrator(managed, credentials);
      const user = await users.observe(name, { signal });
      if (!isObserver(managed) && !isOurs(managed, user)) checkNewExternalName(managed, 'user');
      // guard: otherwise a user of another resource is reported as this one's, with a statement that gives it to this one
      if (wasOurs(managed) && !isObserver(managed) && isOfOther(managed, user)) {
        const holder = user.mark === undefined ? undefined : holderOf(user.mark, name)?.what;
        return observedTaken('user', { kind: 'user', name: quotedName(name), holder });
      }
      if (user === undefined) return { exists: false, isUpToDate: false };
      if (isDoubtful(managed, user)) password.doubt(managed);
      checkMayManage(managed, user, adoptionOf(managed));
      if (!isObserver(managed)) await survey.keepUp(signal);
      const verdict = await password.verdictOn(managed, credential, signal);
      return {
        ...observationOf(managed, { user, isLockedOut: isShutOut(user, credential, verdict) }),
        ...(verdict && { credential: verdict }),
        details: detailsOf(managed, credential),
        ...ownedByAnother(managed, user),
      };
    },

    async create(managed, credential, signal) {
      await survey.prepare(signal);
      await users.create(nameOf(managed), userSpec(managed.spec.forProvider), {
        ownerId: ownerIdOf(managed),
        signal,
        ...(credential && { password: credential.value }),
      });
      password.wasCreatedWith(managed, credential);
      return { details: detailsOf(managed, credential) };
    },

    async update(managed, credential, signal) {
      await survey.prepare(signal);
      // The password is sent alone, so that another refused change does not block it. The other changes follow.
      if (await password.set(managed, credential, signal)) {
        const user = await users.observe(nameOf(managed), { signal });
        await checkNoneWins(users, user, credential, signal);
        return {};
      }
      await users.update(nameOf(managed), userSpec(managed.spec.forProvider), {
        ownerId: ownerIdOf(managed),
        signal,
        ...(credential && { password: credential.value }), // for another plugin
      });
      return {};
    },

    plannedDetails: detailsOf,

    async delete(managed, signal) {
      const name = nameOf(managed);
      if (!isOurs(managed, await users.observe(name, { signal }))) return;
      await users.drop(name, { ownerId: ownerIdOf(managed), terminateSessions: true, signal });
    },
  };
}
