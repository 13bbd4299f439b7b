import { hash } from 'node:crypto';
import maxBy from 'lodash/maxBy.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { compareNames } from '../../../apis/core/v1alpha1/name-order.ts';

/** One class kind that could satisfy a claim kind in this process, and its classes. */
export interface Candidates {
  readonly kind: Kind<Class>;
  readonly classes: readonly Class[];
  /** Why a claim is not to be given one of them; undefined: it may. Absent: each may be given. */
  readonly unfitness?: (claim: Claim, offered: Class) => string | undefined;
  /** Whether claims of the claim's namespace may not have it, as far as is known. Absent: they may have each. */
  readonly isForbidden?: (offered: Class) => boolean;
}

/** Classes that qualify for a claim. */
export interface Qualified {
  /** Those that can serve it. */
  readonly fit: readonly Class[];
  /** Why the others cannot, a sentence each, in the order of their names. */
  readonly misfits: readonly string[];
  /** How many are not for the claim's namespace, nor looked at further: what they are called is not for its eyes. */
  readonly forbidden: number;
}

/** Of the classes that qualify for a claim, those that it may have and that can serve it, and why the others cannot. */
export function qualified(
  claim: Claim,
  candidates: readonly Candidates[],
  qualifies: (candidate: Class) => boolean,
): Qualified {
  const found = candidates.flatMap(({ classes, unfitness, isForbidden }) =>
    classes.filter(qualifies).map((candidate) => ({ candidate, unfitness, isForbidden })),
  );
  const allowed = found.filter(({ candidate, isForbidden }) => isForbidden?.(candidate) !== true);
  const judged = allowed.map(({ candidate, unfitness }) => ({
    candidate,
    why: unfitness?.(claim, candidate),
  }));
  return {
    forbidden: found.length - allowed.length,
    fit: judged.flatMap(({ candidate, why }) => (why === undefined ? [candidate] : [])),
    misfits: judged.flatMap(({ why }) => (why === undefined ? [] : [why])).toSorted(compareNames),
  };
}

/** So many misfits are told one by one. */
const toldMisfits = 3;

/** What the Event of a choice says of those that were passed over. */
export const passedOver = (misfits: readonly string[]): string =>
  misfits.length === 0 ? '' : `; passed over${describeMisfits(misfits, ': ')}`;

/** `; RDSInstanceClass small has …; and 2 more`, for the end of a message; empty where there are none. */
export function describeMisfits(misfits: readonly string[], before = '; '): string {
  const more = misfits.length - toldMisfits;
  const told = [...misfits.slice(0, toldMisfits), ...(more > 0 ? [`and ${more} more`] : [])];
  return told.length === 0 ? '' : `${before}${told.join('; ')}`;
}

/** `; 2 of them may not be claimed from namespace team`, for the end of a message; empty where all may. */
export const describeForbidden = (count: number, { metadata: { namespace } }: Claim): string =>
  count === 0 ? '' : `; ${count} of them may not be claimed from namespace ${namespace}`;

/** Whether it is the first of these kinds, whose controller reports for all of them. */
export const isReporter = ([first]: readonly Candidates[], kind: Kind<Class>): boolean =>
  first?.kind.kind === kind.kind && first.kind.group === kind.group;

/** Whether a class is of this kind, in whatever version it is read. */
export const isOfKind = (candidate: Class, kind: Kind<Class>): boolean =>
  candidate.kind === kind.kind && candidate.apiVersion.startsWith(`${kind.group}/`);

/**
 * Draws one class for a claim: uniform over claims, over all class kinds alike, and the same on every call
 * (rendezvous hashing of the two UIDs). So the schedulers of one process agree without asking each other,
 * and a retry does not change the draw; the original slept at random to be fair.
 */
export function drawClass(claim: Claim, classes: readonly Class[]): Class | undefined {
  return maxBy(classes, (candidate) =>
    hash('sha256', `${claim.metadata.uid}/${candidate.metadata.uid ?? candidate.metadata.name}`, 'hex'),
  );
}

/** The newest class; of two created in the same second, the one whose name (then kind) sorts first. */
export function newestFirst(classes: readonly Class[]): readonly Class[] {
  return classes.toSorted(
    (a, b) =>
      compareNames(b.metadata.creationTimestamp ?? '', a.metadata.creationTimestamp ?? '') ||
      compareNames(a.metadata.name, b.metadata.name) ||
      compareNames(a.kind, b.kind),
  );
}

/** `FavouriteDBInstanceClass 0 of 2, …`: how many classes of each kind qualified, for messages. */
export function tally(candidates: readonly Candidates[], qualifies: (candidate: Class) => boolean): string {
  return candidates
    .map(({ kind, classes }) => `${kind.kind} ${classes.filter(qualifies).length} of ${classes.length}`)
    .toSorted()
    .join(', ');
}
