import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { ObjectReference } from '../../../apis/core/v1alpha1/reference.ts';
import { isControlledBy } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { isReservedFor } from '../claim/reservation.ts';
import { secretsControlledBy, secretsOfClaim } from '../indexes.ts';
import type { HandOvers } from './hand-overs.ts';

/**
 * The annotation on the secret of a managed resource that is about to be copied for a claim. Only what is reserved bears
 * it, as only that may be free again; once it is Bound, its phase says more.
 */
export const handOverMark = (managed: Managed, uid: string | undefined): Readonly<Record<string, string>> =>
  uid !== undefined && isReservedFor(managed, uid) && managed.status?.bindingPhase !== 'Bound'
    ? { [annotationKeys.handedTo]: uid }
    : {};

/** Whether a secret says that the claim of this UID was given what it holds, or was about to be. */
export const isHandedTo = ({ metadata }: Secret, uid: string | undefined): boolean =>
  uid !== undefined && metadata.annotations?.[annotationKeys.handedTo] === uid;

/** Where it is known that a claim was given something. */
export interface Records {
  readonly secrets: Resource<Secret>;
  readonly handOvers: Pick<HandOvers, 'of'>;
}

/** Whether a claim was given the details of a managed resource, or may have been, as far as the store tells. */
export function wasHandedOver(
  { secrets, handOvers }: Records,
  managed: Managed | undefined,
  claim: Pick<ObjectReference, 'namespace' | 'uid'>,
): boolean {
  if (secretsOfClaim(secrets.store, claim).length > 0) return true;
  const known = handOvers.of(claim.uid);
  if (known !== undefined) return known === 'given';
  return secretsControlledBy(secrets.store, managed?.metadata.uid).some((one) => isHandedTo(one, claim.uid));
}

/** The same, where the API server is asked for a mark that the store has not: it decides who has the resource next. */
export async function wasHandedOverNow(
  records: Records,
  managed: Managed,
  claim: Pick<ObjectReference, 'namespace' | 'uid'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (wasHandedOver(records, managed, claim)) return true;
  const key = managed.spec.writeConnectionSecretToRef;
  if (key === undefined || records.handOvers.of(claim.uid) === 'refused') return false;
  const source = await records.secrets.fetch(key, signal);
  return source !== undefined && isControlledBy(source, managed) && isHandedTo(source, claim.uid);
}
