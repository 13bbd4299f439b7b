import type { ASTNode } from '@marcbachmann/cel-js';
import { Environment } from '@marcbachmann/cel-js';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import isEqual from 'lodash/isEqual.js';
import type { Rule } from '../../apis/core/rules.ts';
import { celName, rulesKey } from '../../apis/core/rules.ts';
import type { Definition } from '../../apis/core/schema.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { JsonSchema } from '../../apis/crd.ts';
import { objectSchema } from '../../apis/crd.ts';

/** The fault of an object: the path and the reason. */
interface Cause {
  /** As `spec.forProvider`. */
  readonly field: string;
  readonly message: string;
  /** As the rule says it; absent: `FieldValueInvalid`. */
  readonly reason?: Rule['reason'];
}

/** The words of an API server for a reason. */
const refusals: Readonly<Record<NonNullable<Rule['reason']>, string>> = {
  FieldValueInvalid: 'Invalid value',
  FieldValueForbidden: 'Forbidden',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
};

/** The stored form of an object, as an API server derives it. */
export type Verdict =
  | { readonly object: KubernetesObject }
  | { readonly causes: readonly Cause[]; readonly message: string };

type Json = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const dateTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const ajv = new Ajv({ allErrors: true, strict: false, formats: { int64: true, 'date-time': dateTime } });
const cel = new Environment().registerVariable('self', 'dyn').registerVariable('oldSelf', 'dyn');
const parsed = new Map<string, ReturnType<Environment['parse']>>();

/** A rule ready to be asked. Throws what is wrong with its syntax. */
function parse(rule: string): ReturnType<Environment['parse']> {
  const found = parsed.get(rule) ?? cel.parse(rule);
  parsed.set(rule, found);
  return found;
}

/** Rules that compare with what was before. */
const transitions = new Map<string, boolean>();
function isTransition(rule: string): boolean {
  const found = transitions.get(rule) ?? fieldsIn(rule).some(([variable]) => variable === 'oldSelf');
  transitions.set(rule, found);
  return found;
}

/** Whether a keyword is in a schema, or in one of what is in its values. */
function having(keyword: string): (schema: JsonSchema) => boolean {
  const known = new WeakMap<JsonSchema, boolean>();
  return function has(schema) {
    const found = known.get(schema);
    if (found !== undefined) return found;
    const { properties = {}, items, additionalProperties } = schema;
    const inner = [
      ...Object.values(properties),
      ...[items, additionalProperties].filter((each) => each !== undefined),
    ];
    const is = keyword in schema || inner.some(has);
    known.set(schema, is);
    return is;
  };
}

const mapKeys = 'x-kubernetes-list-map-keys';
const hasRules = having(rulesKey);
const hasMapKeys = having(mapKeys);

const schemas = new WeakMap<
  Definition,
  { readonly schema: JsonSchema; readonly isValid: ValidateFunction }
>();

function schemaOf(definition: Definition) {
  const known = schemas.get(definition);
  if (known !== undefined) return known;
  const schema = objectSchema(definition);
  const made = { schema, isValid: ajv.compile(schema) };
  schemas.set(definition, made);
  return made;
}

/** Whether there is a definition of a kind, which says what its objects are like. */
export const isDefinition = (kind: Kind): kind is Definition => 'schema' in kind;

/**
 * The work of an API server with CEL before it stores an object: drops unknown fields, fills in defaults,
 * and refuses violations of schema or rules. `before` is the object as stored. Stricter than servers of 1.30
 * and later, which accept an earlier fault that is not changed.
 */
export function admit(definition: Definition, given: KubernetesObject, before?: KubernetesObject): Verdict {
  const { schema, isValid } = schemaOf(definition);
  const { metadata } = given;
  const object = { ...(known(schema, given) as KubernetesObject), metadata };
  const wrong = isValid(object) ? duplicates(schema, object, '') : (isValid.errors ?? []).map(causeOf);
  // Rules are not asked about what is not even of the right shape.
  const causes = wrong.length > 0 ? wrong : broken(schema, { self: object, oldSelf: before }, '');
  if (causes.length === 0) return { object };
  const texts = causes.map(
    ({ field, message, reason }) => `${field}: ${refusals[reason ?? 'FieldValueInvalid']}: ${message}`,
  );
  const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const what = `${definition.kind}.${definition.group} "${metadata.name}"`;
  return { causes, message: `${what} is invalid: ${all}` };
}

/** The value with what its schema knows, and defaults for what is absent. */
function known(schema: JsonSchema, value: unknown): unknown {
  const { properties, items, additionalProperties } = schema;
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => known(items, item));
  if (!isRecord(value)) return value;
  if (additionalProperties !== undefined) {
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, known(additionalProperties, child)]),
    );
  }
  if (properties === undefined) return value;
  const defaults = Object.entries(properties).flatMap(([key, { default: byDefault }]) =>
    byDefault === undefined || value[key] !== undefined ? [] : [[key, byDefault] as const],
  );
  const remaining = Object.entries(value).filter(
    ([key, child]) => Object.hasOwn(properties, key) && child !== undefined,
  );
  return Object.fromEntries(
    [...remaining, ...defaults].map(([key, child]) => [key, known(properties[key] ?? {}, child)]),
  );
}

