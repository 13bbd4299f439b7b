/*
 *   forProvider ─┐
 *   the schema  ─┼─▶ change: to be sent ─ refused: to be told ─ observation: up to date? what to take over?
 *   the cloud's ─┘
 */

import get from 'lodash/get.js';
import isEmpty from 'lodash/isEmpty.js';
import isEqual from 'lodash/isEqual.js';
import partition from 'lodash/partition.js';
import setWith from 'lodash/setWith.js';
import xorWith from 'lodash/xorWith.js';
import { z } from 'zod';
import type { SchemaField } from '../../apis/core/marks.ts';
import { fieldsOf, unwrapped } from '../../apis/core/marks.ts';
import type { Definition } from '../../apis/core/schema.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { ChangeRefused } from '../../clients/external-error.ts';
import type { Observation } from '../core/managed/connecting/external-client.ts';
import { changeRefusal, driftRefusal, recordedIdentity } from '../core/managed/recording/identity.ts';

type ForProvider<M extends Managed> = NonNullable<M['spec']['forProvider']>;

/** What has fields of its own, and is no list, map or single value. */
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

/** The wanted values of fields of `forProvider` and of objects within it, as far as they differ. */
export type Wanted<M extends Managed> = PartialDeep<ForProvider<M>>;

/**
 * What the cloud has for fields of `forProvider`. What it has none of is `undefined`; a field that is left out, because the
 * cloud does not tell of it, is not compared.
 */
export type Actual<M extends Managed> = Stated<ForProvider<M>>;

/** How a spec differs from what is there. */
export interface Comparison<M extends Managed> {
  /** What differs and may be changed: the wanted values, and nothing else. */
  readonly change: Wanted<M>;
  /** The paths of what `change` holds, as an update by field mask names them: `network.cidr`. */
  readonly changed: readonly string[];
  /** What differs and cannot be changed, to be told: `spec.forProvider.version from "5.7" to "8.0"`. See {@link refuse}. */
  readonly refused: readonly string[];
  /** The same of what is on record, and was not edited here: the cloud has it otherwise. */
  readonly drifted: readonly string[];
  /** For `observe`; see {@link observing} where the cloud is asked otherwise than field by field. `difference` names fields, and tells the values of none but those refused. */
  readonly observation: Pick<
    Observation<M>,
    'isUpToDate' | 'lateInitialized' | 'difference' | 'refused' | 'drifted'
  >;
}

export type Compare<M extends Managed> = (managed: M, actual: Actual<M>) => Comparison<M>;

