import partition from 'lodash/partition.js';
import uniq from 'lodash/uniq.js';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import type { LabelSelector } from '../../apis/core/v1alpha1/selector.ts';
import { labelSelector } from '../../apis/core/v1alpha1/selector.ts';
import { annotate, describeObject, kubectl, quoted } from './commands.ts';
import { claimKindOf, keyOf } from './fault-parts.ts';
import type { Details } from './fault-row.ts';
import { thereOf } from './findings.ts';
import { named } from './link-parts.ts';
import type { View } from './view.ts';

/** One requirement of a selector. */
interface Requirement {
  readonly key: string;
  readonly isMet: (labels: Readonly<Record<string, string>> | undefined) => boolean;
  /** A label that meets it on a class without this key. */
  readonly label?: string | undefined;
}

function requirementsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): readonly Requirement[] {
  const requirement = (key: string, value: string | undefined, part: LabelSelector): Requirement => {
    const selects = labelSelector(part);
    return {
      key,
      isMet: (labels) => typeof selects === 'function' && selects(labels),
      ...(value !== undefined && { label: `${key}=${value}` }),
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

export const noDefaultClass: Details = (view) => {
  const [nearest] = comparedClasses(view);
  const mark = `${annotationKeys.defaultClass}=true`;
  if (nearest !== undefined) return { commands: [annotate(nearest.kind, keyOf(nearest.class), mark)] };
  return {
    ...(view.choice?.all?.length === 0 && {
      cause: 'The claim names no class, and no class is the default (there are none).',
    }),
    advice: `An administrator can make a class the default with the annotation ${mark}.`,
  };
};

export const nearestClass: Details = (view) => {
  const { advice, label } = nearMiss(comparedClasses(view));
  const edit = view.theClaim ? [kubectl('edit', claimKindOf(view), keyOf(view.theClaim))] : [];
  return {
    ...(advice !== undefined && { advice }),
    commands: [...edit, ...(label === undefined ? [] : [label])],
  };
};

/** The nearest class. A label is proposed only if the class lacks its key: other claims may select an existing label. */
function nearMiss(all: readonly ComparedClass[]): { readonly advice?: string; readonly label?: string } {
  const [nearest] = all;
  if (nearest === undefined) return {};
  if (nearest.met.length === 0) {
    const pairs = all.flatMap(({ class: { metadata } }) => labelsIn(metadata.labels));
    const labels = uniq(pairs).toSorted(compareNames);
    const existing =
      labels.length === 0 ? 'no class has a label' : `the labels of the classes are ${named(labels, 10)}`;
    return { advice: `No class has any of it; ${existing}.` };
  }
  const { class: near, unmet } = nearest;
  const name = describeObject(near);
  const { labels = {} } = near.metadata;
  const held = unmet.filter(({ key }) => key in labels).map(({ key }) => `${key}=${labels[key]}`);
  const lacking = unmet.flatMap(({ label }) => label ?? []);
  if (held.length > 0 || lacking.length < unmet.length) {
    const has = held.length === 0 ? '' : `, with ${held.join(', ')}`;
    return {
      advice: `${name} is the nearest${has}. Select that, or ask an administrator for another class.`,
    };
  }
  return {
    advice: `${name} is the nearest, without ${lacking.join(', ')}. Select its labels, or ask an administrator to label it.`,
    label: kubectl('label', nearest.kind, keyOf(near), ...lacking.map(quoted)),
  };
}

const labelsIn = (labels: Readonly<Record<string, string>> = {}): readonly string[] =>
  Object.entries(labels).map(([key, value]) => `${key}=${value}`);
