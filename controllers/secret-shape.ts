/*
 *   class: claimSecret ─┐
 *   claim: its own ─────┴─▶ shapeOf ─▶ contentOf(details) ─▶ labels, annotations and entries of the claim's Secret
 */

import { hash } from 'node:crypto';
import attempt from 'lodash/attempt.js';
import isEmpty from 'lodash/isEmpty.js';
import isPlainObject from 'lodash/isPlainObject.js';
import isString from 'lodash/isString.js';
import sumBy from 'lodash/sumBy.js';
import uniq from 'lodash/uniq.js';
import { advice } from '../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import type { SecretShape } from '../apis/core/v1alpha1/claim-secret.ts';
import { isBindingEntry, isEntryKey } from '../apis/core/v1alpha1/claim-secret.ts';
import type { Class } from '../apis/core/v1alpha1/class.ts';
import { compareNames } from '../apis/core/v1alpha1/name-order.ts';
import { firstNames } from '../apis/core/v1alpha1/printable.ts';
import type { Secret } from '../apis/core/v1alpha1/secret.ts';
import { whyKeyRefused } from '../apis/core/v1alpha1/template-metadata.ts';
import { rendered } from './secret-template.ts';

type Texts = Readonly<Record<string, string>>;

/** The labels, annotations and further entries that a claim and its class want. Those of the claim come first. */
export interface Shape extends Required<SecretShape> {
  /** The shape of the claim itself. An administrator edits the others, in the class. */
  readonly own: SecretShape;
}

/**
 * The shape that a claim and its class want. An entry, label or annotation of the claim replaces the one of the class.
 * `retained`: the record of a Secret whose class does not exist any more.
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

/** The most bytes of all values of a Secret that the API server accepts. */
const mostBytes = 1_048_576;

/** The content of a claim's Secret. Parts of the shape that cannot be written are left out. Pure. */
export function contentOf(
  { data = {} }: Pick<Secret, 'data'>,
  shape: Shape,
  resourceClass: Class | undefined,
): Content {
  const results = entriesOf(data, shape);
  const entries = results.flatMap(({ key, result }) =>
    'value' in result ? [[key, result.value.toString('base64')]] : [],
  );
  const problems = [
    ...results.flatMap(({ key, result }): readonly Problem[] =>
      'problem' in result
        ? [
            {
              text: `entry ${key} ${result.problem}`,
              isOwn: hasOwn(shape, 'template', key) || isOwnChoice(key, shape),
            },
          ]
        : [],
    ),
    ...refusedKeys(shape, 'labels', 'label'),
    ...refusedKeys(shape, 'annotations', 'annotation'),
  ];
  return {
    labels: withoutRefused(shape.labels),
    annotations: withoutRefused(shape.annotations),
    data: { ...(shape.only ? {} : data), ...Object.fromEntries(entries) },
    incomplete: textOf(problems, data, resourceClass),
  };
}

/** The entry of each template, or why there is none, by key. All of them fit into one Secret. */
function entriesOf(data: Texts, { template, only }: Shape) {
  const keys = Object.keys(template).toSorted(compareNames);
  // Most claims have no template: their details are not decoded.
  const decoded = keys.length === 0 ? [] : Object.entries(data);
  const details = new Map(decoded.map(([key, value]) => [key, Buffer.from(value, 'base64')]));
  let roomBytes = mostBytes - (only ? 0 : sumBy([...details.values()], 'length'));
  return keys.map((key) => {
    const result = whyNoEntry(key, only) ?? rendered(template[key] ?? '', details, roomBytes);
    if ('value' in result) roomBytes -= result.value.length;
    return { key, result };
  });
}

/** A definition with rules refuses these entries, but not if claim and class do not agree about `only`. */
function whyNoEntry(key: string, only: boolean): { readonly problem: string } | undefined {
  if (!isEntryKey(key)) return { problem: 'has a key that no Secret can have' };
  return !only && isBindingEntry(key) ? { problem: 'belongs to Service Binding' } : undefined;
}

