import { annotationKeys, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { describeReference } from '../../apis/core/v1alpha1/reference.ts';
import { anotherClaim } from './another-claim.ts';
import type { Find } from './fault-finding.ts';
import { adviceOf, claimKindOf, keyOf, sentence } from './fault-finding.ts';
import { thereOf } from './findings.ts';
import { annotate, kubectl, making } from './mend.ts';
import { labelledClasses, nearMiss } from './near-miss.ts';
import type { View } from './view.ts';
import { readyOf } from './view.ts';

/** A selector that nobody can read. */
export const malformedSelector: Find = (view) =>
  view.choice?.isMalformed !== true || view.theClaim?.spec.classRef !== undefined
    ? undefined
    : {
        link: 'choice',
        cause: `The claim's selector makes no sense: ${said(view, 'spec.classSelector is malformed')}.`,
        mend: [kubectl('edit', claimKindOf(view), keyOf(view.theClaim!))],
      };

/** What was decided, else what the claim says. */
function said({ assignment, theClaim }: View, otherwise: string): string {
  if (assignment?.act === 'report') return assignment.message;
  return readyOf(theClaim).message ?? otherwise;
}

/** No class for a selector, or no default; names the class that lacks the least. */
export const noMatch: Find = (view) => {
  const { theClaim, choice, binding } = view;
  if (theClaim === undefined || theClaim.spec.classRef !== undefined || wasDeleted(theClaim))
    return undefined;
  if (choice?.by !== 'selector' && choice?.by !== 'default') return undefined;
  if (binding?.name === 'RecordName' || theClaim.spec.resourceRef !== undefined) return undefined;
  const reason = readyOf(theClaim).reason ?? '';
  const isTold = ['NoMatchingClass', 'NoDefaultClass'].includes(reason);
  const isNone = choice.matching?.length === 0;
  if (!isNone && !(choice.matching === undefined && isTold)) return undefined;
  const edit = kubectl('edit', claimKindOf(view), keyOf(theClaim));
  const all = choice.all?.length;
  if (choice.by === 'default') {
    const [first] = labelledClasses(view);
    const mark = `${annotationKeys.defaultClass}=true`;
    return {
      link: 'choice',
      cause: `The claim names no class, and no class is the default${all === 0 ? ' (there are none)' : ''}.`,
      ...(first === undefined && { advice: `An administrator may mark one with the annotation ${mark}.` }),
      mend: first === undefined ? [edit] : [annotate(first.kind, keyOf(first.class), mark)],
    };
  }
  const many = all === undefined ? '' : ` (${all === 0 ? 'there are none' : `of ${all} there are`})`;
  const { advice, label } = nearMiss(view);
  return {
    link: 'choice',
    cause: `No class matches ${choice.sought ?? 'the selector'}${many}.`,
    ...(advice !== undefined && { advice }),
    mend: [edit, ...(label === undefined ? [] : [label])],
  };
};

/** What there is has another engine or version than the claim needs. */
export const incompatible: Find = (view) => {
  const { assignment, binding, choice, theClaim, theManaged } = view;
  if (theClaim === undefined) return undefined;
  if (binding?.name === 'Incompatible') {
    const link = theManaged === undefined ? 'class' : 'resource';
    const todo = `Create another claim, with another ${link} or for what this one has`;
    return {
      link,
      cause: `${sentence(binding.message ?? '')}.`,
      ...anotherClaim(view, theClaim, todo),
    };
  }
  const [why] = choice?.misfits ?? [];
  if (why === undefined || assignment?.act !== 'report') return undefined;
  return {
    link: 'choice',
    cause: `Of the classes that match, none can serve the claim: ${(choice?.misfits ?? []).join('; ')}.`,
    advice: 'Ask for what a class has, or have an administrator offer a class that has it.',
    mend: [kubectl('edit', claimKindOf(view), keyOf(theClaim))],
  };
};

/** The claim names what no controller handles. */
export const unknownKind: Find = (view) => {
  const { theClaim, binding } = view;
  if (theClaim === undefined) return undefined;
  const isDecided = binding?.name === 'UnknownKind';
  if (!isDecided && readyOf(theClaim).reason !== 'UnknownKind') return undefined;
  const message = isDecided ? binding.message : readyOf(theClaim).message;
  return {
    link: theClaim.spec.resourceRef === undefined ? 'class' : 'resource',
    cause: `${sentence(message ?? 'the claim names a kind that no controller handles')}.`,
    ...anotherClaim(view, theClaim, 'Run the stack that handles it (--stacks); or create another claim'),
  };
};

/** The class that the claim names does not exist, and the claim has no resource yet. */
export const missingClass: Find = (view) => {
  const { binding, theClaim } = view;
  const reference = theClaim?.spec.classRef;
  if (binding?.name !== 'ClassMissing' || theClaim === undefined || reference === undefined) return undefined;
  const others = view.classes
    .flatMap(({ classes }) => thereOf(classes) ?? [])
    .map(({ metadata }) => metadata.name);
  const create = making(reference);
  const another = anotherClaim(view, theClaim, 'Create another claim, with one that exists', {
    ...create,
    advice: `Or create that class. ${create.advice}`,
  });
  return {
    link: 'class',
    cause: `The claim names ${describeReference(reference)}, which does not exist.`,
    ...(others.length === 0
      ? { ...adviceOf('There are no classes. Create that one.', create.advice), mend: create.mend }
      : { ...adviceOf(`There are ${others.toSorted().join(', ')}.`, another.advice), mend: another.mend }),
  };
};
