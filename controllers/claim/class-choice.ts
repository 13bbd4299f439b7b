import { hash } from 'node:crypto';
import maxBy from 'lodash/maxBy.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import { firstNames } from '../../apis/core/v1alpha1/printable.ts';

/** One class kind that can serve the claims of a kind, and all classes of this class kind. */
export interface Candidates {
  readonly kind: Kind<Class>;
  readonly classes: readonly Class[];
  /** Returns why a claim cannot get a class, or undefined if it can. Without this function it can get every class. */
  readonly whyNotSuitable?: (claim: Claim, offered: Class) => string | undefined;
  /** Whether the claim's namespace may not use a class. Without this function it may use every class. */
  readonly isForbidden?: (offered: Class) => boolean;
}

export interface Qualified {
  readonly fit: readonly Class[];
  /** One reason for each incompatible class, sorted. */
  readonly incompatible: readonly string[];
  /** The number of classes that the claim's namespace may not use. Messages do not name them. */
  readonly forbidden: number;
}

export function qualified(
  claim: Claim,
  candidates: readonly Candidates[],
  qualifies: (candidate: Class) => boolean,
): Qualified {
  const fit: Class[] = [];
  const incompatible: string[] = [];
  let forbidden = 0;
  for (const { classes, whyNotSuitable, isForbidden } of candidates) {
    for (const candidate of classes.filter(qualifies)) {
      const isAllowed = isForbidden?.(candidate) !== true;
      const why = isAllowed ? whyNotSuitable?.(claim, candidate) : undefined;
      if (!isAllowed) forbidden += 1;
      else if (why === undefined) fit.push(candidate);
      else incompatible.push(why);
    }
  }
  return { fit, incompatible: incompatible.toSorted(compareNames), forbidden };
}

/** A message names at most this many incompatible classes. */
const maxNamed = 3;

export const passedOver = (incompatible: readonly string[]): string =>
  incompatible.length === 0 ? '' : `; passed over: ${firstNames(incompatible, maxNamed).join('; ')}`;

export const describeIncompatible = (incompatible: readonly string[]): string =>
  firstNames(incompatible, maxNamed)
    .map((each) => `; ${each}`)
    .join('');

/** `problem`: why the labels of the claim's namespace are not known, so that each selector forbids it. */
export function describeForbidden(
  count: number,
  { metadata: { namespace } }: Claim,
  problem: string | undefined,
): string {
  if (count === 0) return '';
  const why = problem === undefined ? '' : `, because the labels of that namespace are not known: ${problem}`;
  return `; ${count} of them may not be claimed from namespace ${namespace}${why}`;
}

/**
 * Chooses one of the classes by a hash of the UIDs of claim and class (rendezvous hashing). Each class has the same
 * probability, and every process and every retry chooses the same class.
 */
export function drawClass(claim: Claim, classes: readonly Class[]): Class | undefined {
  return maxBy(classes, (candidate) =>
    hash('sha256', `${claim.metadata.uid}/${candidate.metadata.uid ?? candidate.metadata.name}`, 'hex'),
  );
}

/** Sorts classes by creation time, the newest first. Those of the same second are sorted by name, then by kind. */
export function newestFirst(classes: readonly Class[]): readonly Class[] {
  return classes.toSorted(
    (a, b) =>
      compareNames(b.metadata.creationTimestamp ?? '', a.metadata.creationTimestamp ?? '') ||
      compareNames(a.metadata.name, b.metadata.name) ||
      compareNames(a.kind, b.kind),
  );
}

/** How many classes of each kind match, for messages: `FavouriteDBInstanceClass 0 of 2, …`. */
export function tally(candidates: readonly Candidates[], qualifies: (candidate: Class) => boolean): string {
  return candidates
    .map(({ kind, classes }) => `${kind.kind} ${classes.filter(qualifies).length} of ${classes.length}`)
    .toSorted()
    .join(', ');
}
