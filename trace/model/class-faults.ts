import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { describeReference } from '../../apis/core/v1alpha1/reference.ts';
import type { Find } from './fault-finding.ts';
import { claimKindOf, keyOf, sentence } from './fault-finding.ts';
import { thereOf } from './findings.ts';
import { annotate, describeObject, kubectl, quoted } from './mend.ts';
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
  if (binding?.row === 'K9 again' || theClaim.spec.resourceRef !== undefined) return undefined;
  const reason = readyOf(theClaim).reason ?? '';
  const isTold = ['NoMatchingClass', 'NoDefaultClass'].includes(reason);
  const isNone = choice.matching?.length === 0;
  if (!isNone && !(choice.matching === undefined && isTold)) return undefined;
  const nearest = nearestClass(view);
  if (choice.by === 'default') {
    return {
      link: 'choice',
      cause: `The claim names no class, and no class is the default.`,
      mend: [
        nearest === undefined
          ? `kubectl annotate <class kind> <class> ${annotationKeys.defaultClass}=true`
          : annotate(nearest.kind, keyOf(nearest.class), `${annotationKeys.defaultClass}=true`),
      ],
    };
  }
  const all = choice.all?.length;
  const many = all === undefined ? '' : ` (${all === 0 ? 'there are none' : `of ${all} there are`})`;
  return {
    link: 'choice',
    cause: `No class matches ${choice.sought ?? 'the selector'}${many}.`,
    ...(nearest !== undefined && {
      advice: `${describeObject(nearest.class)} comes nearest. An administrator may label it, or the team ask for another.`,
    }),
    mend:
      nearest === undefined
        ? [kubectl('edit', claimKindOf(view), keyOf(theClaim))]
        : [
            kubectl(
              'label',
              nearest.kind,
              keyOf(nearest.class),
              '--overwrite',
              ...nearest.lacking.map(quoted),
            ),
            kubectl('edit', claimKindOf(view), keyOf(theClaim)),
          ],
  };
};

interface Nearest {
  readonly class: Class;
  readonly kind: Kind;
  readonly lacking: readonly string[];
}

/** Of all classes the one that lacks the fewest of the labels that are asked for. */
function nearestClass({ classes, theClaim }: View): Nearest | undefined {
  const { matchLabels = {}, matchExpressions = [] } = theClaim?.spec.classSelector ?? {};
  const wanted = [
    ...Object.entries(matchLabels),
    ...matchExpressions.flatMap(({ key, operator, values = [] }) => {
      if (operator === 'In') return [[key, values[0] ?? ''] as const];
      return operator === 'Exists' ? [[key, 'true'] as const] : [];
    }),
  ];
  const all = classes.flatMap(({ service, classes: found }) =>
    (thereOf(found) ?? []).map((one) => ({
      class: one,
      kind: service.class,
      lacking: wanted
        .filter(([key, value]) => one.metadata.labels?.[key] !== value)
        .map(([k, v]) => `${k}=${v}`),
    })),
  );
  return all.toSorted((a, b) => a.lacking.length - b.lacking.length)[0];
}

/** What there is has another engine or version than the claim needs. */
export const versionMisfit: Find = (view) => {
  const { assignment, binding, choice, theClaim } = view;
  if (theClaim === undefined) return undefined;
  if (binding?.act === 'report' && binding.row === 'K14 unfit') {
    return {
      link: 'resource',
      cause: `${sentence(binding.event.message)}.`,
      mend: [kubectl('delete', claimKindOf(view), keyOf(theClaim))],
      advice: 'Then create it anew, with another resource or what this one has.',
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

/** What there is is not for the claim's namespace, or for nobody. */
export const namespaceNotAllowed: Find = (view) => {
  const { assignment, binding, choice, theClaim, theManaged, theClass, managedService, services } = view;
  if (theClaim === undefined) return undefined;
  const { namespace = '' } = theClaim.metadata;
  const advice =
    'An administrator may label the namespace as its namespaceSelector wants, or change that; or claim something else.';
  const label = `kubectl label namespace ${namespace} <label>=<value>`;
  if (binding?.act === 'report' && ['K14 forbidden', 'K14 unoffered'].includes(binding.row)) {
    const edit = managedService && theManaged && kubectl('edit', managedService.kind, keyOf(theManaged));
    const mend = binding.row === 'K14 forbidden' ? [label, edit] : [edit];
    const cause = `${sentence(binding.event.message)}.`;
    return { link: 'resource', cause, advice, mend: mend.filter((command) => command !== undefined) };
  }
  if (binding?.act === 'report' && binding.row === 'K7 forbidden') {
    const kind = services.find((service) => service.class.kind === theClass?.kind)?.class;
    const edit = kind && theClass && [kubectl('edit', kind, keyOf(theClass))];
    return {
      link: 'class',
      cause: `${sentence(binding.event.message)}.`,
      advice,
      mend: [label, ...(edit ?? [])],
    };
  }
  const { forbidden = 0, misfits = [] } = choice ?? {};
  if (assignment?.act === 'report' && forbidden > 0 && misfits.length === 0) {
    const cause = `Of the classes that match, none may be claimed from namespace ${namespace}.`;
    return {
      link: 'choice',
      cause,
      advice,
      mend: [label, kubectl('edit', claimKindOf(view), keyOf(theClaim))],
    };
  }
  const ready = readyOf(theClaim);
  if (ready.reason !== 'NamespaceNotAllowed' || binding !== undefined) return undefined;
  return { link: 'claim', cause: `${sentence(ready.message ?? ready.reason)}.`, advice, mend: [label] };
};

/** The claim names what no controller handles. */
export const unknownKind: Find = (view) => {
  const { theClaim, binding } = view;
  if (theClaim === undefined) return undefined;
  const isDecided = binding?.row === 'H7 unknown';
  if (!isDecided && readyOf(theClaim).reason !== 'UnknownKind') return undefined;
  const message = isDecided && binding.act === 'report' ? binding.event.message : readyOf(theClaim).message;
  return {
    link: theClaim.spec.resourceRef === undefined ? 'class' : 'resource',
    cause: `${sentence(message ?? 'the claim names a kind that no controller handles')}.`,
    advice: 'Run the stack that handles it (--stacks), or delete the claim and create it anew.',
    mend: [kubectl('delete', claimKindOf(view), keyOf(theClaim))],
  };
};

/** The class that the claim names is not there, and was not when it would have been needed. */
export const missingClass: Find = (view) => {
  const { resourceClass, theClaim, theManaged, held } = view;
  const reference = theClaim?.spec.classRef;
  if (theClaim === undefined || reference === undefined || resourceClass.is !== 'absent') return undefined;
  // Once it has a resource the class has done its part.
  if (theManaged !== undefined || held.is !== 'absent') return undefined;
  const others = view.classes
    .flatMap(({ classes }) => thereOf(classes) ?? [])
    .map(({ metadata }) => metadata.name);
  const there = others.length === 0 ? 'There are no classes.' : `There are ${others.toSorted().join(', ')}.`;
  return {
    link: 'class',
    cause: `The claim names ${describeReference(reference)}, which does not exist.`,
    advice: `Create that class, or delete the claim and create it with another. ${there}`,
    mend: [
      `kubectl apply -f <file with ${reference.kind} ${reference.name}>`,
      kubectl('delete', claimKindOf(view), keyOf(theClaim)),
    ],
  };
};
