import type { z } from 'zod';

/** A validation rule in CEL; `oldSelf` makes it one about updates. Servers before 1.25 know none. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
}

/** Where a schema keeps its rules. */
export const rulesKey = 'x-kubernetes-validations';

/** A schema with rules the API server checks where it knows CEL, beside those it has. */
export const withRules = <S extends z.ZodType>(schema: S, ...rules: readonly Rule[]): S => {
  if (rules.length === 0) return schema;
  const { [rulesKey]: present = [], ...rest } = schema.meta() ?? {};
  return schema.meta({ ...rest, [rulesKey]: [...(present as readonly Rule[]), ...rules] }) as S;
};

/**
 * A field of an object, or of one within it, keeps the value it has: it may be set later, as controllers do with what the
 * external system chose, but is neither changed nor removed from then on. The rule is the outer object's: a field's own is
 * not asked when the field goes (Kubernetes, "Transition rules").
 */
export function immutableRule(path: string): Rule {
  const names = path.split('.').map(celName);
  const at = (object: string, depth = names.length): string => [object, ...names.slice(0, depth)].join('.');
  const has = (object: string): string =>
    names.map((_, index) => `has(${at(object, index + 1)})`).join(' && ');
  const wasUnset = names.length === 1 ? `!${has('oldSelf')}` : `!(${has('oldSelf')})`;
  return {
    rule: `${wasUnset} || (${has('self')} && ${at('self')} == ${at('oldSelf')})`,
    message: `${path} is immutable once set: create a new resource`,
  };
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
