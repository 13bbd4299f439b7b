import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import { isDefaultClass } from '../../../apis/core/v1alpha1/class.ts';
import { newestFirst } from '../claim/class-choice.ts';
import type { ClassDecision, ClassFacts, ClassPolicy } from '../claim/decide-class.ts';
import { classDecisions, decideClass } from '../claim/decide-class.ts';

export const defaultingDecisions = classDecisions('NoDefaultClass');

export const needsDefaulting = ({ spec }: Claim): boolean =>
  spec.classSelector === undefined && spec.classRef === undefined && spec.resourceRef === undefined;

const defaulting: ClassPolicy = {
  needsClass: needsDefaulting,
  choiceOf: () => ({
    noneName: 'NoDefaultClass',
    qualifies: isDefaultClass,
    choose: (fit) => newestFirst(fit)[0],
    describeNone({ areIncompatible, counts }) {
      const none = areIncompatible ? 'that can serve it is the default' : 'is the default';
      const problem = `the claim names no class and no resource class ${none}: ${advice.markDefault}`;
      return [problem, ` (defaults: ${counts})`];
    },
    describeChosen: (chosen, fit) => `defaulted to ${chosen}${alsoDefault(newestFirst(fit).slice(1))}`,
  }),
};

function alsoDefault(others: readonly Class[]): string {
  const names = others.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
  return names.length === 0 ? '' : `, the newest default; also marked as default: ${names.join(', ')}`;
}

/**
 * Decides whether a claim without a class, selector or resource gets a default class. If there are several, the newest
 * is used, as with StorageClasses, and the Event names the others.
 */
export const decideDefaulting = (facts: ClassFacts): ClassDecision => decideClass(facts, defaulting);
