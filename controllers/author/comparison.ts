/*
 *   forProvider ─┐
 *   the schema  ─┼─▶ change: to be sent ─ refused: to be reported ─ observation: up to date? late fields?
 *   the cloud's ─┘
 */

import get from 'lodash/get.js';
import isEmpty from 'lodash/isEmpty.js';
import isEqual from 'lodash/isEqual.js';
import isNil from 'lodash/isNil.js';
import partition from 'lodash/partition.js';
import setWith from 'lodash/setWith.js';
import xorWith from 'lodash/xorWith.js';
import { z } from 'zod';
import type { SchemaField } from '../../apis/core/marks.ts';
import { fieldsOf, unwrapped } from '../../apis/core/marks.ts';
import type { Definition } from '../../apis/core/schema.ts';
import type { ReadyFacts } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { ChangeRefused } from '../../clients/external-error.ts';
import type { Observation } from '../managed/connecting/external-client.ts';
import { recordedIdentity, refusedChanges } from '../managed/recording/identity.ts';

type ForProvider<M extends Managed> = NonNullable<M['spec']['forProvider']>;

/** A value with fields. Lists, maps and single values have none. */
type WithFields<T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? string extends keyof T
      ? never
      : T
    : never;

type PartialDeep<T> = [WithFields<T>] extends [never]
  ? T
  : { readonly [F in keyof T]?: PartialDeep<Exclude<T[F], undefined>> };

type Stated<T> = [WithFields<T>] extends [never]
  ? T
  : { readonly [F in keyof T]?: Stated<Exclude<T[F], undefined>> | undefined };

/** The wanted values of the fields of `forProvider` that differ, and of objects within it. */
export type Wanted<M extends Managed> = PartialDeep<ForProvider<M>>;

/**
 * The cloud's values for the fields of `forProvider`. `undefined`: the cloud has no value. A field that the cloud does
 * not report is left out, and not compared.
 */
export type Actual<M extends Managed> = Stated<ForProvider<M>>;

/** The differences between a spec and the external resource. */
export interface Comparison<M extends Managed> {
  /** The wanted values of the fields that differ and can be changed. */
  readonly change: Wanted<M>;
  /** The paths in `change`, in the form of a field mask: `network.cidr`. */
  readonly changed: readonly string[];
  /**
   * The fields that differ and cannot be changed, for messages: `spec.forProvider.version from "5.7" to "8.0"`. See
   * {@link refuse}.
   */
  readonly refused: readonly string[];
  /** The same for recorded fields that were not edited here: the cloud has another value. */
  readonly drifted: readonly string[];
  /**
   * The part of an observation for `observe`. If the cloud is not changed field by field, see {@link observing}.
   * `difference` names fields; it contains values only of refused fields.
   */
  readonly observation: Pick<
    Observation<M>,
    'isUpToDate' | 'lateInitialized' | 'difference' | 'differing' | 'refused' | 'drifted'
  >;
}

/** Compares a managed resource with the answer of the external system; see {@link comparison}. */
export type Compare<M extends Managed> = (managed: M, actual: Actual<M>) => Comparison<M>;

/** The exceptions for one field: how it is compared, and whether it can be changed. */
export interface FieldRule<V> {
  /** Whether both values mean the same: see {@link inAnyOrder}, {@link inAnyCase}. Default: deep equality. */
  equals?(wanted: V, actual: V): boolean;
  /**
   * Whether the cloud can change the field; `from` is undefined if it has no value. Default: yes, unless the field is
   * immutable.
   */
  mayChange?(from: V | undefined, to: V): boolean;
  /** The wanted value if neither the spec nor the creation names one. Default: the cloud's value. */
  readonly absent?: V;
}

type FieldPath<T> = {
  [F in keyof T & string]: [WithFields<Exclude<T[F], undefined>>] extends [never]
    ? F
    : F | `${F}.${FieldPath<Exclude<T[F], undefined>>}`;
}[keyof T & string];

