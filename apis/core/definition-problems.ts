import { z } from 'zod';
import { isGroup, isKept, isKindName, isResourceName, isVersion } from './api-names.ts';
import { DefinitionError } from './definition-error.ts';
import { foreignToRe2 } from './foreign-to-re2.ts';
import type { Definition } from './schema.ts';

/**
 * What of a definition the API server or its readers could not use: a line each, with the kind and the field. None: it can be
 * installed.
 */
export function definitionProblems(definition: Definition): readonly string[] {
  const { kind, group, problems = [] } = definition;
  const all = [...problemsOfNames(definition), ...problems, ...problemsOfFields(definition)];
  return all.map((problem) => `${kind}.${group}: ${problem}`);
}

/** Throws a DefinitionError unless a schema is an object's. `what` names it there. */
export function requireObject(what: string, schema: unknown): void {
  if (!(schema instanceof z.ZodObject)) {
    throw new DefinitionError(`${what} is no object: define it with z.object`);
  }
}

/** What is wrong with the fields of an object that every kind of the sort has anyway. `where` names the object there. */
export function takenFields(where: string, fields: object, taken: object): readonly string[] {
  const names = Object.keys(fields).filter((name) => Object.hasOwn(taken, name));
  return names.map((name) => `${where}.${name} is there in every kind: choose another name`);
}

function problemsOfNames(definition: Definition): readonly string[] {
  const { kind, group, version, plural, shortNames = [], categories, description } = definition;
  const lowerCase = 'of at most 63 lower case letters, digits and dashes, with a letter first';
  const rules: readonly (readonly [string, string, (text: string) => boolean, string])[] = [
    ['kind', kind, isKindName, 'in PascalCase, of at most 59 letters and digits, as CacheCluster'],
    ['group', group, isGroup, 'a DNS name in lower case with a dot in it, as cache.example.org'],
    ['version', version, isVersion, 'a version of an API, as v1alpha1 or v1'],
    ['plural', plural, isResourceName, lowerCase],
    ...shortNames.map((name) => ['short name', name, isResourceName, lowerCase] as const),
    ...categories.map((name) => ['category', name, isResourceName, lowerCase] as const),
  ];
  return [
    ...rules.flatMap(([field, text, isFine, wanted]) =>
      isFine(text) ? [] : [`${field} ${JSON.stringify(text)} is not ${wanted}`],
    ),
    ...(isKept(group) ? ['the group is kept for Kubernetes itself: take one below a domain of yours'] : []),
    ...(isGroup(group) && `${plural}.${group}`.length > 253
      ? ['plural and group are too long for the name of a definition']
      : []),
    ...(description ? [] : ['it has no description']),
  ];
}

/** JSON schema, as far as it is looked through here. */
interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly pattern?: string;
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly [unusable]?: readonly string[];
}

/** Where a field carries what only its Zod schema tells: JSON schema has neither dates nor flags. */
const unusable = 'x-unusable';

function problemsOfFields({ schema, parameters }: Definition): readonly string[] {
  const json = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const found = unusableIn(zodSchema);
      if (found.length > 0) (jsonSchema as Record<string, unknown>)[unusable] = found;
    },
  }) as JsonSchema;
  // A managed kind has its parameters twice: once is enough to be told.
  return fieldsWithin(json, '', parameters === undefined ? undefined : 'spec.initProvider');
}

/** What is wrong with the fields of an object; `left` is the path of one that is left out. */
function fieldsWithin({ properties = {} }: JsonSchema, above: string, left?: string): readonly string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${above}${name}`;
    if (path === left) return [];
    return [...(field.description ? [] : [`${path} has no description`]), ...problemsAt(field, path, left)];
  });
}

function problemsAt(schema: JsonSchema, path: string, left?: string): readonly string[] {
  const { items, additionalProperties, allOf = [], [unusable]: found } = schema;
  const isMap = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0;
  return [
    ...(found ?? notStructural(schema)).map((problem) => `${path} ${problem}`),
    ...[schema, ...allOf].flatMap(({ pattern = '' }) =>
      foreignToRe2(pattern).map(
        (part) => `${path} has a pattern with ${part}, which Kubernetes does not know`,
      ),
    ),
    ...fieldsWithin(schema, `${path}.`, left),
    ...(items === undefined || isUnion(items) ? [] : problemsAt(items, `${path}[]`)),
    ...(isMap ? problemsAt(additionalProperties, `${path}.*`) : []),
  ];
}

const isUnion = (schema: object): boolean => 'anyOf' in schema || 'oneOf' in schema;

/** What schemas of definitions have (Kubernetes, "Specifying a structural schema"), beside extensions of Kubernetes' own. */
const known = new Set(
  [
    'type description title properties required items additionalProperties enum default example format nullable pattern',
    'minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems minProperties',
    'maxProperties allOf',
  ].flatMap((words) => words.split(' ')),
);

/** Why a schema is not structural; each with what to take instead, where there is such. */
function notStructural(schema: JsonSchema): readonly string[] {
  const { type, items, additionalProperties, properties } = schema;
  if (isUnion(schema) || (items !== undefined && isUnion(items))) {
    return ['may be of several types, as z.union and z.tuple are: a definition has one type for each field'];
  }
  if ('$ref' in schema || schema.allOf?.some((part) => '$ref' in part)) {
    return ['is told by reference: leave out the id of its schema'];
  }
  if (type === undefined) return ['has no type: a definition has one for each field'];
  if (properties !== undefined && additionalProperties !== undefined) {
    return ['says what else it may hold: take z.object, as others than its own fields are dropped anyway'];
  }
  const odd = Object.keys(schema).filter((key) => !known.has(key) && !key.startsWith('x-'));
  return odd.map((key) => `says ${key}, which a definition cannot`);
}

const noJson = ['bigint', 'symbol', 'undefined', 'void', 'map', 'set', 'nan', 'custom', 'function'];

/** What of a Zod schema JSON schema does not tell. */
function unusableIn({ _zod: { def } }: z.core.$ZodType): readonly string[] {
  if (def.type === 'date') return ['is a z.date(), which JSON does not have: take z.iso.datetime()'];
  if (noJson.includes(def.type)) return [`is a z.${def.type}(), which JSON does not have`];
  const { checks = [] } = def as { readonly checks?: readonly z.core.$ZodCheck[] };
  return checks.flatMap(({ _zod: { def: check } }) => {
    const { pattern } = check as { readonly pattern?: RegExp };
    const flags = pattern?.flags.replace('u', '') ?? '';
    if (flags === '') return [];
    return [`has a pattern with the flag ${flags}, which Kubernetes does not know: say it in the pattern`];
  });
}
