import type { ConditionFacts } from '../../apis/core/v1alpha1/condition.ts';
import { printable, shortened } from '../../apis/core/v1alpha1/printable.ts';

/** The maximum number of characters in a message. */
const longest = 1_024;

/** Makes the message printable and limits its length, because it may contain any text of an external system. */
export const withShortMessage = (facts: ConditionFacts): ConditionFacts =>
  facts.message === undefined ? facts : { ...facts, message: shortened(printable(facts.message), longest) };
