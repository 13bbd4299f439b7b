import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { describeReference } from '../../apis/core/v1alpha1/reference.ts';
import { going, link, missing, named, withheld } from './link-parts.ts';
import type { Link } from './trace.ts';
import type { View } from './view.ts';
import { conditionsOf, readyOf } from './view.ts';

/** The claim, with the decision of its controllers. */
export function claimLink(view: View, links: readonly Link[]): Link {
  const { theClaim, claim, now, subject } = view;
  const title = `${subject.known.kind.kind} ${objectKeyText(subject.key)}`;
  if (theClaim === undefined) return link('claim', title, missing(claim));
  const name = view.binding?.name ?? view.assignment?.name;
  const decided =
    theClaim.spec.classRef === undefined && theClaim.spec.resourceRef === undefined
      ? (view.assignment?.name ?? name)
      : name;
  return link('claim', title, {
    state: readyOf(theClaim).status === 'True' && !wasDeleted(theClaim) ? 'ok' : 'waits',
    says: [theClaim.status?.bindingPhase ?? 'no phase yet', ...going(theClaim, now)],
    conditions: conditionsOf(theClaim),
    ...(decided !== undefined && { decision: decided }),
    links: links.filter(({ state }) => state !== 'none'),
  });
}

/** How the claim gets its class. */
export function choiceLink({ choice, theClaim }: View): Link {
  if (choice === undefined || theClaim === undefined) return link('choice', 'class', { state: 'none' });
  const { by, sought, matching, all, incompatible = [], forbidden = 0, isMalformed } = choice;
  if (by === 'classRef' || by === 'resourceRef') {
    const named = theClaim.spec[by];
    return link('choice', 'chosen by name', {
      state: by === 'classRef' ? 'ok' : 'none',
      says: [`spec.${by} names ${describeReference(named ?? {})}`],
    });
  }
  const title = by === 'selector' ? `class selector ${sought ?? ''}`.trim() : 'default class';
  const isChosen = theClaim.spec.classRef !== undefined;
  if (isMalformed) return link('choice', title, { state: 'waits', says: ['is invalid'] });
  if (matching === undefined || all === undefined) {
    return link('choice', title, { state: 'unknown', says: [`the classes ${withheld}`] });
  }
  const names = matching.map(({ metadata }) => metadata.name);
  const { classRef } = theClaim.spec;
  const isUnmatched =
    isChosen &&
    !matching.some(({ kind, metadata }) => kind === classRef?.kind && metadata.name === classRef.name);
  const noun = by === 'selector' ? 'match' : 'are marked as default';
  return link('choice', title, {
    state: isChosen || matching.length > incompatible.length + forbidden ? 'ok' : 'waits',
    says: [
      `${matching.length} of ${all.length} classes ${noun}${names.length === 0 ? '' : `: ${named(names)}`}`,
      ...(forbidden === 0 ? [] : [`${forbidden} of them may not be claimed from this namespace`]),
      ...incompatible.map((why) => `cannot serve: ${why}`),
      ...(isChosen
        ? [
            `chosen: ${describeReference(classRef ?? {})}${isUnmatched ? ', which no longer matches; the claim keeps it' : ''}`,
          ]
        : []),
    ],
  });
}

/** The traced class, or the class that the claim names. */
export function classLink(view: View, links: readonly Link[] = []): Link {
  const { theClass, resourceClass, theClaim, theManaged, subject, now } = view;
  // The class of the claim's resource can be that of a previous claim.
  const { classRef: reference } = theClaim?.spec ?? {};
  const title =
    subject.known.sort === 'class'
      ? `${subject.known.kind.kind} ${subject.key.name}`
      : describeReference(reference ?? {});
  if (theClass === undefined) {
    const isUnknown = resourceClass.is === 'unsought' && reference !== undefined;
    const found = isUnknown
      ? ({ state: 'unknown', says: ['no stack here has this kind'] } as const)
      : missing(resourceClass);
    // An existing resource does not need its class.
    const isUnneeded = found.state === 'waits' && theManaged !== undefined;
    const parts = isUnneeded
      ? ({ state: 'ok', says: ['no longer exists; the resource does not need it'] } as const)
      : found;
    return link('class', title, parts);
  }
  const { specTemplate, metadata } = theClass;
  return link('class', title, {
    state: wasDeleted(theClass) ? 'waits' : 'ok',
    says: [
      `reclaim policy ${specTemplate.reclaimPolicy ?? 'Delete'}`,
      `publishes secrets in namespace ${specTemplate.writeConnectionSecretsToNamespace ?? '(none)'}`,
      ...(metadata.annotations?.[annotationKeys.defaultClass] === 'true' ? ['is a default'] : []),
      ...going(theClass, now),
    ],
    links,
  });
}

/** The claim that a managed resource names. */
export function claimOfResource({ theManaged, claim, theClaim }: View): readonly Link[] {
  const reference = theManaged?.spec.claimRef;
  if (reference === undefined) return [];
  const title = describeReference(reference);
  if (theClaim === undefined) return [link('claim', title, missing(claim))];
  return [
    link('claim', title, {
      state: readyOf(theClaim).status === 'True' ? 'ok' : 'waits',
      says: [theClaim.status?.bindingPhase ?? 'no phase yet'],
      conditions: conditionsOf(theClaim),
    }),
  ];
}
