/*
 *   claim deleted ──▶ Released, with releasedFrom and deleteAt ──TakeBack──▶ another UID in claimRef ──▶ Bound
 *                                     └──at deleteAt──▶ deleted
 *
 * docs/decisions/0079-deletion-taken-back.md has the rules and their reasons.
 */

import omit from 'lodash/omit.js';
import { retentionPattern } from '../apis/core/v1alpha1/fields.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import { isPaused, wasDeleted } from '../apis/core/v1alpha1/meta.ts';
import { timestamp } from '../apis/core/v1alpha1/timestamp.ts';
import { wasNeverFound } from './external-identity.ts';
import { isPausedByPolicies } from './management-policies.ts';

/** Whether a claim took the resource back after the previous claim was deleted, and is not Bound to it yet. */
export const isTakenBack = ({ spec: { claimRef }, status }: Managed): boolean =>
  status?.bindingPhase === 'Released' &&
  status.releasedFrom !== undefined &&
  claimRef?.uid !== undefined &&
  claimRef.uid !== status.releasedFrom;

/** Whether the claim of the resource was deleted, and no claim has taken it back since. */
export const isReleased = (managed: Managed): boolean =>
  managed.status?.bindingPhase === 'Released' && !isTakenBack(managed);

/**
 * Whether a claim of the same kind, namespace and name can take the resource back. An administrator may remove `deleteAt`;
 * then there is no time limit.
 */
export function isReturnable(managed: Managed): boolean {
  const { metadata, spec, status } = managed;
  const { releasedFrom, boundUID } = status ?? {};
  if (!isReleased(managed) || wasDeleted(managed)) return false;
  // guard: otherwise a date of a backup deletes data
  const isOfThisCluster = boundUID !== undefined && boundUID === metadata.uid;
  return isOfThisCluster && releasedFrom !== undefined && spec.claimRef?.uid === releasedFrom;
}

/** Whether the resource is deleted at `deleteAt`. Retain and a pause prevent that. */
export const isToExpire = (managed: Managed): boolean =>
  managed.status?.deleteAt !== undefined &&
  isReturnable(managed) &&
  managed.spec.reclaimPolicy === 'Delete' &&
  !isPaused(managed) &&
  !isPausedByPolicies(managed.spec);

/** How long a returnable resource is kept. */
export const retentionText = (managed: Managed): string =>
  isToExpire(managed) ? `kept until ${managed.status?.deleteAt}` : 'kept without a date';

/**
 * Whether the end of a claim retains the resource, although its reclaim policy is Delete. A resource without a class was
 * created by hand, and gets no date. A resource that never had an external resource has no data, and the next claim would
 * get it with the mistake of this one.
 */
export const hasRetention = (managed: Managed): boolean =>
  managed.spec.retainFor !== undefined &&
  managed.spec.reclaimPolicy === 'Delete' &&
  managed.spec.classRef !== undefined &&
  !wasNeverFound(managed);

/** Whether `retainFor` has no effect, because the reclaim policy Retain keeps the resource without a date. */
export const isRetentionIdle = ({ spec }: Managed): boolean =>
  spec.retainFor !== undefined && spec.classRef !== undefined && spec.reclaimPolicy !== 'Delete';

const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds. Undefined for another text: an old definition may admit one. Then the resource is kept without a date. */
function retentionMs(text: string): number | undefined {
  if (!retentionPattern.test(text)) return undefined;
  return Number.parseInt(text, 10) * (unitsMs[text.slice(-1)] ?? 0);
}

const releaseFields = ['releasedFrom', 'releasedNamespace', 'deleteAt'] as const;

/** The status without the fields of a release. */
export const withoutRelease = <S extends object>(
  status: S | undefined,
): Omit<S, (typeof releaseFields)[number]> =>
  omit(status, releaseFields) as Omit<S, (typeof releaseFields)[number]>;

export interface Release {
  readonly now: Date;
  /** The UID of the namespace of the deleted claim. Absent: it is not known. */
  readonly namespaceUid?: string | undefined;
}

/** The fields of the status by which a claim can take the resource back. None for a resource that is not to be kept. */
export function releaseOf(
  managed: Managed,
  { now, namespaceUid }: Release,
): Pick<NonNullable<Managed['status']>, (typeof releaseFields)[number]> {
  const { claimRef, retainFor = '' } = managed.spec;
  if (!hasRetention(managed) || claimRef?.uid === undefined) return {};
  const forMs = retentionMs(retainFor);
  return {
    releasedFrom: claimRef.uid,
    ...(namespaceUid !== undefined && { releasedNamespace: namespaceUid }),
    ...(forMs !== undefined && { deleteAt: timestamp(new Date(now.getTime() + forMs)) }),
  };
}