type ValueAt<T, P extends string> = P extends keyof T
  ? Exclude<T[P], undefined>
  : P extends `${infer F}.${infer Rest}`
    ? F extends keyof T
      ? ValueAt<Exclude<T[F], undefined>, Rest>
      : never
    : never;

/** Rules by field: `{ 'network.cidr': { equals: inAnyCase } }`. */
export type FieldRules<M extends Managed> = {
  readonly [P in FieldPath<ForProvider<M>>]?: FieldRule<ValueAt<ForProvider<M>, P>>;
};

/** Compares lists as sets: order and repetition do not count. */
export const inAnyOrder = (wanted: readonly unknown[], actual: readonly unknown[]): boolean =>
  xorWith(wanted, actual, isEqual).length === 0;

/** Whether both texts are equal in lower case, for systems that change the case of names. */
export const inAnyCase = (wanted: string, actual: string): boolean =>
  wanted.toLowerCase() === actual.toLowerCase();

/**
 * Throws a ChangeRefused that lists the fields that cannot be changed, with advice. Call it in `update`, after the
 * other changes were sent.
 */
export function refuse(compared: Refused): void {
  const refusals = refusedChanges(compared);
  if (refusals.length > 0) throw new ChangeRefused(refusals);
}

/**
 * The same part of an observation for a cloud that is not changed field by field. `differing` names the changes instead
 * of the fields of `change`. Fields that cannot be changed are still reported.
 */
export function observing<M extends Managed>(
  { refused, drifted, observation }: Pick<Comparison<M>, 'refused' | 'drifted' | 'observation'>,
  differing: readonly string[],
): Comparison<M>['observation'] {
  const { difference: _fields, ...rest } = observation;
  const all = [...differing, ...refused, ...drifted];
  return { ...rest, isUpToDate: all.length === 0, ...(all.length > 0 && { difference: all.join(', ') }) };
}

/**
 * The part of an observation for a cloud that accepts no changes now, and the reason. During a creation and a deletion
 * nothing is compared, because the cloud does not report all values yet.
 */
export function notNow<M extends Managed>(
  { changed, observation }: Pick<Comparison<M>, 'changed' | 'observation'>,
  { operation, ready }: Pick<Observation, 'operation'> & { readonly ready: ReadyFacts },
  noun: string,
): Pick<
  Observation<M>,
  'isUpToDate' | 'unchangeable' | 'lateInitialized' | 'difference' | 'differing' | 'refused' | 'drifted'
> {
  const { difference: _fields, differing, ...rest } = observation;
  const isCompared = operation !== 'create' && operation !== 'delete' && changed.length > 0;
  return {
    ...rest, // `refused` and `drifted`: a value that differs is not recorded as the identity
    isUpToDate: !isCompared,
    unchangeable: whyNotNow(ready, noun),
    ...(isCompared && { difference: changed.join(', '), ...(differing && { differing }) }),
  };
}

const whyNotNow = ({ message }: ReadyFacts, noun: string): string =>
  message ?? `the ${noun} accepts no changes now`;

/** The part of a {@link Comparison} that an observation reports. */
type Refused = Pick<Comparison<Managed>, 'refused' | 'drifted'>;

/** A field that is compared as a whole. */
interface Leaf extends SchemaField {
  readonly isImmutable: boolean;
  readonly isLate: boolean;
  readonly rule: FieldRule<unknown>;
}

type FieldRulesByPath = Readonly<Record<string, FieldRule<unknown> | undefined>>;

function leavesOf(
  object: z.ZodObject,
  rules: FieldRulesByPath,
  { path: above, isLate: isLateAbove }: Pick<Leaf, 'path' | 'isLate'> = { path: [], isLate: false },
): readonly Leaf[] {
  return fieldsOf(object, above).flatMap((field): readonly Leaf[] => {
    const { path, schema, marks } = field;
    const rule = rules[path.join('.')];
    const isImmutable = marks.includes('immutable') || marks.includes('identity');
    const isLate = isLateAbove || marks.includes('late');
    const isWhole = !(schema instanceof z.ZodObject) || isImmutable || rule !== undefined;
    return isWhole
      ? [{ ...field, isImmutable, isLate, rule: rule ?? {} }]
      : leavesOf(schema, rules, { path, isLate });
  });
}

