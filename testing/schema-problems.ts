import isPlainObject from 'lodash/isPlainObject.js';
import { z } from 'zod';
import type { Definition } from '../apis/core/schema.ts';
import type { Kind } from '../apis/core/v1alpha1/kind.ts';

type Shape = Readonly<Record<string, unknown>>;

/**
 * What of a value does not fit what the definition of its kind says at a path, as `status` or `spec.forProvider`: fields of
 * the wrong type, and fields that it does not know, which an API server would drop. Nothing where the kind has no schema.
 */
export function schemaProblems(kind: Kind, path: string, value: object): readonly string[] {
  const whole = (kind as { readonly schema?: unknown }).schema;
  const schema = path.split('.').reduce<unknown>((outer, field) => shapeOf(outer)?.[field], whole);
  return schema instanceof z.ZodType ? problemsIn(schema, path, value) : [];
}

/** The same of an object, as a user writes it, without its apiVersion, kind and metadata. */
export function objectProblems({ schema }: Pick<Definition, 'schema'>, object: object): readonly string[] {
  return problemsIn(schema, '', object);
}

/** What is under `optional` and its like. */
function bare(schema: unknown): unknown {
  const isWrapped =
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable;
  return isWrapped ? bare(schema.unwrap()) : schema;
}

function shapeOf(schema: unknown): Shape | undefined {
  const inner = bare(schema);
  return inner instanceof z.ZodObject ? inner.shape : undefined;
}

function problemsIn(schema: z.ZodType, path: string, value: unknown): readonly string[] {
  const { error } = schema.safeParse(value);
  const wrong = (error?.issues ?? []).map(
    (issue) => `${issue.path.map(String).reduce(within, path)}: ${issue.message.toLowerCase()}`,
  );
  return [...wrong, ...unknownIn(schema, path, value)];
}

function unknownIn(schema: unknown, path: string, value: unknown): readonly string[] {
  const inner = bare(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, index) => unknownIn(inner.element, `${path}[${index}]`, item));
  }
  const shape = shapeOf(inner);
  if (shape === undefined || !isPlainObject(value)) return [];
  return Object.entries(value as Shape).flatMap(([field, each]) =>
    Object.hasOwn(shape, field)
      ? unknownIn(shape[field], within(path, field), each)
      : [`${within(path, field)}: the definition knows no such field`],
  );
}

const within = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`);
