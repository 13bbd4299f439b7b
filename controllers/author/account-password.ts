import type { ReadyFacts } from '../../apis/core/v1alpha1/condition.ts';
import { unavailable } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { nameOf } from '../../apis/core/v1alpha1/meta.ts';
import type { DesiredCredential, Observation } from '../managed/connecting/external-client.ts';
import { ownerIdOf } from './owner-id.ts';
import type { PasswordChecks } from './password-checks.ts';

type Verdict = Observation['credential'];

/** The passwords of accounts on a shared server, such as the users of a database server. */
export interface Accounts {
  /** Sets the password of an account with the mark of this owner. Throws if the account has another mark. */
  setPassword(
    name: string,
    password: string,
    options: { readonly ownerId: string; readonly signal: AbortSignal },
  ): Promise<void>;
  /** Whether the server accepts a login with this password. */
  checkPassword(name: string, password: string, options: { readonly signal: AbortSignal }): Promise<boolean>;
}

/** The password of the account that has the external name of a managed resource. */
export interface AccountPassword {
  /** Whether the server accepts the credential. Undefined: this cannot be tested, or there is no credential. */
  verdictOn(
    managed: Managed,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Verdict>;
  /** The same for a resource that is only observed: for the user whom the Secret names beside the password. */
  verdictOnGiven(
    managed: Managed,
    credential: DesiredCredential | undefined,
    signal: AbortSignal,
  ): Promise<Verdict>;
  /** Sets the credential unless it is applied. Returns whether it did. */
  set(managed: Managed, credential: DesiredCredential | undefined, signal: AbortSignal): Promise<boolean>;
  /** The account was created just now, with this credential, so it works. */
  wasCreatedWith(managed: Managed, credential: DesiredCredential | undefined): void;
  /** The account does not have the mark of the resource, so its password is tested at once. */
  doubt(managed: Managed): void;
}

export interface AccountPasswordOptions {
  readonly accounts: Accounts;
  readonly checks: PasswordChecks;
}

/**
 * Tests and sets the passwords of accounts. `update` of an external client sets a new password first, and alone, so that
 * another change that is refused does not block it:
 *
 *     if (await password.set(managed, credential, signal)) return {};
 */
export const accountPassword = ({ accounts, checks }: AccountPasswordOptions): AccountPassword => ({
  async verdictOn(managed, credential, signal) {
    if (credential === undefined) return undefined;
    return checks.verdictOn(ownerIdOf(managed), credential, (password) =>
      accounts.checkPassword(nameOf(managed), password, { signal }),
    );
  },
  async verdictOnGiven(managed, credential, signal) {
    const { username } = credential ?? {};
    if (credential === undefined || username === undefined) return undefined;
    return checks.verdictOn(`${username} of ${ownerIdOf(managed)}`, credential, (password) =>
      accounts.checkPassword(username, password, { signal }),
    );
  },
  async set(managed, credential, signal) {
    if (credential === undefined || credential.isApplied) return false;
    const ownerId = ownerIdOf(managed);
    await accounts.setPassword(nameOf(managed), credential.value, { ownerId, signal });
    checks.wasSet(ownerId, credential.value);
    return true;
  },
  wasCreatedWith(managed, credential) {
    if (credential !== undefined) checks.wasSet(ownerIdOf(managed), credential.value);
  },
  doubt: (managed) => checks.doubt(ownerIdOf(managed)),
});

/**
 * Whether a password that worked is now refused. A credential that is not applied yet proves nothing: the previous one
 * may work, unless the server may refuse any password of the account (`isDoubtful`).
 */
export const isLockedOut = (
  credential: DesiredCredential | undefined,
  verdict: Verdict,
  isDoubtful = false,
): boolean => verdict === 'wrong' && (isDoubtful || credential?.isApplied === true);

/** Ready of an account whose password is refused. `noun` is the server's word for an account: `role`. */
export const refusesPassword = (noun: string): ReadyFacts =>
  unavailable(`the server refuses the password of the ${noun}`);
