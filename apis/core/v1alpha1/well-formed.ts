import get from 'lodash/get.js';
import type { z } from 'zod';
import type { Definition } from '../schema.ts';
import type { Kind, KubernetesObject } from './kind.ts';

/*
 * A definition of an older release, or one without a schema, lets objects through that are not of their kind's type: a
 * text where a reference should be, a list in place of a spec. Whoever reads them would break on them, one after the other.
 */

/** Of objects in the shape of their type, so that each is looked over once. */
const malformations = new WeakMap<object, readonly Malformation[]>();

/** A field of the wrong shape: its path, and what was expected. */
interface Malformation {
  readonly field: string;
  readonly message: string;
}

/** What of an object's spec or template is of the wrong shape, as `wellFormed` found it; undefined if nothing is. */
export function malformationOf(object: KubernetesObject): string | undefined {
  const found = malformations.get(object) ?? [];
  return found.length === 0
    ? undefined
    : found.map(({ field, message }) => `${field}: ${message}`).join('; ');
}

/** Whether `wellFormed` found a field of an object, or something within that field, of the wrong shape. */
export const isMalformedAt = (object: KubernetesObject, field: string): boolean =>
  malformations.get(object)?.some((one) => `${one.field}.`.startsWith(`${field}.`)) === true;

/** Throws an Error that says so if an object is malformed: for whoever would use what it says. `who` names it. */
export function refuseMalformed(object: KubernetesObject, who: string): void {
  const malformation = malformationOf(object);
  if (malformation !== undefined) throw new Error(`${who} is malformed: ${malformation}`);
}

/**
 * The object in the shape that its kind's type has: what is an object, a list or a single value where the type has another
 * of the three is left out, `null` is the same as nothing, and an object that must be there, be it empty, is. A single
 * value stays as it is, and what else is missing stays missing. Returns the same object if there is nothing to mend, as
 * behind a present definition. Whoever acts on an object asks `malformationOf` first: what was left out may have been meant
 * to keep him from it. A status is the controllers' own, and no malformation.
 */
export function wellFormed<T extends KubernetesObject>(kind: Kind<T>, object: T): T {
  const { schema } = kind as Partial<Definition>;
  if (schema === undefined || malformations.has(object)) return object;
  const found: Malformation[] = [];
  let mended = object;
  let before: T;
  do {
    before = mended;
    // From the end, so that what is taken out of a list moves nothing that is still to be taken out.
    for (const issue of schema.safeParse(mended).error?.issues.toReversed() ?? []) {
      if (issue.code !== 'invalid_type') continue;
      const { path, expected, message } = issue;
      const value: unknown = get(mended, path);
      if (value === undefined) {
        if (expected === 'object') mended = withChange(mended, path, {});
      } else if (isOfAnotherShape(value, expected)) {
        mended = withChange(mended, path, undefined);
        const isNothing = value === null && typeof path.at(-1) === 'string';
        if (!isNothing && path[0] !== 'status') {
          found.push({ field: path.join('.'), message: message.replace(/^Invalid [a-z]+: /, '') });
        }
      }
    }
  } while (mended !== before);
  malformations.set(mended, found.toReversed());
  return mended;
}

/** Not: a number in place of a text, which who reads it can tell. */
const isOfAnotherShape = (value: unknown, expected: z.core.$ZodIssueInvalidType['expected']): boolean =>
  typeof value === 'object' || expected === 'object' || expected === 'record' || expected === 'array';

/** A copy with another value at a path; undefined takes it out, of a list too. */
function withChange<T>(object: T, [key, ...rest]: readonly PropertyKey[], value: object | undefined): T {
  if (Array.isArray(object)) {
    const index = Number(key);
    if (rest.length > 0) return object.with(index, withChange(object[index], rest, value)) as T;
    return object.toSpliced(index, 1, ...(value === undefined ? [] : [value])) as T;
  }
  const entries = new Map<PropertyKey, unknown>(Object.entries(object as object));
  if (rest.length > 0) entries.set(key!, withChange(entries.get(key!), rest, value));
  else if (value === undefined) entries.delete(key!);
  else entries.set(key!, value);
  return Object.fromEntries(entries) as T;
}