/**
 * Compares resources of a kind with the external resource, by the kind's schema. The result has three parts: fields
 * that differ and can be changed; fields marked immutable or identity that differ; fields marked late that have no value.
 *
 * Objects are compared field by field, because the cloud chooses fields that the spec leaves out. Lists and maps are
 * compared as a whole; an absent one equals an empty one, and so does an absent text. `initProvider` was used at the
 * creation. Here it only prevents late initialization of its fields. So does a reference or a selector that is named after
 * its field (`networkIdRef`).
 * Throws an Error that names the field rules without effect.
 *
 *     const compare = comparison(QueueKind, { zones: { equals: inAnyOrder } });
 *     …
 *     const { observation } = compare(queue, { size: found.sizeInGb, zones: found.zones, region: found.region });
 *     return { exists: true, ...observation, ready: available() };
 */
export function comparison<M extends Managed>(
  kind: Definition<M>,
  fieldRules: FieldRules<NoInfer<M>> = {},
): Compare<M> {
  const leaves = leavesOf(forProviderIn(kind), fieldRules as FieldRulesByPath);
  checkFieldRules(kind, fieldRules as FieldRulesByPath, leaves);

  return (managed, actual) => {
    const { spec } = managed;
    const differences = leaves.flatMap((leaf) => differenceAt(leaf, spec, actual) ?? []);
    const [changed, unchangeable] = partition(differences, ({ mayChange }) => mayChange);
    const recorded = recordedIdentity(managed, { immutable: kind.marks?.immutable ?? [] })?.fields ?? {};
    const [drift, refused] = partition(
      unchangeable,
      ({ path, wanted }) => !isNil(wanted) && isEqual(recorded[path.join('.')], wanted),
    );
    const drifted = drift.map(
      ({ path, is, wanted }) =>
        `spec.forProvider.${path.join('.')}, which is ${quoted(is)} there and ${quoted(wanted)} here`,
    );
    const refusedTexts = refused.map(
      ({ path, is, wanted }) => `spec.forProvider.${path.join('.')} from ${quoted(is)} to ${quoted(wanted)}`,
    );
    const changedPaths = changed.map(({ path }) => path.join('.'));
    const differing = [...changedPaths, ...refusedTexts, ...drifted];
    const late = leaves.flatMap(({ path, isLate }): readonly At[] => {
      const value: unknown = get(actual, path);
      return isLate && !isNil(value) && !isSpecified(spec, path) ? [[path, value]] : [];
    });
    return {
      change: laidOut(changed.map(({ path, wanted }): At => [path, wanted])) as Wanted<M>,
      changed: changedPaths,
      refused: refusedTexts,
      drifted,
      observation: {
        isUpToDate: differing.length === 0,
        ...(late.length > 0 && { lateInitialized: laidOut(late) as Late<M> }),
        ...(differing.length > 0 && { difference: differing.join(', ') }),
        ...(changed.length > 0 && { differing: changedPaths.map((path) => `spec.forProvider.${path}`) }),
        ...(refusedTexts.length > 0 && { refused: refusedTexts }),
        ...(drifted.length > 0 && { drifted }),
      },
    };
  };
}

type Late<M extends Managed> = NonNullable<Observation<M>['lateInitialized']>;

/** A value and its path. */
type At = readonly [path: readonly string[], value: unknown];

/** An object with these values. */
function laidOut(values: readonly At[]): object {
  const object = {};
  for (const [path, value] of values) setWith(object, path, value, Object);
  return object;
}

/** A field whose value differs from the wanted one. */
interface Difference extends Pick<Leaf, 'path'> {
  readonly is: unknown;
  readonly wanted: unknown;
  readonly mayChange: boolean;
}

