/*
 *   class: claimSecret ─┐
 *   claim: its own ─────┴─▶ shapeOf ─▶ contentOf(details) ─▶ labels, annotations and entries of the claim's Secret
 */

import isEmpty from 'lodash/isEmpty.js';
import sumBy from 'lodash/sumBy.js';
import uniq from 'lodash/uniq.js';
import { advice } from '../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import type { SecretShape } from '../apis/core/v1alpha1/claim-secret.ts';
import { isBindingEntry, isEntryKey, notEntryKey } from '../apis/core/v1alpha1/claim-secret.ts';
import type { Class } from '../apis/core/v1alpha1/class.ts';
import { compareNames } from '../apis/core/v1alpha1/name-order.ts';
import { firstNames, shortened } from '../apis/core/v1alpha1/printable.ts';
import type { Secret } from '../apis/core/v1alpha1/secret.ts';
import { whyKeyRefused } from '../apis/core/v1alpha1/template-metadata.ts';
import type { Shaped } from './secret-shape-record.ts';
import { rendered } from './secret-template.ts';

type Texts = Readonly<Record<string, string>>;

/** The labels, annotations and further entries that a claim and its class want. Those of the claim come first. */
export interface Shape extends Required<SecretShape> {
  /** The shape of the claim itself. An administrator edits the others, in the class. */
  readonly own: SecretShape;
}

/**
 * The shape that a claim and its class want. An entry, label or annotation of the claim replaces the one of the class.
 * `retained`: the recorded shape of a Secret whose class does not exist any more.
 */
export function shapeOf({ spec }: Claim, resourceClass: Class | undefined, retained?: Shaped): Shape {
  const { labels, annotations, template, only } = spec.writeConnectionSecretToRef ?? {};
  const shared: SecretShape = resourceClass?.specTemplate.claimSecret ?? {};
  const all = { ...shared.template, ...template };
  const hasEntries = !isEmpty(all) || !isEmpty(retained?.entries);
  return {
    own: spec.writeConnectionSecretToRef ?? {},
    labels: { ...shared.labels, ...labels },
    annotations: { ...shared.annotations, ...annotations },
    template: all,
    only: (only ?? shared.only ?? retained?.only ?? false) && hasEntries,
  };
}

/** The parts of a claim's Secret that follow from the connection details and the shape. */
export interface Content {
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly data: Texts;
  /** The parts of the shape that the Secret lacks, with the reason and the advice. Undefined: none. */
  readonly incomplete: string | undefined;
}

/** A part of the shape that cannot be written. */
interface Problem {
  readonly text: string;
  /** Whether the claim itself causes it, and not its class. */
  readonly isOwn: boolean;
}

/** The content of a claim's Secret. Parts of the shape that cannot be written are left out. Pure. */
export function contentOf(
  { data = {} }: Pick<Secret, 'data'>,
  shape: Shape,
  resourceClass: Class | undefined,
): Content {
  const { entries, problems } = entriesOf(data, shape);
  const all = [
    ...problems,
    ...refusedKeys(shape, 'labels', 'label'),
    ...refusedKeys(shape, 'annotations', 'annotation'),
  ];
  return {
    labels: withoutRefused(shape.labels),
    annotations: withoutRefused(shape.annotations),
    data: { ...(shape.only ? {} : data), ...entries },
    incomplete: textOf(all, data, resourceClass),
  };
}

/** The most bytes of all values of a Secret that the API server accepts. */
const mostBytes = 1_048_576;

/** The entries of the templates, and why some are missing. All of them fit into one Secret. */
function entriesOf(
  data: Texts,
  shape: Shape,
): { readonly entries: Texts; readonly problems: readonly Problem[] } {
  const { template, only } = shape;
  const keys = Object.keys(template).toSorted(compareNames);
  // Most claims have no template: their details are not decoded.
  const decoded = keys.length === 0 ? [] : Object.entries(data);
  const details = new Map(decoded.map(([key, value]) => [key, Buffer.from(value, 'base64')]));
  let roomBytes = mostBytes - (only ? 0 : sumBy([...details.values()], 'length'));
  const entries: (readonly [key: string, value: string])[] = [];
  const problems: Problem[] = [];
  for (const key of keys) {
    const result = whyNoEntry(key, only) ?? rendered(template[key] ?? '', details, roomBytes);
    if ('problem' in result) {
      problems.push({ text: `entry ${shown(key)} ${result.problem}`, isOwn: isOwnEntry(key, shape) });
    } else {
      roomBytes -= result.value.length;
      entries.push([key, result.value.toString('base64')]);
    }
  }
  return { entries: Object.fromEntries(entries), problems };
}

/** A definition with rules refuses these entries, but not if claim and class do not agree about `only`. */
function whyNoEntry(key: string, only: boolean): { readonly problem: string } | undefined {
  if (!isEntryKey(key)) return { problem: `has a key that ${notEntryKey}` };
  return !only && isBindingEntry(key) ? { problem: 'belongs to Service Binding' } : undefined;
}

/** The key in a message. A definition without rules admits one that is longer than the message. */
const shown = (key: string): string => shortened(key, longestShown);

/** Whether the claim has the entry, or wants the details beside an entry that the class has instead of them. */
const isOwnEntry = (key: string, { own }: Shape): boolean =>
  Object.hasOwn(own.template ?? {}, key) || (own.only === false && isBindingEntry(key));

const isRefused = (key: string): boolean => whyKeyRefused(key) !== undefined;

const withoutRefused = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => !isRefused(key)));

const refusedKeys = (
  { own, ...shape }: Shape,
  field: 'labels' | 'annotations',
  noun: string,
): readonly Problem[] =>
  Object.keys(shape[field])
    .filter(isRefused)
    .map((key) => ({
      text: `${noun} ${shown(key)} ${whyKeyRefused(key)}`,
      isOwn: Object.hasOwn(own[field] ?? {}, key),
    }));

/** The most characters of a key in a message. */
const longestShown = 100;
/** How many problems a message names. */
const mostNamed = 3;

function textOf(
  problems: readonly Problem[],
  data: Texts,
  resourceClass: Class | undefined,
): string | undefined {
  if (problems.length === 0) return undefined;
  const named = firstNames(
    problems.map(({ text }) => text),
    mostNamed,
  );
  const keys = Object.keys(data).toSorted(compareNames);
  const ways = problems.map(({ isOwn }) =>
    isOwn ? advice.correctShape : advice.correctClassShape(resourceClass?.metadata.name ?? ''),
  );
  return [named.join(', '), `the keys are ${keys.join(', ')}`, ...uniq(ways)].join('; ');
}
