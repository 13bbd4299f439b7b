import get from 'lodash/get.js';
import type { z } from 'zod';
import type { Definition } from '../schema.ts';
import type { Kind, KubernetesObject } from './kind.ts';
import { shapeCheckOf } from './shape.ts';

/*
 * A definition of an older release, or one without a schema, accepts objects that do not have their kind's type: for
 * example a text instead of a reference, or a list instead of a spec. Code that reads such objects would throw.
 */

/** The malformations of objects that had another shape, so that each is checked once. */
const malformations = new WeakMap<object, readonly Malformation[]>();

/** A field of the wrong shape: its path, and what was expected. */
interface Malformation {
  readonly field: string;
  readonly message: string;
}

/** The malformed fields of an object's spec or template, as `wellFormed` found them; undefined if there are none. */
export function malformationOf(object: KubernetesObject): string | undefined {
  const found = malformations.get(object) ?? [];
  return found.length === 0
    ? undefined
    : found.map(({ field, message }) => `${field}: ${message}`).join('; ');
}

/** Whether `wellFormed` found a field of an object, or something within that field, of the wrong shape. */
export const isMalformedAt = (object: KubernetesObject, field: string): boolean =>
  malformations.get(object)?.some((one) => `${one.field}.`.startsWith(`${field}.`)) === true;

/** Throws an Error if an object is malformed. `who` is its name in the message. Call it before the object is used. */
export function refuseMalformed(object: KubernetesObject, who: string): void {
  const malformation = malformationOf(object);
  if (malformation !== undefined) throw new Error(`${who} is malformed: ${malformation}`);
}

/**
 * The object in the shape of its kind's type. A value is removed if it is an object, a list or a single value where the
 * type has another of the three. `null` is removed, and a required object that is missing is added, empty. A single value
 * of another type stays, and other missing fields stay missing. Returns the same object if nothing changes, which is usual
 * with a current definition.
 *
 * Check `malformationOf` before you act on an object: a removed field may have been meant to prevent the action. The status
 * belongs to the controllers and does not count as malformed.
 */
export function wellFormed<T extends KubernetesObject>(kind: Kind<T>, object: T): T {
  const { schema } = kind as Partial<Definition>;
  if (schema === undefined || malformations.has(object) || shapeCheckOf(schema)(object)) return object;
  const found: Malformation[] = [];
  let fixed = object;
  let before: T;
  do {
    before = fixed;
    // From the end, so that a removed list element does not move other elements that are still to be removed.
    for (const issue of schema.safeParse(fixed).error?.issues.toReversed() ?? []) {
      if (issue.code !== 'invalid_type') continue;
      const { path, expected, message } = issue;
      const value: unknown = get(fixed, path);
      if (value === undefined) {
        if (expected === 'object') fixed = withChange(fixed, path, {});
      } else if (isOfAnotherShape(value, expected)) {
        fixed = withChange(fixed, path, undefined);
        const isNothing = value === null && typeof path.at(-1) === 'string';
        if (!isNothing && path[0] !== 'status') {
          found.push({ field: path.join('.'), message: message.replace(/^Invalid [a-z]+: /, '') });
        }
      }
    }
  } while (fixed !== before);
  malformations.set(fixed, found.toReversed());
  return fixed;
}

/** False for a number in place of a text, for example: its reader can handle that. */
const isOfAnotherShape = (value: unknown, expected: z.core.$ZodIssueInvalidType['expected']): boolean =>
  typeof value === 'object' || expected === 'object' || expected === 'record' || expected === 'array';

/** A copy with another value at a path; undefined removes the field or list element. */
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
