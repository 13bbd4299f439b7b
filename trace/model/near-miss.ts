import partition from 'lodash/partition.js';
import uniq from 'lodash/uniq.js';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import type { LabelSelector } from '../../apis/core/v1alpha1/selector.ts';
import { labelSelector } from '../../apis/core/v1alpha1/selector.ts';
import { annotate, kubectl, quoted } from './commands.ts';
import type { Details } from './fault-row.ts';
import { commandsIn } from './fault-row.ts';
import { thereOf } from './findings.ts';
import type { View } from './view.ts';
import { describeObject, keyOf, named } from './words.ts';

type Labels = Readonly<Record<string, string>>;

/** One requirement of a selector. */
interface Requirement {
  readonly key: string;
  readonly isMet: (labels: Labels | undefined) => boolean;
  /** A label that meets it on a class without this key. */
  readonly label?: string | undefined;
}

function requirementsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): readonly Requirement[] {
  const requirement = (key: string, value: string | undefined, part: LabelSelector): Requirement => {
    const selects = labelSelector(part);
    return {
      key,
      isMet: (labels) => typeof selects === 'function' && selects(labels),
      label: value === undefined ? undefined : `${key}=${value}`,
    };
  };
  return [
    ...Object.entries(matchLabels).map(([key, value]) =>
      requirement(key, value, { matchLabels: { [key]: value } }),
    ),
    ...matchExpressions.map((one) => {
      const value = one.operator === 'Exists' ? 'true' : one.operator === 'In' ? one.values?.[0] : undefined;
      return requirement(one.key, value, { matchExpressions: [one] });
    }),
  ];
}

interface ComparedClass {
  readonly class: Class;
  readonly kind: Kind;
  readonly met: readonly Requirement[];
  readonly unmet: readonly Requirement[];
}

/** All classes for the claim; the class that meets most of the selector is first. */
function comparedClasses({ classes, theClaim }: View): readonly ComparedClass[] {
  const requirements = requirementsOf(theClaim?.spec.classSelector ?? {});
  const all = classes.flatMap(({ service, classes: found }) =>
    (thereOf(found) ?? []).map((one): ComparedClass => {
      const [met, unmet] = partition(requirements, ({ isMet }) => isMet(one.metadata.labels));
      return { class: one, kind: service.class, met, unmet };
    }),
  );
  return all.toSorted(
    (a, b) => a.unmet.length - b.unmet.length || compareNames(a.class.metadata.name, b.class.metadata.name),
  );
}

/** An administrator may mark a class as the default; a class that is the default cannot serve this claim. */
export const noDefaultClass: Details = (view) => {
  const mark = `${annotationKeys.defaultClass}=true`;
  const nearest = comparedClasses(view).find(
    ({ class: { metadata } }) => metadata.annotations?.[annotationKeys.defaultClass] !== 'true',
  );
  return nearest === undefined
    ? { advice: `An administrator can make a class the default with the annotation ${mark}.` }
    : { commands: [annotate(nearest.kind, keyOf(nearest.class), mark)] };
};

/**
 * Advice about the nearest class. A label is proposed only if the class lacks its key: other claims may select an existing
 * label.
 */
export const nearestClass: Details = (view) => {
  const all = comparedClasses(view);
  const commands = commandsIn(view, 'edit claim');
  const [nearest] = all;
  if (nearest === undefined) return { commands };
  const { class: near, met, unmet } = nearest;
  if (met.length === 0 && unmet.length > 0)
    return { advice: `No class has any of it; ${labelsOf(all)}.`, commands };
  const name = describeObject(near);
  if (unmet.length === 0) {
    const advice = `${name} matches, but this claim cannot have it. Change the claim to what a class has, or ask an administrator to allow or add a class.`;
    return { advice, commands };
  }
  const { labels = {} } = near.metadata;
  const held = unmet.filter(({ key }) => key in labels).map(({ key }) => `${key}=${labels[key]}`);
  const lacking = unmet.flatMap(({ label }) => label ?? []);
  if (held.length > 0 || lacking.length < unmet.length) {
    const has = held.length === 0 ? '' : `, with ${held.join(', ')}`;
    const advice = `${name} is the nearest${has}. Select that, or ask an administrator for another class.`;
    return { advice, commands };
  }
  return {
    advice: `${name} is the nearest, without ${lacking.join(', ')}. Select its labels, or ask an administrator to label it.`,
    commands: [...commands, kubectl('label', nearest.kind, keyOf(near), ...lacking.map(quoted))],
  };
};

function labelsOf(all: readonly ComparedClass[]): string {
  const pairs = all.flatMap(({ class: { metadata } }) => Object.entries(metadata.labels ?? {}));
  const labels = uniq(pairs.map(([key, value]) => `${key}=${value}`)).toSorted(compareNames);
  return labels.length === 0 ? 'no class has a label' : `the labels of the classes are ${named(labels, 10)}`;
}
