import type { GeneratedCredential, Observation, ReadyFacts } from '../../../package/stack.ts';
import {
  available,
  generatedPassword,
  isObserver,
  refusesPassword,
  unavailable,
} from '../../../package/stack.ts';
import type { UserObservation } from '../client/user-spec.ts';
import { userDrift } from '../client/user-spec.ts';
import type { MySQLUser } from '../kinds/v1alpha1/mysql-user.ts';
import { fieldPaths, lateUserFields, observedUserFields, userSpec } from '../user-spec.ts';

export const userCredential: GeneratedCredential<MySQLUser> = {
  ...generatedPassword,
  rotationOf: ({ spec }) => spec.forProvider.passwordRotation,
};

/** The observation of a user that exists. */
export function observationOf(
  managed: MySQLUser,
  user: UserObservation,
  isLockedOut: boolean,
): Observation<MySQLUser> {
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
    ready: readyOf(user, isLockedOut),
    lateInitialized: lateUserFields(user),
    ...(drift.length === 0 ? {} : { difference: drift.join(', ') }),
    ...(differing.length === 0 ? {} : { differing }),
  };
}

function readyOf({ isLocked }: UserObservation, isLockedOut: boolean): ReadyFacts {
  if (isLocked) return unavailable('the user is locked');
  return isLockedOut ? refusesPassword('user') : available();
}