function causeOf({ instancePath, keyword, params, message = '' }: ErrorObject): Cause {
  const parts = instancePath.split('/').slice(1);
  // A missing field is named by its own path.
  const path = keyword === 'required' ? [...parts, String(params.missingProperty)] : parts;
  const field = path.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('');
  return { field: field.replace(/^\./, ''), message };
}

/** Entries of a list that is a map by the keys its schema names, and has the same twice. */
function duplicates(schema: JsonSchema, value: unknown, path: string): readonly Cause[] {
  if (!hasMapKeys(schema)) return [];
  const keys = schema[mapKeys] as readonly string[] | undefined;
  const own =
    keys === undefined || !Array.isArray(value)
      ? []
      : value.flatMap((item, index) => {
          const isSame = (other: unknown) =>
            keys.every((key) => isEqual((other as Json)[key], (item as Json)[key]));
          return value.slice(0, index).some(isSame)
            ? [{ field: `${path}[${index}]`, message: 'Duplicate value' }]
            : [];
        });
  return [
    ...own,
    ...childrenOf(schema, value, path).flatMap((child) => duplicates(child.schema, child.value, child.path)),
  ];
}

/** The faults by the rules for a value and all under it. */
function broken(
  schema: JsonSchema,
  { self, oldSelf }: { readonly self: unknown; readonly oldSelf: unknown },
  path: string,
): readonly Cause[] {
  if (!hasRules(schema)) return [];
  const rules = (schema[rulesKey] ?? []) as readonly Rule[];
  const variables =
    rules.length === 0 ? {} : { self: celValue(schema, self), oldSelf: celValue(schema, oldSelf) };
  const own = rules
    .filter(({ rule }) => oldSelf !== undefined || !isTransition(rule))
    .filter(({ rule }) => parse(rule)(variables) !== true)
    .map(({ messageExpression, fieldPath = '', reason, ...rule }): Cause => {
      const message = messageOf(messageExpression, variables) ?? rule.message;
      const field = `${path}${fieldPath}`.replace(/^\./, '').replaceAll(/\['(.*?)'\]/g, '.$1');
      return { field, message, ...(reason && { reason }) };
    });
  const under = childrenOf(schema, self, path).flatMap((child) => {
    // An item of a list has no earlier value.
    const former = Array.isArray(self) || !isRecord(oldSelf) ? undefined : oldSelf[child.key];
    return broken(child.schema, { self: child.value, oldSelf: former }, child.path);
  });
  return [...own, ...under];
}

/** The message that an expression computes. An API server ignores a message with line breaks. */
function messageOf(expression: string | undefined, variables: object): string | undefined {
  const message: unknown = expression && parse(expression)(variables as Json);
  return typeof message === 'string' && message !== '' && !message.includes('\n') ? message : undefined;
}

function childrenOf(
  { properties = {}, items, additionalProperties }: JsonSchema,
  value: unknown,
  path: string,
) {
  if (Array.isArray(value)) {
    if (items === undefined) return [];
    return value.map((item, index) => ({
      schema: items,
      value: item as unknown,
      key: '',
      path: `${path}[${index}]`,
    }));
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const schema = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    return schema === undefined
      ? []
      : [{ schema, value: child, key, path: path === '' ? key : `${path}.${key}` }];
  });
}

/** A value as rules see it: integers are not doubles, and fields go by the names CEL has for them. */
function celValue(schema: JsonSchema, value: unknown): unknown {
  const { properties, items, additionalProperties } = schema;
  if (typeof value === 'number') return schema.type === 'integer' ? BigInt(value) : value;
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => celValue(items, item));
  if (!isRecord(value)) return value;
  if (properties === undefined) {
    // Of an object, the library takes the key `constructor` for its own.
    return new Map(
      Object.entries(value).map(([key, child]) => [key, celValue(additionalProperties ?? {}, child)]),
    );
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [celName(key), celValue(properties[key] ?? {}, child)]),
  );
}

/** Every path that a rule selects or asks for, as `['self', 'classRef', 'name']`. Throws what is wrong with its syntax. */
export function fieldsIn(rule: string): readonly (readonly string[])[] {
  return pathsIn(parse(rule).ast);
}

function pathsIn(node: ASTNode): readonly (readonly string[])[] {
  const path = pathOf(node);
  if (path !== undefined) return [path];
  const inner = [node.args].flat(2) as readonly unknown[];
  return inner.filter((arg): arg is ASTNode => isRecord(arg) && 'op' in arg).flatMap(pathsIn);
}

function pathOf({ op, args }: ASTNode): readonly string[] | undefined {
  if (op === 'id') return [args as string];
  if (op !== '.') return undefined;
  const [object, field] = args as [ASTNode, string];
  const parent = pathOf(object);
  return parent && [...parent, field];
}
