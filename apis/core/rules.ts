import { z } from 'zod';

/** A validation rule in CEL; `oldSelf` makes it one about updates. Servers before 1.25 know none. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
}

/** Where a schema keeps its rules. */
export const rulesKey = 'x-kubernetes-validations';

/** A schema with rules the API server checks where it knows CEL, beside those it has. */
export const withRules = <S extends z.ZodType>(schema: S, ...rules: readonly Rule[]): S => {
  const { [rulesKey]: present = [], ...rest } = schema.meta() ?? {};
  return schema.meta({ ...rest, [rulesKey]: [...(present as readonly Rule[]), ...rules] }) as S;
};

/** The field that a rule of {@link immutable} is about. */
const immutableField = new WeakMap<Rule, string>();

/**
 * An object with fields that keep the value they have: each may be set later, as controllers do with what the
 * external system chose, but is neither changed nor removed from then on. The rules are the object's: a field's own
 * is not asked when the field goes (Kubernetes, "Transition rules").
 */
export const immutable = <S extends z.ZodObject>(
  schema: S,
  ...fields: readonly (keyof S['shape'] & string)[]
): S =>
  withRules(
    schema,
    ...fields.map((field) => {
      const name = celName(field);
      const rule = {
        rule: `!has(oldSelf.${name}) || (has(self.${name}) && self.${name} == oldSelf.${name})`,
        message: `${field} is immutable once set: create a new resource`,
      };
      immutableField.set(rule, field);
      return rule;
    }),
  );

/** The fields that {@link immutable} names, in an object and in those within it: `version`, `network.region`. */
export function immutableFields(schema: z.core.$ZodType): readonly string[] {
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodOptional) {
    return immutableFields(schema.unwrap());
  }
  if (!(schema instanceof z.ZodObject)) return [];
  const rules = (schema.meta()?.[rulesKey] ?? []) as readonly Rule[];
  return [
    ...rules.flatMap((rule) => immutableField.get(rule) ?? []),
    ...Object.entries(schema.shape).flatMap(([field, inner]) =>
      immutableFields(inner as z.core.$ZodType).map((path) => `${field}.${path}`),
    ),
  ];
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** How a rule names a field: reserved words and odd characters are escaped (Kubernetes, "Validation rules"). */
export function celName(field: string): string {
  if (reserved.has(field)) return `__${field}__`;
  return field
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

/** Whether an object has at least one of the fields. */
export const hasAny = (object: string, ...fields: readonly string[]): string =>
  `(${fields.map((field) => `has(${object}.${celName(field)})`).join(' || ')})`;
