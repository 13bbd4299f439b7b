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
import type { AssignmentFacts, ClassDecision, ClassRow } from '../claim/class-decision.ts';
import { consideredKinds, isToldElsewhere } from '../claim/told-elsewhere.ts';

/** The rows of this decision in docs/decision-tables.md, in their order. */
export const defaultingRows = [
  'S1',
  'S3 holding',
  'S3',
  'H8',
  'S5',
  'S5 told',
  'S5 peer',
  'S6',
  'S6 peer',
] as const satisfies readonly ClassRow[];

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
  if (claim === undefined) return { row: 'S1', act: 'nothing' };
  if (isHolding) return { row: 'S3 holding', act: 'nothing' }; // binding restores its references
  if (claim.spec.classRef !== undefined) return { row: 'S3', act: 'nothing' };
  if (wasDeleted(claim) || claim.spec.resourceRef !== undefined || claim.spec.classSelector !== undefined) {
    return { row: 'H8', act: 'nothing' };
  }
  const qualifies = (candidate: Class) =>
    candidate.metadata.deletionTimestamp === undefined && isDefaultClass(candidate);
  const { fit, misfits, forbidden } = qualified(claim, candidates, qualifies);
  const [chosen, ...others] = newestFirst(fit);
  if (chosen === undefined) {
    if (!isReporter(candidates, kind)) return { row: 'S5 peer', act: 'nothing' };
    const considered = consideredKinds(candidates.map((candidate) => candidate.kind));
    if (isToldElsewhere(claim, 'NoDefaultClass', considered)) {
      return { row: 'S5 told', act: 'nothing' };
    }
    const none = misfits.length + forbidden === 0 ? 'is the default' : 'that can serve it is the default';
    const message = `the claim names no class and no resource class ${none}: annotate one with ${annotationKeys.defaultClass}=true, or set spec.classSelector or spec.classRef (defaults: ${tally(candidates, qualifies)})${describeForbidden(forbidden, claim)}${describeMisfits(misfits)}`;
    return { row: 'S5', act: 'report', reason: 'NoDefaultClass', message, consideredKinds: considered };
  }
  if (!isOfKind(chosen, kind)) return { row: 'S6 peer', act: 'nothing' };
  const ignored = others.map((other) => `${other.kind} ${other.metadata.name}`).toSorted();
  const message = `defaulted to ${chosen.kind} ${chosen.metadata.name}${
    ignored.length === 0 ? '' : `, the newest default; also marked as default: ${ignored.join(', ')}`
  }${passedOver(misfits)}`;
  return { row: 'S6', act: 'schedule', classRef: referenceTo(chosen), message };
}