type Field = 'labels' | 'annotations' | 'template';

const hasOwn = ({ own }: Shape, field: Field, key: string): boolean => Object.hasOwn(own[field] ?? {}, key);

/** The class has this entry instead of the details, and the claim wants the details, too. */
const isOwnChoice = (key: string, { own }: Shape): boolean => own.only === false && isBindingEntry(key);

const isRefused = (key: string): boolean => whyKeyRefused(key) !== undefined;

const withoutRefused = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => !isRefused(key)));

const refusedKeys = (shape: Shape, field: 'labels' | 'annotations', noun: string): readonly Problem[] =>
  Object.keys(shape[field])
    .filter(isRefused)
    .map((key) => ({ text: `${noun} ${key} ${whyKeyRefused(key)}`, isOwn: hasOwn(shape, field, key) }));

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

/** On a claim's Secret: the parts that come from its shape. They are removed with it, and rendered again if it changes. */
export const shapedAnnotation = 'crossplane.io/secret-shape';

export interface Shaped {
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
  /** The entries of the template. */
  readonly entries: readonly string[];
  readonly only: boolean;
  /** A digest of the template. */
  readonly template: string;
}

/** The recorded shape of a claim's Secret. Undefined: none. */
export function shapedIn({ metadata }: Secret): Shaped | undefined {
  const recorded = metadata.annotations?.[shapedAnnotation];
  const parsed: unknown = recorded === undefined ? undefined : attempt(JSON.parse, recorded);
  if (!isPlainObject(parsed)) return undefined;
  const { labels, annotations, entries, only, template } = parsed as Record<string, unknown>;
  const keys = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.filter((key) => isString(key)) : [];
  return {
    labels: keys(labels),
    annotations: keys(annotations),
    entries: keys(entries),
    only: only === true,
    template: isString(template) ? template : '',
  };
}

/**
 * The annotation that records a shape. Empty if there is none. `retained`: the record of the parts of a missing class, which
 * stay. The digest then differs, so that all is rendered again when the class exists again.
 */
export function recordOf(
  { template, only }: Shape,
  { labels, annotations }: Content,
  retained?: Shaped,
): Texts {
  const hasTemplate = retained !== undefined || !isEmpty(template);
  const known = JSON.stringify([only, sortedEntries(template), retained === undefined]);
  const shaped: Shaped = {
    labels: sorted(labels, retained?.labels),
    annotations: sorted(annotations, retained?.annotations),
    entries: sorted(template, retained?.entries),
    only,
    template: hasTemplate ? hash('sha256', known).slice(0, 16) : '',
  };
  const isShaped = Object.values(shaped).some((value: Shaped[keyof Shaped]) => !isEmpty(value));
  return isShaped ? { [shapedAnnotation]: JSON.stringify(shaped) } : {};
}

const sorted = (texts: Texts, retained: readonly string[] = []): readonly string[] =>
  uniq([...Object.keys(texts), ...retained]).toSorted(compareNames);

const sortedEntries = (texts: Texts) => Object.entries(texts).toSorted(([a], [b]) => compareNames(a, b));

/** The metadata of a Secret without the recorded labels or annotations of a shape, and without the record. */
export function withoutShaped(texts: Texts | undefined, keys: readonly string[] = []): Texts {
  // guard: otherwise a user who edits the record makes the controllers remove their own annotations
  const shaped = new Set([shapedAnnotation, ...keys.filter((key) => !isRefused(key))]);
  return Object.fromEntries(Object.entries(texts ?? {}).filter(([key]) => !shaped.has(key)));
}

/** Whether two Secrets have the same recorded shape. */
export const isSameShape = (a: Secret, b: Secret): boolean =>
  a.metadata.annotations?.[shapedAnnotation] === b.metadata.annotations?.[shapedAnnotation];
