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
}

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
