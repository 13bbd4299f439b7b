import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { ineffectiveDefault, isDefaultClass } from '../../apis/core/v1alpha1/class.ts';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import { firstNames } from '../../apis/core/v1alpha1/printable.ts';
import { newestFirst } from '../claim/class-choice.ts';
import type { ClassDecision, ClassFacts, ClassPolicy } from '../claim/decide-class.ts';
import { classDecisions, decideClass } from '../claim/decide-class.ts';

export const defaultingDecisions = classDecisions('NoDefaultClass');

export const needsDefaulting = ({ spec }: Claim): boolean =>
  spec.classSelector === undefined && spec.classRef === undefined && spec.resourceRef === undefined;

/** A message names at most this many classes whose annotation has no effect. */
const maxNearly = 3;

const defaulting: ClassPolicy = {
  needsClass: needsDefaulting,
  choiceOf: () => ({
    noneName: 'NoDefaultClass',
    qualifies: isDefaultClass,
    choose: (fit) => newestFirst(fit)[0],
    describeNone({ areIncompatible, counts, suitable }) {
      const none = areIncompatible ? 'that can serve it is the default' : 'is the default';
      const problem = `the claim names no class and no resource class ${none}${nearlyDefault(suitable)}: ${advice.markDefault}`;
      return [problem, ` (defaults: ${counts})`];
    },
    describeChosen: (chosen, fit) => `defaulted to ${chosen}${alsoDefault(newestFirst(fit).slice(1))}`,
  }),
};

/** Classes that an administrator wanted to make the default. */
function nearlyDefault(classes: readonly Class[]): string {
  const marked = classes.flatMap((one) => {
    const value = ineffectiveDefault(one);
    return value === undefined ? [] : [`${one.kind} ${one.metadata.name} has "${value}"`];
  });
  const names = firstNames(marked.toSorted(compareNames), maxNearly).join(', ');
  return names === '' ? '' : ` (the annotation must be exactly "true", and ${names})`;
}

function alsoDefault(others: readonly Class[]): string {
  const names = others.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
  return names.length === 0 ? '' : `, the newest default; also marked as default: ${names.join(', ')}`;
}

/**
 * Decides whether a claim without a class, selector or resource gets a default class. If there are several, the newest
 * is used, as with StorageClasses, and the log names the others.
 */
export const decideDefaulting = (facts: ClassFacts): ClassDecision => decideClass(facts, defaulting);
