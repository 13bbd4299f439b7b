import omit from 'lodash/omit.js';
import { z } from 'zod';
import { DefinitionError } from './definition-error.ts';
import type { Fields } from './forms.ts';
import { isObject, nameOf, required, requireForm, text, texts } from './forms.ts';

const namesForm: Fields = {
  kind: required(text),
  group: text,
  version: text,
  plural: text,
  shortNames: texts,
  description: text,
};

/** Throws a DefinitionError for names of another form. `definitionProblems` reports what is missing, of all kinds at once. */
export const requireNames = (call: { readonly name: string }, names: unknown, others: Fields = {}): void =>
  requireForm(call, { ...namesForm, ...others }, names, ({ kind }) => kind);

/** The same for a provider, which has the kind of its function. */
export const requireProviderNames = (call: { readonly name: string }, names: unknown): void =>
  requireForm(call, { ...omit(namesForm, ['kind', 'plural', 'shortNames']), stack: required(text) }, names);

/** Throws a DefinitionError unless the schema describes an object. `what` is the schema's name in the message. */
export function requireObject(what: string, schema: unknown): asserts schema is z.ZodObject {
  if (isSchema(schema) ? !(schema instanceof z.ZodObject) : !isOfOtherZod(schema))
    throw new DefinitionError(`${what} is not an object: define it with z.object`);
  requireSchema(what, schema);
}

/** Throws a DefinitionError unless these are the fields of an object, each with a schema. */
export function requireFields(what: string, fields: unknown): asserts fields is z.ZodRawShape {
  if (!isObject(fields) || isSchema(fields))
    throw new DefinitionError(
      `${what} is ${isSchema(fields) ? 'a schema' : nameOf(fields)}: use an object with a schema for each field, such as { size: z.int().describe('The size.') }`,
    );
  for (const [name, schema] of Object.entries(fields)) requireSchema(`${what}.${name}`, schema);
}

const isSchema = (value: unknown): value is z.ZodType => isObject(value) && isObject(value._zod);

/** Whether a value is a schema of Zod 3. */
const isOfOtherZod = (value: unknown): boolean => isObject(value) && !isSchema(value) && '_def' in value;

/** Schemas that were checked. Kinds share most of theirs, and a schema does not change. */
const checked = new WeakSet<object>();

/** Throws a DefinitionError unless this is a schema, also in its parts. */
export function requireSchema(what: string, schema: unknown, above: readonly unknown[] = []): void {
  if (isObject(schema) && checked.has(schema)) return;
  if (above.includes(schema))
    throw new DefinitionError(`${what} contains itself, which Kubernetes does not support`);
  if (!isSchema(schema)) {
    const why = isOfOtherZod(schema)
      ? 'a schema of another version of Zod: import z from services-stack/schema'
      : `${nameOf(schema)}: use a schema, such as text('The size.')`;
    throw new DefinitionError(`${what} is ${why}`);
  }
  for (const [name, part] of partsOf(schema)) requireSchema(`${what}${name}`, part, [...above, schema]);
  checked.add(schema);
}

/** The schemas within a schema, each with the end of its path. */
function partsOf({ _zod: { def } }: z.core.$ZodType): readonly (readonly [string, unknown])[] {
  const parts = def as unknown as Readonly<Record<string, unknown>>;
  const several = (key: string): readonly unknown[] => (Array.isArray(parts[key]) ? parts[key] : []);
  return [
    ...Object.entries(parts.shape ?? {}).map(([name, part]) => [`.${name}`, part] as const),
    ...[...several('options'), ...several('items')].map((part) => ['', part] as const),
    ...('innerType' in parts ? [['', parts.innerType] as const] : []),
    ...['element', 'keyType', 'valueType'].flatMap((key) =>
      key in parts ? [['[]', parts[key]] as const] : [],
    ),
  ];
}
