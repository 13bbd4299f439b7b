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
  /** Why a claim is not given a class; undefined: it may get it. Absent: it may get each. */
  readonly whyNotSuitable?: (claim: Claim, offered: Class) => string | undefined;
  /** Whether the claim's namespace may not have a class. Absent: it may have each. */
  readonly isForbidden?: (offered: Class) => boolean;
}

/** Classes that qualify for a claim. */
export interface Qualified {
  /** The classes that can serve it. */
  readonly fit: readonly Class[];
  /** Why the others cannot, a sentence each, ordered. */
  readonly misfits: readonly string[];
  /** How many are not for the claim's namespace, which must not learn their names. */
  readonly forbidden: number;
}

export function qualified(
  claim: Claim,
  candidates: readonly Candidates[],
  qualifies: (candidate: Class) => boolean,
): Qualified {
  const fit: Class[] = [];
  const misfits: string[] = [];
  let forbidden = 0;
  for (const { classes, whyNotSuitable, isForbidden } of candidates) {
    for (const candidate of classes.filter(qualifies)) {
      const isAllowed = isForbidden?.(candidate) !== true;
      const why = isAllowed ? whyNotSuitable?.(claim, candidate) : undefined;
      if (!isAllowed) forbidden += 1;
      else if (why === undefined) fit.push(candidate);
      else misfits.push(why);
    }
  }
  return { fit, misfits: misfits.toSorted(compareNames), forbidden };
}

/** A message names so many classes that do not fit. */
const namedMisfits = 3;

const listed = (misfits: readonly string[]): readonly string[] => {
  const more = misfits.length - namedMisfits;
  return [...misfits.slice(0, namedMisfits), ...(more > 0 ? [`and ${more} more`] : [])];
};

/** For the end of the Event of a choice. */
export const passedOver = (misfits: readonly string[]): string =>
  misfits.length === 0 ? '' : `; passed over: ${listed(misfits).join('; ')}`;

/** `; RDSInstanceClass small has …; and 2 more`, for the end of a message. */
export const describeMisfits = (misfits: readonly string[]): string =>
  listed(misfits)
    .map((each) => `; ${each}`)
    .join('');

/** `; 2 of them may not be claimed from namespace team`, for the end of a message. */
export const describeForbidden = (count: number, { metadata: { namespace } }: Claim): string =>
  count === 0 ? '' : `; ${count} of them may not be claimed from namespace ${namespace}`;

/** Whether it is the first of these kinds, whose controller reports for all of them. */
export const isReporter = ([first]: readonly Candidates[], kind: Kind<Class>): boolean =>
  first?.kind.kind === kind.kind && first.kind.group === kind.group;

/** Whether a class is of this kind, in whatever version it is read. */
export const isOfKind = (candidate: Class, kind: Kind<Class>): boolean =>
  candidate.kind === kind.kind && candidate.apiVersion.startsWith(`${kind.group}/`);

/**
 * Draws one class for a claim: uniform over claims and class kinds, and the same on every call (rendezvous hashing of the two
 * UIDs). So the schedulers of a process agree, and a retry draws the same class.
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
