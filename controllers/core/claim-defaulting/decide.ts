import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import { isDefaultClass } from '../../../apis/core/v1alpha1/class.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import {
  describeForbidden,
  describeMisfits,
  isOfKind,
  isReporter,
  newestFirst,
  passedOver,
  qualified,
  tally,
} from '../claim/class-choice.ts';
import type { AssignmentFacts, ClassDecision, ClassDecisionName } from '../claim/class-decision.ts';
import { consideredKinds, isToldElsewhere } from '../claim/told-elsewhere.ts';

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const defaultingDecisions = [
  'ClaimGone',
  'HasResource',
  'HasClass',
  'NeedsNoClass',
  'NoDefaultClass',
  'ReportedElsewhere',
  'PeerReports',
  'AssignClass',
  'PeerAssigns',
] as const satisfies readonly ClassDecisionName[];

export interface DefaultingInput extends AssignmentFacts {
  /** The class kind this controller defaults to: one of the candidates'. */
  readonly kind: Kind<Class>;
}

/**
 * Whether and to which class to default a claim that names neither class, selector nor resource. Of several
 * defaults that can serve it the newest wins, as with StorageClasses; the event names the others.
 */
export function decideDefaulting(input: DefaultingInput): ClassDecision {
  const { claim, isHolding, kind, candidates } = input;
  if (claim === undefined) return { name: 'ClaimGone', act: 'nothing' };
  if (isHolding) return { name: 'HasResource', act: 'nothing' }; // binding restores its references
  if (claim.spec.classRef !== undefined) return { name: 'HasClass', act: 'nothing' };
  if (wasDeleted(claim) || claim.spec.resourceRef !== undefined || claim.spec.classSelector !== undefined) {
    return { name: 'NeedsNoClass', act: 'nothing' };
  }
  const qualifies = (candidate: Class) =>
    candidate.metadata.deletionTimestamp === undefined && isDefaultClass(candidate);
  const { fit, misfits, forbidden } = qualified(claim, candidates, qualifies);
  const [chosen, ...others] = newestFirst(fit);
  if (chosen === undefined) {
    if (!isReporter(candidates, kind)) return { name: 'PeerReports', act: 'nothing' };
    const considered = consideredKinds(candidates.map((candidate) => candidate.kind));
    if (isToldElsewhere(claim, 'NoDefaultClass', considered)) {
      return { name: 'ReportedElsewhere', act: 'nothing' };
    }
    const none = misfits.length + forbidden === 0 ? 'is the default' : 'that can serve it is the default';
    const message = `the claim names no class and no resource class ${none}: annotate one with ${annotationKeys.defaultClass}=true, or set spec.classSelector or spec.classRef (defaults: ${tally(candidates, qualifies)})${describeForbidden(forbidden, claim)}${describeMisfits(misfits)}`;
    return {
      name: 'NoDefaultClass',
      act: 'report',
      reason: 'NoDefaultClass',
      message,
      consideredKinds: considered,
    };
  }
  if (!isOfKind(chosen, kind)) return { name: 'PeerAssigns', act: 'nothing' };
  const ignored = others.map((other) => `${other.kind} ${other.metadata.name}`).toSorted();
  const message = `defaulted to ${chosen.kind} ${chosen.metadata.name}${
    ignored.length === 0 ? '' : `, the newest default; also marked as default: ${ignored.join(', ')}`
  }${passedOver(misfits)}`;
  return { name: 'AssignClass', act: 'schedule', classRef: referenceTo(chosen), message };
}
