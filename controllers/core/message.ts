import type { ConditionFacts } from '../../apis/core/v1alpha1/condition.ts';

/** Characters that a condition's message may have: a person reads it, and others keep it. */
const longest = 1_024;

/** The text, cut where it is too long: it may hold what somebody else wrote, however much that is. */
export const shortened = (text: string, length = longest): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

export const withShortMessage = (facts: ConditionFacts): ConditionFacts =>
  facts.message === undefined ? facts : { ...facts, message: shortened(facts.message) };
