import type { ConditionFacts } from '../../apis/core/v1alpha1/condition.ts';
import { printable, shortened } from '../../apis/core/v1alpha1/printable.ts';

/** Characters. */
const longest = 1_024;

/** Makes a message printable and cuts it. It may contain text of other systems. */
export const withShortMessage = (facts: ConditionFacts): ConditionFacts =>
  facts.message === undefined ? facts : { ...facts, message: shortened(printable(facts.message), longest) };