/** Where the cloud is odd about a field. */
export interface Oddity<V> {
  /** Whether both mean the same: see {@link inAnyOrder}, {@link inAnyCase}. Default: whether they are equal, however deep. */
  equals?(wanted: V, actual: V): boolean;
  /** Whether the cloud can change it; `from` is undefined if it has none. Default: unless the field is immutable. */
  mayChange?(from: V | undefined, to: V): boolean;
  /** What is wanted where the spec says nothing, not for the creation either. Default: whatever the cloud has. */
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

/** Oddities by field: `{ 'network.cidr': { equals: inAnyCase } }`. */
export type Oddities<M extends Managed> = {
  readonly [P in FieldPath<ForProvider<M>>]?: Oddity<ValueAt<ForProvider<M>, P>>;
};

/** Lists that are sets: neither the order nor how often something is in them counts. */
export const inAnyOrder = (wanted: readonly unknown[], actual: readonly unknown[]): boolean =>
  xorWith(wanted, actual, isEqual).length === 0;

export const inAnyCase = (wanted: string, actual: string): boolean =>
  wanted.toLowerCase() === actual.toLowerCase();

/** Throws a ChangeRefused that tells of what cannot be changed, and what to do; for `update`, once it has sent what can be. */
export function refuse({ refused, drifted }: Refused): void {
  const told = [
    ...(refused.length === 0 ? [] : [changeRefusal(refused)]),
    ...(drifted.length === 0 ? [] : [driftRefusal(drifted)]),
  ];
  if (told.length > 0) throw new ChangeRefused(told);
}

/**
 * The same part of an observation where the cloud is asked otherwise than field by field: `differing` names what there is to
 * ask, in place of the fields of `change`. What cannot be changed is told all the same.
 */
export function observing<M extends Managed>(
  { refused, drifted, observation }: Pick<Comparison<M>, 'refused' | 'drifted' | 'observation'>,
  differing: readonly string[],
): Comparison<M>['observation'] {
  const { difference: _fields, ...rest } = observation;
  const all = [...differing, ...refused, ...drifted];
  return { ...rest, isUpToDate: all.length === 0, ...(all.length > 0 && { difference: all.join(', ') }) };
}

/** What of a {@link Comparison} is to be told. */
type Refused = Pick<Comparison<Managed>, 'refused' | 'drifted'>;

/** A field that is compared as a whole. */
interface Leaf extends SchemaField {
  readonly isImmutable: boolean;
  readonly isLate: boolean;
  readonly oddity: Oddity<unknown>;
}

type OdditiesByPath = Readonly<Record<string, Oddity<unknown> | undefined>>;

function leavesOf(
  object: z.ZodObject,
  oddities: OdditiesByPath,
  { path: above, isLate: isLateAbove }: Pick<Leaf, 'path' | 'isLate'> = { path: [], isLate: false },
): readonly Leaf[] {
  return fieldsOf(object, above).flatMap((field): readonly Leaf[] => {
    const { path, schema, marks } = field;
    const oddity = oddities[path.join('.')];
    const isImmutable = marks.includes('immutable') || marks.includes('identity');
    const isLate = isLateAbove || marks.includes('late');
    const isWhole = !(schema instanceof z.ZodObject) || isImmutable || oddity !== undefined;
    return isWhole
      ? [{ ...field, isImmutable, isLate, oddity: oddity ?? {} }]
      : leavesOf(schema, oddities, { path, isLate });
  });
}

/**
 * Compares resources of a kind with what a cloud has, by the kind's schema: what differs and may be changed, what is
 * marked immutable or identity and differs all the same, what is marked late and nobody gave a value. Objects are compared
 * field by field, for what the spec leaves out is as the cloud likes; lists and maps as a whole, where none is the same as
 * an empty one. `initProvider` has had its effect, and only keeps fields from being taken over; so does a reference or a
 * selector that is named after its field (`networkIdRef`). Throws an Error that names what of `oddities` has no effect.
 *
 *     const compare = comparison(QueueKind, { zones: { equals: inAnyOrder } });
 *     …
 *     const { observation } = compare(queue, { size: found.sizeInGb, zones: found.zones, region: found.region });
 *     return { exists: true, ...observation, ready: available() };
 */
export function comparison<M extends Managed>(
  kind: Definition<M>,
  oddities: Oddities<NoInfer<M>> = {},
): Compare<M> {
  const leaves = leavesOf(forProviderIn(kind), oddities as OdditiesByPath);
  checkOddities(kind, oddities as OdditiesByPath, leaves);

  return (managed, actual) => {
    const { spec } = managed;
    const differences = leaves.flatMap((leaf) => differenceAt(leaf, spec, actual) ?? []);
    const [changed, unchangeable] = partition(differences, ({ mayChange }) => mayChange);
    const recorded = recordedIdentity(managed, { immutable: kind.marks?.immutable ?? [] })?.fields ?? {};
    const [drift, refused] = partition(
      unchangeable,
      ({ path, wanted }) => isSome(wanted) && isEqual(recorded[path.join('.')], wanted),
    );
    const drifted = drift.map(
      ({ path, is, wanted }) =>
        `spec.forProvider.${path.join('.')}, which is ${quoted(is)} there and ${quoted(wanted)} here`,
    );
    const told = refused.map(
      ({ path, is, wanted }) => `spec.forProvider.${path.join('.')} from ${quoted(is)} to ${quoted(wanted)}`,
    );
    const changedPaths = changed.map(({ path }) => path.join('.'));
    const differing = [...changedPaths, ...told, ...drifted];
    const late = leaves.flatMap(({ path, isLate }): readonly At[] => {
      const value: unknown = get(actual, path);
      return isLate && isSome(value) && !isSaid(spec, path) ? [[path, value]] : [];
    });
    return {
      change: laidOut(changed.map(({ path, wanted }): At => [path, wanted])) as Wanted<M>,
      changed: changedPaths,
      refused: told,
      drifted,
      observation: {
        isUpToDate: differing.length === 0,
        ...(late.length > 0 && { lateInitialized: laidOut(late) as Late<M> }),
        ...(differing.length > 0 && { difference: differing.join(', ') }),
        ...(told.length > 0 && { refused: told }),
        ...(drifted.length > 0 && { drifted }),
      },
    };
  };
}

type Late<M extends Managed> = NonNullable<Observation<M>['lateInitialized']>;

/** A value, and where it is. */
type At = readonly [path: readonly string[], value: unknown];

/** An object with these values. */
function laidOut(values: readonly At[]): object {
  const object = {};
  for (const [path, value] of values) setWith(object, path, value, Object);
  return object;
}

/** A field that is not as it is wanted. */
interface Difference extends Pick<Leaf, 'path'> {
  readonly is: unknown;
  readonly wanted: unknown;
  readonly mayChange: boolean;
}

function differenceAt(leaf: Leaf, spec: Managed['spec'], actual: unknown): Difference | undefined {
  const { path, isImmutable, oddity } = leaf;
  // What it was only made with is nobody's business any more.
  const absent = isSome(get(spec.initProvider, path)) ? undefined : oddity.absent;
  const wanted = get(spec.forProvider, path) ?? absent;
  const is = get(actual, path) ?? undefined;
  if (wanted === undefined || !isTold(actual, path) || isSame(leaf, wanted, is)) return undefined;
  return { path, is, wanted, mayChange: oddity.mayChange?.(is, wanted) ?? !isImmutable };
}

/** The schema of a managed kind's `forProvider`. */
function forProviderIn({ kind, schema }: Definition): z.ZodObject {
  const spec = unwrapped(schema.shape.spec);
  const forProvider = spec instanceof z.ZodObject ? spec.shape.forProvider : undefined;
  if (!(forProvider instanceof z.ZodObject)) throw new Error(`${kind} is no managed kind`);
  return forProvider;
}

function checkOddities({ kind, marks }: Definition, oddities: OdditiesByPath, leaves: readonly Leaf[]): void {
  const marked = [...(marks?.immutable ?? []), ...(marks?.late ?? [])];
  for (const [field, { absent } = {}] of Object.entries(oddities)) {
    const leaf = leaves.find(({ path }) => path.join('.') === field);
    if (leaf === undefined) throw new Error(`${kind}: ${field} is compared as part of what it is in`);
    const within = marked.find((other) => other.startsWith(`${field}.`));
    if (within !== undefined)
      throw new Error(`${kind}: ${field} cannot be odd as a whole: ${within} is marked`);
    if (leaf.isLate && absent !== undefined) {
      throw new Error(`${kind}: ${field} is late, so its absence cannot mean ${quoted(absent)}`);
    }
  }
}

const isSome = (value: unknown): boolean => value !== undefined && value !== null;

const quoted = (value: unknown): string => (isSome(value) ? JSON.stringify(value) : 'nothing');

/** Whether the cloud tells of a field, be it that it has none. */
function isTold(actual: unknown, [field, ...rest]: readonly string[]): boolean {
  if (field === undefined || !isSome(actual)) return true;
  return Object.hasOwn(actual as object, field) && isTold(get(actual, [field]), rest);
}

/** Whether somebody gave a field a value, or said where it comes from. */
function isSaid({ forProvider, initProvider }: Managed['spec'], path: readonly string[]): boolean {
  const [above, field] = [path.slice(0, -1), path.at(-1) ?? ''];
  const one = field.replace(/s$/, '');
  const names = [field, `${field}Ref`, `${one}Refs`, `${field}Selector`, `${one}Selector`];
  return [forProvider, initProvider].some((part) =>
    names.some((name) => isSome(get(part, [...above, name]))),
  );
}

function isSame({ schema, oddity }: Leaf, wanted: unknown, is: unknown): boolean {
  if (is === undefined) return typeof wanted === 'object' && isEmpty(wanted);
  return oddity.equals?.(wanted, is) ?? isAsWanted(schema, wanted, is);
}

/** Whether a value is as it is wanted. Of an object, what is not wanted does not count, also where lists are made of it. */
function isAsWanted(field: z.core.$ZodType, wanted: unknown, is: unknown): boolean {
  const schema = unwrapped(field);
  if (schema instanceof z.ZodObject && isSome(is)) {
    return fieldsOf(schema).every(({ path, schema: inner }) => {
      const value: unknown = get(wanted, path);
      return !isSome(value) || isAsWanted(inner, value, get(is, path));
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
