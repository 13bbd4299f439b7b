import type { ConditionFacts } from '../../apis/core/v1alpha1/condition.ts';
import { printable, shortened } from '../../apis/core/v1alpha1/printable.ts';

/** Characters that a condition's message may have: a person reads it, and others keep it. */
const longest = 1_024;

/** The facts with their message on one line and cut where it is too long: it may hold what somebody else wrote. */
export const withShortMessage = (facts: ConditionFacts): ConditionFacts =>
  facts.message === undefined ? facts : { ...facts, message: shortened(printable(facts.message), longest) };
