import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { nearestFirst } from '../../apis/core/v1alpha1/likeness.ts';
import { firstNames, shortened } from '../../apis/core/v1alpha1/printable.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';
import { describeSelector, labelSelector } from '../../apis/core/v1alpha1/selector.ts';
import { drawClass } from '../claim/class-choice.ts';
import type { ClassChoice, ClassDecision, ClassFacts, ClassPolicy } from '../claim/decide-class.ts';
import { classDecisions, decideClass } from '../claim/decide-class.ts';

/** The maximum length of a selector in a message, so that the counts after it are not cut off. */
const longestSelector = 512;

export const schedulingDecisions = classDecisions(
  'InvalidClassSelector',
  'NoMatchingClass',
  'ClassNotFound',
  'AmbiguousClass',
);

export const needsScheduling = ({ spec }: Claim): boolean =>
  (spec.classSelector ?? spec.classRef) !== undefined && spec.resourceRef === undefined;

const scheduling: ClassPolicy = {
  needsClass: needsScheduling,
  choiceOf(claim) {
    const { classRef, classSelector = {} } = claim.spec;
    if (classRef !== undefined) return byName(classRef);
    const selects = labelSelector(classSelector);
    if (typeof selects === 'string') return { problem: `spec.classSelector.${selects}` };
    return {
      noneName: 'NoMatchingClass',
      qualifies: ({ metadata }) => selects(metadata.labels),
      choose: (fit) => drawClass(claim, fit),
      describeNone({ areIncompatible, counts }) {
        const selector = `spec.classSelector ${shortened(describeSelector(classSelector), longestSelector)}`;
        const problem = areIncompatible
          ? `no resource class can serve the claim and matches ${selector}`
          : `no resource class matches ${selector}; ${advice.labelClass}`;
        return [problem, ` (matching: ${counts})`];
      },
      describeChosen: (chosen, { length }) =>
        length === 1
          ? `selected ${chosen}, the only matching resource class`
          : `selected ${chosen} of ${length} matching resource classes`,
    };
  },
};

/** The class for an incomplete `classRef`: the only suitable class of that name, else the only class of that name. */
function byName({ name, kind, apiVersion }: ObjectReference): ClassChoice {
  return {
    noneName: 'ClassNotFound',
    qualifies: (candidate) =>
      candidate.metadata.name === name &&
      (kind ?? candidate.kind) === candidate.kind &&
      (apiVersion ?? candidate.apiVersion) === candidate.apiVersion,
    // If the only class of that name cannot serve the claim, the binding controller reports why.
    choose: (fit, all) => onlyOne(fit) ?? onlyOne(all),
    describeNone({ areIncompatible, fit, suitable }) {
      if (fit.length > 0) {
        const problem = `${fit.length} resource classes are named ${name}`;
        const kinds = fit.map((each) => `${each.kind} (${each.apiVersion})`).toSorted();
        return [`${problem}; ${advice.completeClassRef(kinds)}`, ''];
      }
      const none = areIncompatible ? 'that can serve the claim is named' : 'is named';
      const others =
        suitable.length === 0
          ? 'no class can serve the claim'
          : `these can serve the claim: ${named(nearestFirst(name ?? '', suitable, ({ metadata }) => metadata.name))}`;
      return [`no resource class ${none} ${name}; ${advice.correctClassRef(name)}`, `; ${others}`];
    },
    describeChosen: (chosen) => `selected ${chosen}, the only resource class of that name`,
  };
}

const onlyOne = (classes: readonly Class[]) => (classes.length === 1 ? classes[0] : undefined);

/** The kinds and names of up to five classes. */
const named = (classes: readonly Class[]): string =>
  firstNames(
    classes.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    5,
  ).join(', ');

/** Chooses the class of a claim with a class selector, or with a `classRef` that lacks its kind or API version. */
export const decideScheduling = (facts: ClassFacts): ClassDecision => decideClass(facts, scheduling);
