import type { z } from 'zod';
import { required, requireForm, text } from './forms.ts';
import { requireSchema } from './require-schema.ts';

/** A validation rule in CEL (Kubernetes 1.28 and later). `oldSelf` makes it a rule about updates. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  /** Computes the message of the API server from `self`. If it fails, the API server shows `message`. */
  readonly messageExpression?: string;
  /** The field that the API server names in its refusal: a path below the schema with the rule, such as `.spec.claimRef`. */
  readonly fieldPath?: string;
  /** The kind of refusal. Absent: `FieldValueInvalid`. */
  readonly reason?:
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueRequired'
    | 'FieldValueDuplicate';
}

/** The key of a schema's rules. */
export const rulesKey = 'x-kubernetes-validations';

const ruleForm = {
  rule: required(text),
  message: required(text),
  messageExpression: text,
  fieldPath: text,
  reason: text,
};

/** The schema with additional rules that the API server checks. */
export const withRules = <S extends z.ZodType>(schema: S, ...rules: readonly Rule[]): S => {
  requireSchema('the schema of withRules', schema);
  for (const rule of rules) requireForm(withRules, ruleForm, rule);
  if (rules.length === 0) return schema;
  const { [rulesKey]: present = [], ...rest } = schema.meta() ?? {};
  return schema.meta({ ...rest, [rulesKey]: [...(present as readonly Rule[]), ...rules] }) as S;
};

/** How a rule refers to a field in `fieldPath`: `.spec.forProvider.region`, or `['a-b']` for an odd name. */
export const fieldPath = (...names: readonly string[]): string =>
  names.map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`)).join('');

/**
 * A condition at the root of a managed kind that applies after the creation. Until the status names an external resource,
 * every edit is allowed: a mistyped region or version can be corrected.
 */
export const onceCreated = (condition: string): string =>
  `!has(oldSelf.status) || !has(oldSelf.status.externalIdentity) || ${condition}`;

/**
 * While the external resource exists, a field of `forProvider`, or a field within it, cannot be changed, added or removed.
 * The rule is at the root of the kind, because only there it can read the status.
 *
 * A late field (`isLate`) may be added, as late initialisation does, and removed: its value was not chosen. So a wrong
 * value that was added can be removed.
 */
export function immutableRule(path: string, isLate: boolean): Rule {
  return unchangedRule(['forProvider', ...path.split('.')], isLate);
}

/** The same for a field of `initProvider` that identifies the external resource. */
export function initialIdentityRule(path: string): Rule {
  return unchangedRule(['initProvider', ...path.split('.')], false);
}

/** `names`: a path in the spec. `forProvider` is always there. */
function unchangedRule(names: readonly string[], isLate: boolean): Rule {
  const at = (object: string, depth = names.length): string =>
    [`${object}.spec`, ...names.slice(0, depth).map(celName)].join('.');
  const depths = [...names.keys()].map((index) => index + 1).slice(names[0] === 'forProvider' ? 1 : 0);
  const has = (object: string): string => depths.map((depth) => `has(${at(object, depth)})`).join(' && ');
  const [now, before] =
    depths.length === 1 ? [has('self'), has('oldSelf')] : [`(${has('self')})`, `(${has('oldSelf')})`];
  const isEqual = `${at('self')} == ${at('oldSelf')}`;
  return {
    rule: onceCreated(
      isLate ? `!${now} || !${before} || ${isEqual}` : `(${now} == ${before} && (!${now} || ${isEqual}))`,
    ),
    message: isLate
      ? 'cannot change while the external resource exists; remove the field to keep its value, or create a new resource instead'
      : 'cannot change while the external resource exists; create a new resource instead',
    fieldPath: fieldPath('spec', ...names),
    reason: 'FieldValueForbidden',
  };
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** The name of a field in a rule: reserved words and special characters are escaped (Kubernetes, "Validation rules"). */
export function celName(field: string): string {
  if (reserved.has(field)) return `__${field}__`;
  return field
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

/** The condition that an object has at least one of the fields. */
export const hasAny = (object: string, ...fields: readonly string[]): string =>
  `(${fields.map((field) => `has(${object}.${celName(field)})`).join(' || ')})`;
