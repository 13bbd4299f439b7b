import { z } from 'zod';
import { unwrapped } from '../apis/core/marks.ts';
import type { Definition } from '../apis/core/schema.ts';
import { unknownPaths } from '../apis/core/schema-problems.ts';
import type { Kind } from '../apis/core/v1alpha1/kind.ts';

type Shape = Readonly<Record<string, unknown>>;

/**
 * The mismatches of a value with the definition of its kind at a path, such as `status` or `spec.forProvider`: fields of
 * the wrong type, and unknown fields, which an API server would drop. Empty if the kind has no schema.
 */
export function schemaProblems(kind: Kind, path: string, value: object): readonly string[] {
  const whole = (kind as { readonly schema?: unknown }).schema;
  const schema = path.split('.').reduce<unknown>((outer, field) => shapeOf(outer)?.[field], whole);
  return schema instanceof z.ZodType ? problemsIn(schema, path, value) : [];
}

/** The mismatches of a whole object without apiVersion, kind and metadata. */
export function objectProblems({ schema }: Pick<Definition, 'schema'>, object: object): readonly string[] {
  return problemsIn(schema, '', object);
}

function shapeOf(schema: unknown): Shape | undefined {
  const inner = schema instanceof z.ZodType ? unwrapped(schema) : undefined;
  return inner instanceof z.ZodObject ? inner.shape : undefined;
}

function problemsIn(schema: z.ZodType, path: string, value: unknown): readonly string[] {
  const { error } = schema.safeParse(value);
  const wrong = (error?.issues ?? []).map(
    (issue) => `${issue.path.map(String).reduce(within, path)}: ${issue.message.toLowerCase()}`,
  );
  const unknown = unknownPaths(schema, value).map(
    (at) => `${at.reduce<string>(within, path)}: the definition has no such field`,
  );
  return [...wrong, ...unknown];
}

function within(path: string, part: string | number): string {
  if (typeof part === 'number') return `${path}[${part}]`;
  return path === '' ? part : `${path}.${part}`;
}
