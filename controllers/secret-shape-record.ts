/* The record of the shape that a claim's Secret has: which parts come from the shape, and not from the resource or a user. */

import { hash } from 'node:crypto';
import attempt from 'lodash/attempt.js';
import isEmpty from 'lodash/isEmpty.js';
import isPlainObject from 'lodash/isPlainObject.js';
import isString from 'lodash/isString.js';
import uniq from 'lodash/uniq.js';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import type { Class } from '../apis/core/v1alpha1/class.ts';
import { compareNames } from '../apis/core/v1alpha1/name-order.ts';
import type { Secret } from '../apis/core/v1alpha1/secret.ts';
import { whyKeyRefused } from '../apis/core/v1alpha1/template-metadata.ts';

type Texts = Readonly<Record<string, string>>;

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

/** The recorded shape of a claim's Secret, if all its parts stay because the class of the claim does not exist. */
export function retainedIn(
  target: Secret,
  { spec }: Claim,
  resourceClass: Class | undefined,
): Shaped | undefined {
  // guard: otherwise the deletion of a class removes entries that applications read
  return resourceClass === undefined && spec.classRef !== undefined ? shapedIn(target) : undefined;
}

/** The parts of a shape that a Secret has. */
interface Parts {
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly template: Texts;
  readonly only: boolean;
}

/**
 * The annotation that records the parts of a shape, and those that stay although their class is missing (`retained`). Empty
 * if there are none. With `retained` the digest differs, so that all is rendered again when the class exists again.
 */
export function recordOf({ labels, annotations, template, only }: Parts, retained?: Shaped): Texts {
  const hasTemplate = retained !== undefined || !isEmpty(template);
  const known = JSON.stringify([only, sortedEntries(template), retained === undefined]);
  const shaped: Shaped = {
    labels: sortedKeys(labels, retained?.labels),
    annotations: sortedKeys(annotations, retained?.annotations),
    entries: sortedKeys(template, retained?.entries),
    only,
    template: hasTemplate ? hash('sha256', known).slice(0, 16) : '',
  };
  const isShaped = Object.values(shaped).some((value: Shaped[keyof Shaped]) => !isEmpty(value));
  return isShaped ? { [shapedAnnotation]: JSON.stringify(shaped) } : {};
}

const sortedKeys = (texts: Texts, retained: readonly string[] = []): readonly string[] =>
  uniq([...Object.keys(texts), ...retained]).toSorted(compareNames);

const sortedEntries = (texts: Texts) => Object.entries(texts).toSorted(([a], [b]) => compareNames(a, b));

/** The labels or annotations of a Secret without those that a shape has set, and without the record. */
export function withoutShaped(texts: Texts | undefined, keys: readonly string[] = []): Texts {
  // guard: otherwise a user who edits the record makes the controllers remove their own annotations
  const shaped = new Set([shapedAnnotation, ...keys.filter((key) => whyKeyRefused(key) === undefined)]);
  return Object.fromEntries(Object.entries(texts ?? {}).filter(([key]) => !shaped.has(key)));
}

/** Whether two Secrets have the same recorded shape. */
export const isSameShape = (a: Secret, b: Secret): boolean =>
  a.metadata.annotations?.[shapedAnnotation] === b.metadata.annotations?.[shapedAnnotation];
