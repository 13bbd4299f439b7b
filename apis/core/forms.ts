import isString from 'lodash/isString.js';
import { DefinitionError } from './definition-error.ts';
import { likeness, nearestFirst } from './v1alpha1/likeness.ts';

/** The forms that a field of an author's object can have. `as` completes "which must be …". */
export interface Form {
  readonly fits: (value: unknown) => boolean;
  readonly as: string;
  readonly isRequired?: true;
  /** The form of each entry of a list or a map. */
  readonly entries?: Form;
  /** The fields of an object. */
  readonly fields?: Fields;
}
export type Fields = Readonly<Record<string, Form>>;
type Given = Readonly<Record<string, unknown>>;

export const oneOf = (...values: readonly string[]): Form => ({
  fits: (value) => isString(value) && values.includes(value),
  as: values.map((value) => `"${value}"`).join(' or '),
});
export const text: Form = { fits: isString, as: 'text' };
export const number: Form = { fits: (value) => typeof value === 'number', as: 'a number' };
export const flag: Form = { fits: (value) => typeof value === 'boolean', as: 'true or false' };
export const texts: Form = { fits: Array.isArray, as: 'a list of texts', entries: text };
export const object: Form = { fits: isObject, as: 'an object' };
export const function_: Form = { fits: (value) => typeof value === 'function', as: 'a function' };
export const required = (form: Form): Form => ({ ...form, isRequired: true });
export const objectOf = (fields: Fields): Form => ({ ...object, fields });
export const listOf = (entries: Form, as: string): Form => ({ fits: Array.isArray, as, entries });

/**
 * Throws a DefinitionError if an author's argument does not have this form, or has a misspelt option. If `call` is the
 * function, the stack trace begins at the author's call. `of` is the kind or stack, for the message.
 */
export function requireForm(
  call: { readonly name: string },
  fields: Fields,
  given: unknown,
  of?: (named: Readonly<Record<string, unknown>>) => unknown,
): asserts given is object {
  const problem = givenProblem(fields, given);
  if (problem === undefined) return;
  const named = isObject(given) ? of?.(given) : undefined;
  const error = new DefinitionError(`${call.name}${isString(named) ? ` of ${named}` : ''} got ${problem}`);
  Error.captureStackTrace(error, call as () => void);
  throw error;
}

/** Why an author's value is no object of this form. Undefined if it is one. */
export const givenProblem = (fields: Fields, given: unknown): string | undefined =>
  objectProblem(given) ?? formProblem(fields, given as Given, '');

/** The first misspelt field, or the first field of another form. Other unknown fields may come from an object that was spread. */
function formProblem(fields: Fields, given: Given, above: string): string | undefined {
  const wrong = misspelt(Object.keys(fields), given);
  return wrong ? `${above}${wrong.name}; perhaps ${wrong.meant} is meant` : problemIn(fields, given, above);
}

/** The first field of another form. */
export function problemIn(fields: Fields, given: Given, above = ''): string | undefined {
  for (const [name, form] of Object.entries(fields)) {
    const [value, path] = [given[name], `${above}${name}`];
    if (value === undefined && form.isRequired) return `no ${path}, which must be ${form.as}`;
    const problem = value === undefined ? undefined : problemAt(path, value, form);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemAt(path: string, value: unknown, { fits, as, entries, fields }: Form): string | undefined {
  if (!fits(value)) return `${path}, ${nameOf(value)}, which must be ${as}`;
  const within = path && `${path}.`;
  for (const [key, entry] of entries === undefined ? [] : Object.entries(value as object)) {
    const problem = problemAt(`${within}${key}`, entry, entries!);
    if (problem !== undefined) return problem;
  }
  return fields && formProblem(fields, value as Given, within);
}

/** The likeness of a misspelt field. An object may have other fields. */
const leastLikenessOfFields = 0.65;

/** The first field that is not known, and is like a known one that is absent. */
export function misspelt(
  known: readonly string[],
  given: Given,
): { readonly name: string; readonly meant: string } | undefined {
  const absent = known.filter((name) => given[name] === undefined);
  for (const name of Object.keys(given).filter((key) => !known.includes(key))) {
    const meant = meantBy(name, absent, leastLikenessOfFields);
    if (meant !== undefined) return { name, meant };
  }
  return undefined;
}

/** The likeness of a mistyped name: two letters that changed places in a name of four are nearer. */
const leastLikeness = 0.4;

export function hintAt(name: string, known: readonly string[]): string {
  const meant = meantBy(name, known, leastLikeness);
  return meant === undefined ? '' : `; perhaps ${meant} is meant`;
}

function meantBy(name: string, known: readonly string[], least: number): string | undefined {
  const [nearest = ''] = nearestFirst(name, known, (each) => each);
  return likeness(name, nearest) < least ? undefined : nearest;
}

export const objectProblem = (given: unknown): string | undefined =>
  isObject(given) ? undefined : `${nameOf(given)}, which must be an object`;

export function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Promise);
}

const names: Readonly<Record<string, string>> = {
  bigint: 'a BigInt',
  boolean: 'true or false',
  function: 'a function',
  number: 'a number',
  object: 'an object',
  string: 'text',
  symbol: 'a symbol',
  undefined: 'undefined',
};

/** The sort of a value, for messages. Never the value. */
export function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === '') return 'an empty text';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Promise) return 'a promise';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number that is not finite';
  return names[typeof value] ?? 'a value';
}
