import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { shortened } from '../../../apis/core/v1alpha1/printable.ts';
import { describeSelector, labelSelector } from '../../../apis/core/v1alpha1/selector.ts';
import { drawClass } from '../claim/class-choice.ts';
import type { ClassDecision, ClassFacts, ClassPolicy } from '../claim/decide-class.ts';
import { classDecisions, decideClass } from '../claim/decide-class.ts';

/** Characters of a selector in a message, so that the counts after it are not cut off. */
const longestSelector = 512;

export const schedulingDecisions = classDecisions('InvalidClassSelector', 'NoMatchingClass');

export const needsScheduling = ({ spec }: Claim): boolean =>
  spec.classSelector !== undefined && spec.resourceRef === undefined;

const scheduling: ClassPolicy = {
  needsClass: needsScheduling,
  choiceOf(claim) {
    const { classSelector = {} } = claim.spec;
    const selects = labelSelector(classSelector);
    if (typeof selects === 'string') return { problem: `spec.classSelector.${selects}` };
    return {
      noneName: 'NoMatchingClass',
      qualifies: ({ metadata }) => selects(metadata.labels),
      choose: (fit) => drawClass(claim, fit),
      describeNone(areIncompatible, counts) {
        const none = areIncompatible ? 'can serve the claim and matches' : 'matches';
        const selector = shortened(describeSelector(classSelector), longestSelector);
        return `no resource class ${none} spec.classSelector ${selector} (matching: ${counts})`;
      },
      describeChosen: (chosen, { length }) =>
        length === 1
          ? `selected ${chosen}, the only matching resource class`
          : `selected ${chosen} of ${length} matching resource classes`,
    };
  },
};

/** Decides whether a claim with a class selector gets a class: one of the matching classes. */
export const decideScheduling = (facts: ClassFacts): ClassDecision => decideClass(facts, scheduling);
