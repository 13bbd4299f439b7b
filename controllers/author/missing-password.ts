import type { ReadyFacts } from '../../apis/core/v1alpha1/condition.ts';
import { available, unavailable } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import { shouldCreate, shouldUpdate } from '../core/management-policies.ts';

/** Whether connection details are wanted, and the password is not among those that are known. */
export const isPasswordMissing = (managed: Managed, known: ConnectionDetails): boolean =>
  wantsDetails(managed) && known.password === undefined;

/**
 * Ready of a database that is online but for its password, which a cloud never tells: not ready, for what is
 * bound to it could not use it. What is only observed never has one, and is ready without.
 */
export function withoutPassword({ spec }: Managed): ReadyFacts {
  if (shouldUpdate(spec)) return unavailable('the password is not known; a new one has to be set');
  if (!shouldCreate(spec)) return available();
  return unavailable(
    'the password is not known, and spec.managementPolicies do not allow Update to set a new one',
  );
}