function differenceAt(leaf: Leaf, spec: Managed['spec'], actual: unknown): Difference | undefined {
  const { path, isImmutable, rule } = leaf;
  // A value from `initProvider` is not compared after the creation.
  const absent = isNil(get(spec.initProvider, path)) ? rule.absent : undefined;
  const wanted = get(spec.forProvider, path) ?? absent;
  const is = get(actual, path) ?? undefined;
  if (wanted === undefined || !isReported(actual, path) || isSame(leaf, wanted, is)) return undefined;
  return { path, is, wanted, mayChange: rule.mayChange?.(is, wanted) ?? !isImmutable };
}

/** The schema of a managed kind's `forProvider`. */
function forProviderIn({ kind, schema }: Definition): z.ZodObject {
  const spec = unwrapped(schema.shape.spec);
  const forProvider = spec instanceof z.ZodObject ? spec.shape.forProvider : undefined;
  if (!(forProvider instanceof z.ZodObject)) throw new Error(`${kind} is not a managed kind`);
  return forProvider;
}

function checkFieldRules(
  { kind, marks }: Definition,
  fieldRules: FieldRulesByPath,
  leaves: readonly Leaf[],
): void {
  const marked = [...(marks?.immutable ?? []), ...(marks?.late ?? [])];
  for (const [field, { absent } = {}] of Object.entries(fieldRules)) {
    const leaf = leaves.find(({ path }) => path.join('.') === field);
    if (leaf === undefined) {
      const advice = 'write it for the field that contains it, or correct the name';
      throw new Error(`${kind}: the rule for ${field} has no effect: ${advice}`);
    }
    const within = marked.find((other) => other.startsWith(`${field}.`));
    if (within !== undefined)
      throw new Error(`${kind}: ${field} cannot have a rule, because its field ${within} has a mark`);
    if (leaf.isLate && absent !== undefined) {
      throw new Error(`${kind}: ${field} is late, so its absence cannot mean ${quoted(absent)}`);
    }
  }
}

const quoted = (value: unknown): string => (isNil(value) ? 'nothing' : JSON.stringify(value));

/** Whether the cloud reports a field, also if it reports that there is no value. */
function isReported(actual: unknown, [field, ...rest]: readonly string[]): boolean {
  if (field === undefined || isNil(actual)) return true;
  return Object.hasOwn(actual as object, field) && isReported(get(actual, [field]), rest);
}

/** Whether the spec has a value for a field, or a reference that provides it. */
function isSpecified({ forProvider, initProvider }: Managed['spec'], path: readonly string[]): boolean {
  const [above, field] = [path.slice(0, -1), path.at(-1) ?? ''];
  const one = field.replace(/s$/, '');
  const names = [field, `${field}Ref`, `${one}Refs`, `${field}Selector`, `${one}Selector`];
  return [forProvider, initProvider].some((part) =>
    names.some((name) => !isNil(get(part, [...above, name]))),
  );
}

function isSame({ schema, rule }: Leaf, wanted: unknown, is: unknown): boolean {
  if (is === undefined) return wanted === '' || (typeof wanted === 'object' && isEmpty(wanted));
  return rule.equals?.(wanted, is) ?? isAsWanted(schema, wanted, is);
}

/**
 * Whether a value equals the wanted one. Fields of an object that are not wanted do not count, also for objects in
 * lists.
 */
function isAsWanted(field: z.core.$ZodType, wanted: unknown, is: unknown): boolean {
  const schema = unwrapped(field);
  if (schema instanceof z.ZodObject && !isNil(is)) {
    return fieldsOf(schema).every(({ path, schema: inner }) => {
      const value: unknown = get(wanted, path);
      return isNil(value) || isAsWanted(inner, value, get(is, path));
    });
  }
  if (schema instanceof z.ZodArray && Array.isArray(wanted) && Array.isArray(is)) {
    return (
      wanted.length === is.length &&
      wanted.every((element, index) => isAsWanted(schema.element, element, is[index]))
    );
  }
  return isEqual(wanted, is);
}
