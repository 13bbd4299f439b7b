/*
 *   identity(text('…')) ─▶ defineManaged ─▶ the rule that the API server checks, where it knows any
 *                                        ├▶ `marks` of the kind, which controllers and comparisons go by
 *                                        └▶ the API reference
 */

import { z } from 'zod';

/** What a stack's author says of a field of `forProvider` beside its type. */
export type Mark = 'immutable' | 'identity' | 'late';

/** Which fields of `forProvider` are marked, by path (`network.region`), in the order of the schema. */
export interface FieldMarks {
  /** What the external system cannot change, those of `identity` included. */
  readonly immutable: readonly string[];
  /** What tells one external resource from another, beside its name and its system. */
  readonly identity: readonly string[];
  /** What is taken over from the external system where nobody gave a value. */
  readonly late: readonly string[];
}

const registry = z.registry<{ readonly marks: readonly Mark[] }>();

/** A copy, so that a schema that others use too stays unmarked there. It keeps what describes the original. */
function marked<S extends z.ZodType>(schema: S, mark: Mark): S {
  const copy = schema.clone(undefined, { parent: true });
  registry.add(copy, { marks: [...(registry.get(schema)?.marks ?? []), mark] });
  return copy;
}

/**
 * A field that the external system cannot change. It may be set later: late initialisation does. While the external resource
 * exists, the API server refuses to change or remove it. Before that it can be corrected. Whatever edit gets through, the
 * controllers report it, and never ask the external system for it. Marks go around a field, wrapped or not:
 *
 *     version: optional(late(immutable(text('The version that it runs.')))),
 */
export const immutable = <S extends z.ZodType>(field: S): S => marked(field, 'immutable');

/**
 * An immutable field without which the external resource would not be found, or another one would: a region, a project.
 * It is on record before anything is created, so that no edit makes a second one. What `initProvider` says of it counts
 * at each look.
 */
export const identity = <S extends z.ZodType>(field: S): S => marked(field, 'identity');

/** A field that takes over what the external system has, where neither `forProvider` nor `initProvider` gives a value. */
export const late = <S extends z.ZodType>(field: S): S => marked(field, 'late');

/** What is within an optional field, one with a default and the like; undefined: it wraps nothing. */
const wrapped = (schema: z.core.$ZodType): z.core.$ZodType | undefined =>
  (schema._zod.def as { readonly innerType?: z.core.$ZodType }).innerType;

/** The schema without what makes it optional. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = wrapped(schema);
  return inner === undefined ? schema : unwrapped(inner);
}

/** The marks of a field, wherever among its wrappers they are. */
function marksOf(schema: z.core.$ZodType): readonly Mark[] {
  const inner = wrapped(schema);
  return [...(registry.get(schema)?.marks ?? []), ...(inner === undefined ? [] : marksOf(inner))];
}

/** A field of an object, or of one within it. */
export interface SchemaField {
  readonly path: readonly string[];
  /** Without what makes it optional. */
  readonly schema: z.core.$ZodType;
  readonly marks: readonly Mark[];
}

/** The fields of an object, without those of objects within it. */
export const fieldsOf = (object: z.ZodObject, above: readonly string[] = []): readonly SchemaField[] =>
  Object.entries(object.shape).map(([name, field]) => ({
    path: [...above, name],
    schema: unwrapped(field as z.core.$ZodType),
    marks: marksOf(field as z.core.$ZodType),
  }));

/** The fields of an object and, each after its own, of those within it. */
const fieldsIn = (object: z.ZodObject, above: readonly string[] = []): readonly SchemaField[] =>
  fieldsOf(object, above).flatMap((field) => [
    field,
    ...(field.schema instanceof z.ZodObject ? fieldsIn(field.schema, field.path) : []),
  ]);

/** What lists, maps and unions are made of: nobody can tell which of them a path means. */
function elementsOf({ _zod: { def } }: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { element, keyType, valueType, options, items } = def as {
    readonly [part in 'element' | 'keyType' | 'valueType']?: z.core.$ZodType;
  } & { readonly [parts in 'options' | 'items']?: readonly z.core.$ZodType[] };
  return [element, keyType, valueType, ...(options ?? []), ...(items ?? [])].filter(
    (part) => part !== undefined,
  );
}

/** Whether anything in a schema is marked. */
function hasMarks(schema: z.core.$ZodType): boolean {
  const inner = unwrapped(schema);
  if (marksOf(schema).length > 0 || elementsOf(inner).some(hasMarks)) return true;
  return inner instanceof z.ZodObject && Object.values(inner.shape).some((field) => hasMarks(field));
}

const keeps = ({ marks }: SchemaField): boolean => marks.includes('immutable') || marks.includes('identity');

/** Why the marks of a field make no sense; undefined: they do. `all` are those that it is among. */
function contradiction(field: SchemaField, all: readonly SchemaField[]): string | undefined {
  const { path, schema, marks } = field;
  const name = path.join('.');
  if (elementsOf(schema).some(hasMarks)) {
    return `${name} has elements that are marked, but nobody can tell which of them is which: mark ${name}`;
  }
  if (marks.length === 0) return undefined;
  const whole = all.find(
    (other) => keeps(other) && other.path.length < path.length && name.startsWith(`${other.path.join('.')}.`),
  );
  return (
    whole && `${name} is marked, but ${whole.path.join('.')} keeps its value as a whole: mark one of them`
  );
}

/**
 * What is marked in the schema of a `forProvider`. Throws an Error that names each field whose mark makes no sense there:
 * in a list, a map or a union; within an object that keeps its value as a whole; around all of it. `what` names it there.
 */
export function fieldMarks(what: string, forProvider: z.ZodObject): FieldMarks {
  const fields = fieldsIn(forProvider);
  const problems = [
    ...(marksOf(forProvider).length === 0 ? [] : ['it is marked as a whole: mark its fields']),
    ...fields.flatMap((field) => contradiction(field, fields) ?? []),
  ];
  if (problems.length > 0) throw new Error(`${what}: ${problems.join('; ')}`);
  const pathsOf = (isMeant: (field: SchemaField) => boolean) =>
    fields.filter(isMeant).map(({ path }) => path.join('.'));
  return {
    immutable: pathsOf(keeps),
    identity: pathsOf(({ marks }) => marks.includes('identity')),
    late: pathsOf(({ marks }) => marks.includes('late')),
  };
}

/** Throws an Error that names the fields of an object that are marked, where marks mean nothing. */
export function refuseMarks(what: string, fields: z.ZodRawShape): void {
  const names = Object.entries(fields).flatMap(([name, field]) => (hasMarks(field) ? [name] : []));
  if (names.length === 0) return;
  throw new Error(
    `${what}: ${names.join(', ')} cannot be marked: immutable, identity and late are for forProvider`,
  );
}
