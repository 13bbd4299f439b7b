/* Decides about an orphan: a managed resource whose `claimRef` names a claim that does not exist. */

import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { namesResource, wasBoundHere } from '../claim/ownership.ts';
import { firstMatch } from '../first-match.ts';
import { hasRetention, isReleased, isTakenBack, isToExpire } from '../retention.ts';

/** The decisions about a managed resource whose claim does not exist, in the order of docs/decision-tables.md. */
export const orphanDecisions = [
  'DeleteExpired',
  'NotBound',
  'HasClaim',
  'ClaimMissing',
  'StatusFromBackup',
  'Release',
  'DeleteSecret',
  'DeleteResource',
] as const;

export interface OrphanFacts {
  readonly managed: Managed;
  /** The claim that now has the namespace and name in `claimRef`. It may have another UID than `claimRef`. */
  readonly claim: Claim | undefined;
  /** The Secrets that the claim with the UID in `claimRef` controls. */
  readonly secrets: readonly Secret[];
  /** Whether the date of a kept resource is past, and was past a minute ago. */
  readonly isExpired: boolean;
}

export type OrphanDecision =
  | { readonly name: Exclude<(typeof orphanDecisions)[number], 'DeleteSecret' | 'Release'> }
  /** `isClaimRestored`: the claim was restored from a backup and names the resource, which gets no date. */
  | { readonly name: 'Release'; readonly isClaimRestored?: boolean }
  | { readonly name: 'DeleteSecret'; readonly secret: Secret };

export const decideOrphan = (facts: OrphanFacts): OrphanDecision =>
  firstMatch(facts, orphanChecks) ?? {
    name:
      facts.managed.spec.reclaimPolicy === 'Delete' && !hasRetention(facts.managed)
        ? 'DeleteResource'
        : 'Release',
  };

const orphanChecks = [
  deleteExpired,
  notBound,
  hasClaim,
  claimMissing,
  statusFromBackup,
  restoredClaim,
  deleteSecret,
];

/** The date of the resource is over, and no claim took it back. A claim that does not take it back may exist. */
function deleteExpired({ managed, isExpired }: OrphanFacts): OrphanDecision | undefined {
  return isExpired && isToExpire(managed) ? { name: 'DeleteExpired' } : undefined;
}

function notBound({ managed }: OrphanFacts): OrphanDecision | undefined {
  const isReserved = managed.spec.claimRef?.uid !== undefined;
  const isOver = wasDeleted(managed) || isReleased(managed);
  return isReserved && !isOver ? undefined : { name: 'NotBound' };
}

function hasClaim({ managed, claim }: OrphanFacts): OrphanDecision | undefined {
  return claim !== undefined && claim.metadata.uid === managed.spec.claimRef?.uid
    ? { name: 'HasClaim' }
    : undefined;
}

/** A resource that is not Bound gets only an Event about the missing claim: a restore may bring the claim back. */
function claimMissing({ managed, claim }: OrphanFacts): OrphanDecision | undefined {
  const { bindingPhase, boundUID } = managed.status ?? {};
  const isBound = bindingPhase === 'Bound' && boundUID !== undefined;
  if (isBound || isTakenBack(managed)) return undefined;
  // If a claim of that name refers to the resource, the next run for this claim corrects the UID in `claimRef`.
  return { name: claim !== undefined && namesResource(claim, managed) ? 'HasClaim' : 'ClaimMissing' };
}

/** If the status is from a backup, waits until the resource's own controller has reset it. */
function statusFromBackup({ managed }: OrphanFacts): OrphanDecision | undefined {
  return wasBoundHere(managed) ? undefined : { name: 'StatusFromBackup' };
}

/**
 * The claim was restored from a backup, and the resource still has the claim's previous UID. Releases the resource: it
 * is not deleted, and no claim gets it until an administrator makes it available again.
 */
function restoredClaim({ managed, claim }: OrphanFacts): OrphanDecision | undefined {
  return claim !== undefined && namesResource(claim, managed)
    ? { name: 'Release', isClaimRestored: true }
    : undefined;
}

function deleteSecret({ secrets }: OrphanFacts): OrphanDecision | undefined {
  const secret = secrets.find((one) => !wasDeleted(one));
  return secret && { name: 'DeleteSecret', secret };
}
