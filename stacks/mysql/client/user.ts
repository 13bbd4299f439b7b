import type { Definition, OwnPlace } from './definitions.ts';
import { definitionsOf } from './definitions.ts';
import { MysqlError } from './error.ts';
import type { Owned } from './mark.ts';
import { checkOurs, createMarkTable, removeMarks } from './mark.ts';
import { checkName, checkOwnName } from './name.ts';
import type { Plugin } from './password.ts';
import type { Session, UseSession } from './session.ts';
import { endSessions, sessionsOf, shutOut } from './sessions.ts';
import { quotedName } from './text.ts';
import { dropUser, knownPlugin, repairUser, setPassword } from './user-change.ts';
import { beginUser, checkNewUser } from './user-creation.ts';
import { readUser } from './user-read.ts';
import type { UserObservation, UserSpec } from './user-spec.ts';

/**
 * Users of one server, all of host `%`. We own a user if it has our mark (mark.ts). There are no transactions: each step
 * of a creation may be repeated.
 */
export interface Users {
  observe(name: string, options?: { readonly signal?: AbortSignal }): Promise<UserObservation | undefined>;
  /**
   * In this order: the mark, the user (locked), its privileges, unlock. Afterwards the user is as in `spec` and has the
   * password, also if it existed before. Throws `NotOurs`, also for a user of the same name at another host, and `Invalid`.
   */
  create(name: string, spec: UserSpec, options: Owned & { readonly password?: string }): Promise<void>;
  /**
   * Repairs the drift that `userDrift` lists. Another plugin is set only with `password`, which stays the user's. Throws
   * `NotFound`, `NotOurs`.
   */
  update(name: string, spec: UserSpec, options: Owned & { readonly password?: string }): Promise<void>;
  /**
   * Ends no sessions. The plugin stays, unless another is given. Throws `NotFound`, `NotOurs`, and `Invalid` if a policy of
   * the server refuses the password.
   */
  setPassword(
    name: string,
    password: string,
    options: Owned & { readonly plugin?: Plugin | undefined },
  ): Promise<void>;
  /**
   * Whether the password is the user's, tested by a login. A password that cannot be tested counts as right: of a locked
   * user, at a limit of connections, or with ed25519 and another length than 32 bytes.
   */
  checkPassword(
    name: string,
    password: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean>;
  /** The number of its open sessions. Throws `Forbidden` without PROCESS. */
  countSessions(name: string, options?: { readonly signal?: AbortSignal }): Promise<number>;
  /** Ends its sessions and returns how many there were. Throws `Forbidden` without PROCESS and CONNECTION ADMIN. */
  endSessions(name: string, options: Owned): Promise<number>;
  /**
   * No error if it was dropped before. `terminateSessions`: ends its sessions; otherwise throws `InUse` (retryable) while
   * there are some. Throws `NotOurs`. The mark goes last.
   */
  drop(name: string, options: Owned & { readonly terminateSessions: boolean }): Promise<void>;
  /**
   * Views, routines, triggers and events that run with the rights of the user, sorted; at most ten. They stay when the user
   * is dropped, and work again for the next user of that name.
   */
  definedBy(
    name: string,
    options?: OwnPlace & { readonly signal?: AbortSignal },
  ): Promise<readonly Definition[]>;
}

export function users({
  withSession,
  tryLogin,
}: {
  readonly withSession: UseSession;
  /** See {@link TryLogin}. */
  readonly tryLogin: TryLogin;
}): Users {
  const ownUser = async (session: Session, name: string, ownerId: string): Promise<UserObservation> => {
    const found = await readUser(session, name);
    if (found === undefined)
      throw new MysqlError(`user ${quotedName(name)} does not exist`, { code: 'NotFound' });
    checkOurs(found, ownerId);
    return found;
  };

  return {
    async observe(name, { signal } = {}) {
      checkName('user', name);
      return withSession(signal, (session) => readUser(session, name));
    },

    async create(name, spec, { ownerId, password, signal }) {
      checkOwnName('user', name);
      await withSession(signal, async (session) => {
        await createMarkTable(session);
        const found = await readUser(session, name);
        if (found === undefined) await checkNewUser(session, name);
        else checkOurs(found, ownerId);
        const creation = await beginUser(session, { name, spec, ownerId, password, found });
        await creation.unlock();
      });
    },

    async update(name, spec, { ownerId, password, signal }) {
      checkOwnName('user', name);
      await withSession(signal, async (session) => {
        const found = await ownUser(session, name, ownerId);
        await repairUser(session, found, spec, password);
      });
    },

    async setPassword(name, password, { ownerId, plugin, signal }) {
      checkOwnName('user', name);
      await withSession(signal, async (session) => {
        const found = await ownUser(session, name, ownerId);
        await setPassword(session, name, { password, plugin: plugin ?? knownPlugin(found) });
      });
    },

    async checkPassword(name, password, { signal } = {}) {
      checkName('user', name);
      return isRightBy(await tryLogin(name, password, signal));
    },

    countSessions: async (name, { signal } = {}) =>
      (await withSession(signal, (session) => sessionsOf(session, { user: name }))).length,

    endSessions: (name, { ownerId, signal }) =>
      withSession(signal, async (session) => {
        await ownUser(session, name, ownerId);
        const { length } = await sessionsOf(session, { user: name });
        await endSessions(session, { user: name });
        return length;
      }),

    async drop(name, { ownerId, terminateSessions, signal }) {
      checkOwnName('user', name);
      await withSession(signal, async (session) => {
        const found = await readUser(session, name);
        if (found !== undefined) {
          checkOurs(found, ownerId);
          await shutOut(session, found, { terminateSessions });
          await dropUser(session, name);
        }
        await removeMarks(session, ['user'], name, ownerId);
      });
    },

    definedBy: (name, { signal, ...place } = {}) =>
      withSession(signal, (session) => definitionsOf(session, name, place)),
  };
}

/** The reason why the server refuses a session to a user. Undefined: it accepts. */
export type TryLogin = (
  username: string,
  password: string,
  signal: AbortSignal | undefined,
) => Promise<unknown>;

/** Whether a refusal shows that the password is right. Throws it if it does not show that. */
function isRightBy(refusal: unknown): boolean {
  if (refusal === undefined) return true;
  if (!(refusal instanceof MysqlError)) throw refusal;
  // The server sends these after it accepted the password: the user is locked, or at a limit of connections.
  if ([4151, 1203, 1226].includes(refusal.errno ?? 0)) return true;
  if (refusal.code !== 'AuthenticationFailed') throw refusal;
  return refusal.errno === undefined; // a plugin that the driver does not know
}
