/*
 *   identity(text('…')) ─▶ defineManaged ─▶ rules that the API server checks
 *                                        ├▶ `marks` of the kind, for controllers and comparisons
 *                                        └▶ the API reference
 */

import { z } from 'zod';
import { requireSchema } from './require-schema.ts';

/** A property of a field of `forProvider` that its type does not express. */
export type Mark = 'immutable' | 'identity' | 'late';

/** The marked fields of `forProvider`, by path (`network.region`), in the order of the schema. */
export interface FieldMarks {
  /** Fields that the external system cannot change, including those of `identity`. */
  readonly immutable: readonly string[];
  /** Fields that identify an external resource, besides its name and its external system. */
  readonly identity: readonly string[];
  /** Fields whose value is copied from the external system if no value is given. */
  readonly late: readonly string[];
}

const registry = z.registry<{ readonly marks: readonly Mark[] }>();

/** Marks a copy, so that other users of the schema are not affected. The copy keeps the description. */
function marked<S extends z.ZodType>(schema: S, mark: Mark): S {
  requireSchema(`the field of ${mark}`, schema);
  const copy = schema.clone(undefined, { parent: true });
  registry.add(copy, { marks: [...(registry.get(schema)?.marks ?? []), mark] });
  return copy;
}

/**
 * A field that the external system cannot change. While the external resource exists, the API server refuses to change,
 * add or remove it; before that it can be corrected. A field that is `late`, too, may be added and removed. If an edit gets
 * through anyway, the controllers report it and do not send it to the external system. A mark may be inside or outside of
 * `optional`:
 *
 *     version: optional(late(immutable(text('The running version.')))),
 */
export const immutable = <S extends z.ZodType>(field: S): S => marked(field, 'immutable');

/**
 * An immutable field that identifies the external resource, for example a region or a project. Without it the resource is
 * not found, or another one is. It is recorded before the creation, so that an edit cannot lead to a second resource. A
 * value in `initProvider` counts at each observation.
 */
export const identity = <S extends z.ZodType>(field: S): S => marked(field, 'identity');

/** A field that gets the external system's value if neither `forProvider` nor `initProvider` has one. */
export const late = <S extends z.ZodType>(field: S): S => marked(field, 'late');

/** The schema inside an optional field, a field with a default and the like; undefined if there is none. */
const wrapped = (schema: z.core.$ZodType): z.core.$ZodType | undefined =>
  (schema._zod.def as { readonly innerType?: z.core.$ZodType }).innerType;

/** The schema without what makes it optional. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = wrapped(schema);
  return inner === undefined ? schema : unwrapped(inner);
}

/** The marks of a field, at any level of its wrappers. */
function marksOf(schema: z.core.$ZodType): readonly Mark[] {
  const inner = wrapped(schema);
  return [...(registry.get(schema)?.marks ?? []), ...(inner === undefined ? [] : marksOf(inner))];
}

/** A field of an object or of a nested object. */
export interface SchemaField {
  readonly path: readonly string[];
  /** The schema without its optional wrappers. */
  readonly schema: z.core.$ZodType;
  readonly marks: readonly Mark[];
}

/** The fields of an object, without those of nested objects. */
export const fieldsOf = (object: z.ZodObject, above: readonly string[] = []): readonly SchemaField[] =>
  Object.entries(object.shape).map(([name, field]) => ({
    path: [...above, name],
    schema: unwrapped(field as z.core.$ZodType),
    marks: marksOf(field as z.core.$ZodType),
  }));

/** The fields of an object, each followed by those of its nested object. */
const fieldsIn = (object: z.ZodObject, above: readonly string[] = []): readonly SchemaField[] =>
  fieldsOf(object, above).flatMap((field) => [
    field,
    ...(field.schema instanceof z.ZodObject ? fieldsIn(field.schema, field.path) : []),
  ]);

/** The element schemas of lists, maps and unions. A path cannot name one of several elements. */
function elementsOf({ _zod: { def } }: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { element, keyType, valueType, options, items } = def as {
    readonly [part in 'element' | 'keyType' | 'valueType']?: z.core.$ZodType;
  } & { readonly [parts in 'options' | 'items']?: readonly z.core.$ZodType[] };
  return [element, keyType, valueType, ...(options ?? []), ...(items ?? [])].filter(
    (part) => part !== undefined,
  );
}

/** Whether the schema or a part of it is marked. */
function hasMarks(schema: z.core.$ZodType): boolean {
  const inner = unwrapped(schema);
  if (marksOf(schema).length > 0 || elementsOf(inner).some(hasMarks)) return true;
  return inner instanceof z.ZodObject && Object.values(inner.shape).some((field) => hasMarks(field));
}

const keeps = ({ marks }: SchemaField): boolean => marks.includes('immutable') || marks.includes('identity');

/** Why the marks of a field are invalid; undefined if they are valid. `all` are the fields of the whole schema. */
function contradiction(field: SchemaField, all: readonly SchemaField[]): string | undefined {
  const { path, schema, marks } = field;
  const name = path.join('.');
  if (elementsOf(schema).some(hasMarks)) {
    return `${name} has marked elements, but a path cannot name one of several elements: mark ${name} itself`;
  }
  if (marks.length === 0) return undefined;
  const whole = all.find(
    (other) => keeps(other) && other.path.length < path.length && name.startsWith(`${other.path.join('.')}.`),
  );
  return (
    whole && `${name} is marked, and so is ${whole.path.join('.')}, which contains it: mark only one of them`
  );
}

/**
 * The marked fields in the schema of a `forProvider`. Throws an Error that names each field with an invalid mark: in a
 * list, a map or a union; inside an immutable object; around the whole `forProvider`. `what` is its name in the message.
 */
export function fieldMarks(what: string, forProvider: z.ZodObject): FieldMarks {
  const fields = fieldsIn(forProvider);
  const problems = [
    ...(marksOf(forProvider).length === 0 ? [] : ['the whole object is marked: mark its fields instead']),
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

/** Whether late initialisation fills the field: it is marked, or the object that contains it, and does not identify. */
export const isLate = ({ identity: identifying, late: filled }: FieldMarks, path: string): boolean =>
  !identifying.includes(path) && filled.some((at) => at === path || path.startsWith(`${at}.`));

/** Throws an Error that names the marked fields of an object in which marks are not allowed. */
export function refuseMarks(what: string, fields: z.ZodRawShape): void {
  const names = Object.entries(fields).flatMap(([name, field]) => (hasMarks(field) ? [name] : []));
  if (names.length === 0) return;
  throw new Error(
    `${what}: remove the mark of ${names.join(', ')}; only fields of forProvider can be immutable, identity or late`,
  );
}
