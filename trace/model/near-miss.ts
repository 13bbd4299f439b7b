import partition from 'lodash/partition.js';
import uniq from 'lodash/uniq.js';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import { keyOf } from './fault-finding.ts';
import { thereOf } from './findings.ts';
import { named } from './link-parts.ts';
import { describeObject, kubectl, quoted } from './mend.ts';
import type { View } from './view.ts';
import type { Wish } from './wishes.ts';
import { wishesIn } from './wishes.ts';

/** A class, and how much of the claim's selector it meets. */
interface Labelled {
  readonly class: Class;
  readonly kind: Kind;
  /** What the selector asks for, and this class has. */
  readonly met: readonly Wish[];
  readonly unmet: readonly Wish[];
}

/** All classes that the claim might be given, those first that have most of what it selects. */
export function labelledClasses({ classes, theClaim }: View): readonly Labelled[] {
  const wishes = wishesIn(theClaim?.spec.classSelector ?? {});
  const all = classes.flatMap(({ service, classes: found }) =>
    (thereOf(found) ?? []).map((one): Labelled => {
      const [met, unmet] = partition(wishes, ({ isMet }) => isMet(one.metadata.labels));
      return { class: one, kind: service.class, met, unmet };
    }),
  );
  return all.toSorted(
    (a, b) => a.unmet.length - b.unmet.length || compareNames(a.class.metadata.name, b.class.metadata.name),
  );
}

/**
 * What comes nearest to the selector. A label is proposed only where the class has none of that key: one that it has is
 * what other claims select it by.
 */
export function nearMiss(view: View): { readonly advice?: string; readonly label?: string } {
  const all = labelledClasses(view);
  const [nearest] = all;
  if (nearest === undefined) return {};
  if (nearest.met.length === 0) {
    const labels = uniq(all.flatMap(({ class: { metadata } }) => labelsIn(metadata.labels))).toSorted(
      compareNames,
    );
    const there =
      labels.length === 0 ? 'no class has a label' : `the labels of the classes are ${named(labels, 10)}`;
    return { advice: `No class has any of it; ${there}.` };
  }
  const { class: near, unmet } = nearest;
  const who = describeObject(near);
  const { labels = {} } = near.metadata;
  const held = unmet.filter(({ key }) => key in labels).map(({ key }) => `${key}=${labels[key]}`);
  const lacking = unmet.flatMap(({ label }) => label ?? []);
  if (held.length > 0 || lacking.length < unmet.length) {
    const has = held.length === 0 ? '' : `, with ${held.join(', ')}`;
    return {
      advice: `${who} comes nearest${has}. The team may ask for that, or an administrator offer another class.`,
    };
  }
  return {
    advice: `${who} comes nearest, without ${lacking.join(', ')}. The team may ask for what it has, or an administrator label it.`,
    label: kubectl('label', nearest.kind, keyOf(near), ...lacking.map(quoted)),
  };
}

const labelsIn = (labels: Readonly<Record<string, string>> = {}): readonly string[] =>
  Object.entries(labels).map(([key, value]) => `${key}=${value}`);
