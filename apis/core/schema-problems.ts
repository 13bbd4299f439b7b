import get from 'lodash/get.js';
import { z } from 'zod';
import { unwrapped } from './marks.ts';

/** A field that the schema does not have, that it requires, or that has another type. */
export type SchemaProblem =
  | { readonly type: 'unknown'; readonly path: string }
  | { readonly type: 'missing'; readonly path: string }
  | { readonly type: 'mistyped'; readonly path: string; readonly why: string };

/**
 * The problems of a value's fields after JSON serialisation. These are fields that the schema does not have (at any depth),
 * which the API server would drop without an error; missing fields; and fields of another type. Limits beyond the type and
 * the contents of unions are not checked. The problems never hold a value.
 */
export function schemaProblems(schema: z.ZodObject, value: object): readonly SchemaProblem[] {
  const travelled: unknown = JSON.parse(JSON.stringify(value));
  const { issues = [] } = schema.safeParse(travelled).error ?? {};
  const found = issues.flatMap((issue): readonly SchemaProblem[] => {
    const path = issue.path.join('.');
    const isMissing = issue.path.length > 0 && get(travelled, issue.path) === undefined;
    if (isMissing) return [{ type: 'missing', path }];
    if (issue.code !== 'invalid_type') return [];
    return [{ type: 'mistyped', path, why: issue.message.replace(/^Invalid [a-z]+: /, '') }];
  });
  const unknown = unknownPaths(schema, travelled).map(
    (path) => ({ type: 'unknown', path: path.join('.') }) as const,
  );
  return [...unknown, ...found];
}

type Path = readonly (string | number)[];

/** The paths of fields that the schema does not have, at any depth. Elements of lists are named by index. */
export function unknownPaths(schema: z.core.$ZodType, value: unknown, above: Path = []): readonly Path[] {
  const within = unwrapped(schema);
  if (Array.isArray(value)) {
    if (!(within instanceof z.ZodArray)) return [];
    return value.flatMap((element, index) => unknownPaths(within.element, element, [...above, index]));
  }
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  if (within instanceof z.ZodRecord) {
    return entries.flatMap(([key, entry]) => unknownPaths(within.valueType, entry, [...above, key]));
  }
  if (!(within instanceof z.ZodObject)) return [];
  const { catchall } = within.def;
  return entries.flatMap(([key, entry]) => {
    const path = [...above, key];
    if (Object.hasOwn(within.shape, key)) return unknownPaths(within.shape[key], entry, path);
    return catchall === undefined || catchall instanceof z.ZodNever ? [path] : [];
  });
}
