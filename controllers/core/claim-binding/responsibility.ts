import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import { changedAtMs } from '../../../apis/core/v1alpha1/changed-at.ts';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { completeReference, referenceIsOfKind, referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import { consideredKinds, isReportedByOtherProcess } from '../claim/considered-kinds.ts';
import type { ClaimService } from '../claim-service.ts';

export interface UnknownKind {
  readonly message: string;
  readonly consideredKinds: readonly string[];
  /** Do not report before this time, in epoch ms: a process that knows the kind may handle the claim until then. */
  readonly notBeforeMs: number;
}

/** The controller that binds a claim: `this` one, one of the `others`, or none (no controller knows the kind). */
export type Responsibility = 'this' | 'others' | UnknownKind;

/** How long a controller waits for the report of another controller or process before it reports the same itself. */
export const quietMs = 2_000;

export interface Responsible {
  readonly service: ClaimService;
  /** Every `ClaimService` of the claim kind that works in this process, in a fixed order. */
  readonly peers: readonly ClaimService[];
  readonly claim: Claim;
  readonly owned: readonly Managed[];
}

/** Whether this service binds the claim. The kind of the owned resource decides, else `resourceRef`, else `classRef`. */
export function isResponsible(service: ClaimService, claim: Claim, owned: readonly Managed[]): boolean {
  const { resourceRef, classRef } = claim.spec;
  const [resource] = owned;
  if (resource !== undefined) return referenceIsOfKind(referenceTo(resource), service.managed);
  return resourceRef === undefined
    ? referenceIsOfKind(classRef, service.class)
    : referenceIsOfKind(resourceRef, service.managed);
}

export function responsibilityFor(facts: Responsible): Responsibility {
  const { service, peers, claim, owned } = facts;
  if (isResponsible(service, claim, owned)) return 'this';
  const isFirst = peers[0] === service; // only the first service reports unknown kinds
  const isKnown = peers.some((peer) => isResponsible(peer, claim, owned));
  if (!isFirst || isKnown || owned.length > 0) return 'others';
  const isEnding = wasDeleted(claim) && hasFinalizer(claim, finalizerNames.claim);
  if (wasDeleted(claim) && !isEnding) return 'others';
  const reference = claim.spec.resourceRef ?? completeReference(claim.spec.classRef);
  // No reference names a kind. If the claim is being deleted, this controller nevertheless removes its finalizer.
  if (reference === undefined) return isEnding ? 'this' : 'others';
  return isReportedByOther(claim) ? 'others' : unknownKind(facts, isEnding);
}

function unknownKind({ peers, claim }: Responsible, isEnding: boolean): Responsibility {
  const { resourceRef, classRef } = claim.spec;
  const [field, reference] =
    resourceRef === undefined ? (['classRef', classRef] as const) : (['resourceRef', resourceRef] as const);
  const known = peers.map((peer) => (field === 'classRef' ? peer.class : peer.managed));
  const considered = consideredKinds(known);
  if (isReportedByOtherProcess(claim, 'UnknownKind', considered)) return 'others';
  const changedMs = changedAtMs(claim);
  const isReported = getCondition(claim.status?.conditions, 'Ready').reason !== undefined;
  // A controller that knows the kind wrote the claim last, without a time. It reports the claim next.
  if (Number.isNaN(changedMs) && !isReported) return 'others';
  const names = known.map(({ kind, group, version }) => `${kind} (${group}/${version})`).toSorted();
  const lacking = (['kind', 'apiVersion'] as const).filter((each) => !reference?.[each]);
  const given =
    lacking.length > 0
      ? `lacks ${lacking.join(' and ')}`
      : `names a ${reference?.kind} (${reference?.apiVersion}), and no controller here handles it`;
  const stuck = isEnding
    ? `, so that no controller removes the finalizer of this claim; ${advice.undoKind}`
    : '';
  const message = `spec.${field} ${given}${stuck}; ${advice.nameKnownKind(names)}`;
  return {
    message,
    consideredKinds: considered,
    notBeforeMs: changedMs + quietMs,
  };
}

/**
 * Whether a process that knows the kind in `resourceRef` or `classRef` has set Ready. If so, this process does not
 * report UnknownKind. A report on an earlier generation counts only while the claim is Bound and not being deleted.
 */
function isReportedByOther({ metadata, status }: Claim): boolean {
  const { reason = 'UnknownKind', observedGeneration } = getCondition(status?.conditions, 'Ready');
  const isOfAnyController = [
    'UnknownKind',
    'NoMatchingClass',
    'NoDefaultClass',
    'InvalidClassSelector',
  ].includes(reason);
  const isOld = observedGeneration !== undefined && observedGeneration !== metadata.generation;
  const isKept = status?.bindingPhase === 'Bound' && metadata.deletionTimestamp === undefined;
  return !isOfAnyController && !(isOld && !isKept);
}
