import type { Adoption, GeneratedCredential, Observation, ReadyFacts } from '../../../package/stack.ts';
import {
  available,
  generatedPassword,
  isObserver,
  refusesPassword,
  shouldDelete,
  unavailable,
} from '../../../package/stack.ts';
import type { UserObservation } from '../client/user.ts';
import { userDrift } from '../client/user.ts';
import type { MySQLUser } from '../kinds/v1alpha1/mysql-user.ts';
import { fieldPaths, lateUserFields, observedUserFields, userSpec } from '../user-spec.ts';

/** The result of a deletion, for the message about an adoption. */
export const adoptionOf = ({ spec }: MySQLUser): Adoption =>
  shouldDelete(spec)
    ? { consequence: 'kubectl delete of this resource drops it, because its policies allow Delete' }
    : {};

export const userCredential: GeneratedCredential<MySQLUser> = {
  ...generatedPassword,
  rotationOf: ({ spec }) => spec.forProvider.passwordRotation,
};

/** A user that exists. */
export interface Found {
  readonly user: UserObservation;
  /** The server refuses its previous password. */
  readonly isLockedOut: boolean;
}

/** The observation of a user. */
export function observationOf(managed: MySQLUser, { user, isLockedOut }: Found): Observation<MySQLUser> {
  const { forProvider } = managed.spec;
  if (isObserver(managed)) {
    const lateInitialized = observedUserFields(user);
    return { exists: true, isUpToDate: true, ready: available(), lateInitialized };
  }
  const drift = userDrift(user, userSpec(forProvider));
  const differing = fieldPaths(drift, forProvider);
  return {
    exists: true,
    isUpToDate: drift.length === 0,
    ready: readyOf({ user, isLockedOut }),
    lateInitialized: lateUserFields(user),
    ...(drift.length === 0 ? {} : { difference: drift.join(', ') }),
    ...(differing.length === 0 ? {} : { differing }),
  };
}

function readyOf({ user, isLockedOut }: Found): ReadyFacts {
  if (user.isLocked) return unavailable('the user is locked');
  return isLockedOut ? refusesPassword('user') : available();
}
