import { isConditionTrue } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import type { Roles } from '../../clients/postgresql/role.ts';
import type { PasswordRotations } from '../author/password-rotations.ts';
import { rotationAskedFor } from '../author/password-rotations.ts';
import { nameOf, ownerIdOf } from './ownership.ts';
import type { PasswordChecks } from './password-checks.ts';

/** Why a role needs a new password. */
export type PasswordNeed =
  | { readonly reason: 'lost' | 'wrong' }
  /** On request; the present one works meanwhile. */
  | { readonly reason: 'rotation' };

/** The password of the role that has the external name of a managed resource, during one run. */
export interface RolePassword {
  /** Undefined if the published one may stay. */
  need(managed: Managed, known: ConnectionDetails, signal: AbortSignal): Promise<PasswordNeed | undefined>;
  /** For a role that is made: what was published once stays, since applications may hold it. */
  initial(managed: Managed, known: ConnectionDetails): string | undefined;
  /** Sets a new one. */
  renew(managed: Managed, signal: AbortSignal): Promise<string>;
  /** Told of every password that was set. */
  wasSet(managed: Managed, password: string | undefined): void;
  /** The request for rotation that was heeded last, for the status. */
  rotation(managed: Managed): { readonly passwordRotation?: string };
}

export interface RolePasswordOptions {
  readonly roles: Pick<Roles, 'setPassword' | 'checkPassword'>;
  readonly checks: PasswordChecks;
  readonly rotations: PasswordRotations;
  /** Yields a new one at each call. */
  readonly generatePassword: () => string;
}

/**
 * Whether its status says that what is published works. Where somebody has edited it since, another process may have set
 * a password for a secret that is named no more, and what is named now may hold a former one. Where the last run failed, so
 * may have one that was asked to rotate, and was killed before it had published what it set.
 */
function isSaidToWork({ metadata, status }: Managed): boolean {
  const isSettled = ['Ready', 'Synced'].every((type) => isConditionTrue(status?.conditions, type));
  return isSettled && status?.observedGeneration === metadata.generation;
}

export function rolePassword(options: RolePasswordOptions): RolePassword {
  const { roles, checks, rotations, generatePassword } = options;

  /** A new one. What becomes of the request that sets it may never be known, and a former one may be published again by then. */
  const fresh = (managed: Managed): string => {
    checks.doubted(ownerIdOf(managed));
    return generatePassword();
  };

  const wasSet: RolePassword['wasSet'] = (managed, password) => {
    if (password === undefined) return;
    checks.passed(ownerIdOf(managed), password);
    rotations.heed(managed);
  };

  return {
    wasSet,
    async need(managed, { password }, signal) {
      // Passwords are made only for those who say where to publish them.
      if (!wantsDetails(managed)) return undefined;
      if (!password) return { reason: 'lost' };
      const isWrong = await checks.isWrong(ownerIdOf(managed), password, {
        isSaidToWork: isSaidToWork(managed),
        tryPassword: () => roles.checkPassword(nameOf(managed), password, { signal }),
      });
      if (isWrong) return { reason: 'wrong' };
      const request = rotationAskedFor(managed);
      return request === undefined || request === rotations.heeded(managed)
        ? undefined
        : { reason: 'rotation' };
    },
    initial: (managed, { password }) => (wantsDetails(managed) ? password || fresh(managed) : undefined),
    async renew(managed, signal) {
      const password = fresh(managed);
      await roles.setPassword(nameOf(managed), password, { ownerId: ownerIdOf(managed), signal });
      wasSet(managed, password);
      return password;
    },
    rotation(managed) {
      const passwordRotation = rotations.heeded(managed);
      return passwordRotation === undefined ? {} : { passwordRotation };
    },
  };
}

/** What a password that does not work means for Ready; undefined if it works. */
export const passwordFault = (need: PasswordNeed | undefined): string | undefined =>
  need === undefined || need.reason === 'rotation'
    ? undefined
    : need.reason === 'lost'
      ? 'the password is not known; a new one has to be set'
      : 'the server refuses the password; a new one has to be set';
