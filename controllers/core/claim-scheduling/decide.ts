import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { shortened } from '../../../apis/core/v1alpha1/printable.ts';
import { referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import { describeSelector, labelSelector } from '../../../apis/core/v1alpha1/selector.ts';
import {
  describeForbidden,
  describeMisfits,
  isOfKind,
  isReporter,
  passedOver,
  qualified,
  tally,
} from '../claim/class-choice.ts';
import type { AssignmentFacts, ClassDecision, ClassDecisionName } from '../claim/class-decision.ts';
import { consideredKinds, isToldElsewhere } from '../claim/told-elsewhere.ts';

/** Characters of a selector in a message, so that the counts after it are not cut off. */
const longestSelector = 512;

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const schedulingDecisions = [
  'ClaimGone',
  'HasResource',
  'HasClass',
  'NeedsNoClass',
  'InvalidClassSelector',
  'NoMatchingClass',
  'ReportedElsewhere',
  'PeerReports',
  'AssignClass',
  'PeerAssigns',
] as const satisfies readonly ClassDecisionName[];

export interface SchedulingInput extends AssignmentFacts {
  /** The class kind this controller schedules to: one of the candidates'. */
  readonly kind: Kind<Class>;
  readonly draw: (claim: Claim, classes: readonly Class[]) => Class | undefined;
}

/**
 * Whether and where to schedule a claim. Checks every predicate itself, because a delayed request is not filtered
 * (hazard H8 of docs/decision-tables.md). A class that cannot serve the claim, or is not for its namespace, is passed over. All schedulers of a process draw the same class; the one of its kind records
 * it, and where nothing matches the one of the first kind says so.
 */
export function decideScheduling(input: SchedulingInput): ClassDecision {
  const { claim, isHolding, kind, candidates, draw } = input;
  if (claim === undefined) return { name: 'ClaimGone', act: 'nothing' };
  if (isHolding) return { name: 'HasResource', act: 'nothing' }; // binding restores its references
  if (claim.spec.classRef !== undefined) return { name: 'HasClass', act: 'nothing' }; // a peer won
  if (wasDeleted(claim) || claim.spec.resourceRef !== undefined || claim.spec.classSelector === undefined) {
    return { name: 'NeedsNoClass', act: 'nothing' };
  }
  const selects = labelSelector(claim.spec.classSelector);
  if (typeof selects === 'string') {
    if (!isReporter(candidates, kind)) return { name: 'PeerReports', act: 'nothing' };
    const message = `spec.classSelector.${selects}`;
    return { name: 'InvalidClassSelector', act: 'report', reason: 'InvalidClassSelector', message };
  }
  const qualifies = ({ metadata }: Class) =>
    metadata.deletionTimestamp === undefined && selects(metadata.labels);
  const { fit, misfits, forbidden } = qualified(claim, candidates, qualifies);
  const chosen = draw(claim, fit);
  if (chosen === undefined) {
    if (!isReporter(candidates, kind)) return { name: 'PeerReports', act: 'nothing' };
    const considered = consideredKinds(candidates.map((candidate) => candidate.kind));
    if (isToldElsewhere(claim, 'NoMatchingClass', considered)) {
      return { name: 'ReportedElsewhere', act: 'nothing' };
    }
    const sought = shortened(describeSelector(claim.spec.classSelector), longestSelector);
    const none = misfits.length + forbidden === 0 ? 'matches' : 'can serve the claim and matches';
    const message = `no resource class ${none} spec.classSelector ${sought} (matching: ${tally(candidates, qualifies)})${describeForbidden(forbidden, claim)}${describeMisfits(misfits)}`;
    return {
      name: 'NoMatchingClass',
      act: 'report',
      reason: 'NoMatchingClass',
      message,
      consideredKinds: considered,
    }; // a class event wakes us
  }
  if (!isOfKind(chosen, kind)) return { name: 'PeerAssigns', act: 'nothing' };
  const among =
    fit.length === 1 ? ', the only matching resource class' : ` of ${fit.length} matching resource classes`;
  const message = `selected ${chosen.kind} ${chosen.metadata.name}${among}${passedOver(misfits)}`;
  return { name: 'AssignClass', act: 'schedule', classRef: referenceTo(chosen), message };
}
