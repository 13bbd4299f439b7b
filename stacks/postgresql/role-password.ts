import type { DesiredCredential, Managed, Observation } from '../../package/stack.ts';
import type { Roles } from './client/role.ts';
import { nameOf, ownerIdOf } from './ownership.ts';
import type { PasswordChecks } from './password-checks.ts';

/** The password of the role that has the external name of a managed resource. */
export interface RolePassword {
  /** Whether the server accepts the credential. Undefined: this cannot be tested, or there is no credential. */
  verdictOn(
    managed: Managed,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Observation['credential']>;
  /** The same for a resource that is only observed: for the user whom the Secret names beside the password. */
  verdictOnGiven(
    managed: Managed,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Observation['credential']>;
  /** Sets the credential unless it is applied. Returns whether it did. */
  set(managed: Managed, credential: DesiredCredential | undefined, signal: AbortSignal): Promise<boolean>;
}

export interface RolePasswordOptions {
  readonly roles: Pick<Roles, 'setPassword' | 'checkPassword'>;
  readonly checks: PasswordChecks;
}

export const rolePassword = ({ roles, checks }: RolePasswordOptions): RolePassword => ({
  async verdictOn(managed, credential, signal) {
    if (credential === undefined) return undefined;
    return checks.verdictOn(ownerIdOf(managed), credential, (password) =>
      roles.checkPassword(nameOf(managed), password, { signal }),
    );
  },
  async verdictOnGiven(managed, credential, signal) {
    const { username } = credential ?? {};
    if (credential === undefined || username === undefined) return undefined;
    return checks.verdictOn(`${username} of ${ownerIdOf(managed)}`, credential, (password) =>
      roles.checkPassword(username, password, { signal }),
    );
  },
  async set(managed, credential, signal) {
    if (credential === undefined || credential.isApplied) return false;
    const ownerId = ownerIdOf(managed);
    await roles.setPassword(nameOf(managed), credential.value, { ownerId, signal });
    checks.wasSet(ownerId, credential.value);
    return true;
  },
});

/**
 * Whether a password that worked is now refused. A credential that is not applied yet proves nothing: the previous one
 * may work.
 */
export const isLockedOut = (
  credential: DesiredCredential | undefined,
  verdict: Observation['credential'],
): boolean => credential?.isApplied === true && verdict === 'wrong';

export const refusesPassword = 'the server refuses the password of the role';
