import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { isControlledBy } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import type { SecretDetails } from '../credential.ts';
import { credentialOf, isApplied, storedIn } from '../credential.ts';
import { isOngoing } from './recording/operation-conditions.ts';
import { stageOfManaged } from './stage.ts';

/**
 * Whether a managed resource needs no run before its next poll, by what the cache has. `secret`: the one that it names, if
 * that exists. The cache does not show edits of annotations, of the provider and in the external system.
 */
export const isAtRest = <M extends Managed>(
  managed: M,
  secret: Secret | undefined,
  secretDetails: SecretDetails<M> = {},
): boolean =>
  stageOfManaged(managed) === 'settled' &&
  isOfPresentSpec(managed) &&
  isOfThisCluster(managed) &&
  !isOperationUnderWay(managed) &&
  isSecretInUse(managed, secret, secretDetails);

/** Whether the last run saw the present spec. */
const isOfPresentSpec = ({ metadata, status }: Managed): boolean =>
  status?.observedGeneration === metadata.generation;

/** Whether the status was written in this cluster. One from a backup is reset first. */
const isOfThisCluster = ({ metadata, status }: Managed): boolean =>
  status?.boundUID === undefined || status.boundUID === metadata.uid;

/** Whether an operation is under way. It is observed more often than at each poll. */
const isOperationUnderWay = ({ status }: Managed): boolean =>
  (status?.operation ?? status?.conditions?.find(isOngoing)) !== undefined;

/** Whether it controls its Secret, and the external system has the credential. A secret store is read at each poll only. */
function isSecretInUse<M extends Managed>(
  managed: M,
  secret: Secret | undefined,
  secretDetails: SecretDetails<M>,
): boolean {
  if (managed.spec.writeConnectionSecretToRef === undefined) return true;
  if (secret === undefined || !isControlledBy(secret, managed)) return false;
  const credential = credentialOf(managed, secretDetails);
  return credential === undefined || isApplied(managed, storedIn(secret), credential);
}
