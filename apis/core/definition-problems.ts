import { z } from 'zod';
import { isGroup, isKindName, isReservedGroup, isResourceName, isVersion } from './api-names.ts';
import { foreignToRe2 } from './foreign-to-re2.ts';
import type { Definition } from './schema.ts';

/**
 * The mistakes in a definition that the API server or its readers could not handle: one line each, with the kind and the
 * field. Empty if the definition can be installed.
 */
export function definitionProblems(definition: Definition): readonly string[] {
  const { kind, group, problems = [] } = definition;
  const all = [
    ...problemsOfNames(definition),
    ...problems,
    ...problemsOfFields(definition),
    ...problemsOfDetails(definition),
  ];
  return all.map((problem) => `${group ? `${kind}.${group}` : kind}: ${problem}`);
}

/** The fields that every kind of this sort has already; one problem each. `where` names the object in the message. */
export function takenFields(where: string, fields: object, taken: object): readonly string[] {
  const names = Object.keys(fields).filter((name) => Object.hasOwn(taken, name));
  return names.map((name) => `${where}.${name} is already a field of every kind: choose another name`);
}

function problemsOfNames(definition: Definition): readonly string[] {
  const { kind, group, version, plural, shortNames = [], categories, description } = definition;
  const lowerCase = 'at most 63 lower-case letters, digits and dashes, with a letter first';
  // An author's JavaScript may leave a name out.
  const isGiven = (text: string | undefined) => text !== undefined;
  const rules: readonly (readonly [string, string, (text: string) => boolean, string])[] = [
    ['kind', kind, isKindName, 'at most 59 letters and digits in PascalCase, for example CacheCluster'],
    ['group', group, isGroup, 'a lower-case DNS name with a dot, for example cache.example.org'],
    ['version', version, isVersion, 'a version of an API, for example v1alpha1 or v1'],
    ['plural', plural, isResourceName, lowerCase],
    ...shortNames.map((name) => ['short name', name, isResourceName, lowerCase] as const),
    ...categories.map((name) => ['category', name, isResourceName, lowerCase] as const),
  ];
  return [
    ...rules.flatMap(([field, text, isFine, wanted]) =>
      isGiven(text) && isFine(text) ? [] : [`${field} ${JSON.stringify(text)} is not allowed: use ${wanted}`],
    ),
    ...(isReservedGroup(group)
      ? ['the group is reserved for Kubernetes: use one below your own domain']
      : []),
    ...(isGiven(group) && isGroup(group) && `${plural}.${group}`.length > 253
      ? ['plural and group are together longer than 253 characters: shorten one of them']
      : []),
    ...(description ? [] : ['it has no description: add one']),
  ];
}

/** The part of a JSON schema that is checked here. */
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

/** The key for problems that only the Zod schema shows: JSON schema has neither dates nor flags of patterns. */
const unusable = 'x-unusable';

function problemsOfFields({ schema }: Definition): readonly string[] {
  const json = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const found = unusableIn(zodSchema);
      if (found.length > 0) (jsonSchema as Record<string, unknown>)[unusable] = found;
    },
  }) as JsonSchema;
  return fieldsWithin(json, '');
}

/** The problems of the entries of connection Secrets. */
function problemsOfDetails({ connectionDetails = {} }: Definition): readonly string[] {
  const json = z.toJSONSchema(z.object(connectionDetails), { io: 'input', unrepresentable: 'any' });
  return Object.entries((json as JsonSchema).properties ?? {}).flatMap(([key, { type, description }]) => [
    ...(/^[-._a-zA-Z0-9]{1,253}$/.test(key)
      ? []
      : [
          `connectionDetails has the key "${key}", which a Secret must not have: use letters, digits, -, _ and .`,
        ]),
    ...(type === 'string' ? [] : [`connectionDetails.${key} is not a text: use text()`]),
    ...(description ? [] : [`connectionDetails.${key} has no description: add one`]),
  ]);
}

function fieldsWithin({ properties = {} }: JsonSchema, above: string): readonly string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${above}${name}`;
    // A managed kind and a class have their parameters twice: report each problem once.
    if (name === 'initProvider' && 'forProvider' in properties) return [];
    return [
      ...(field.description ? [] : [`${path} has no description: add one`]),
      ...problemsAt(field, path),
    ];
  });
}

function problemsAt(schema: JsonSchema, path: string): readonly string[] {
  const { items, additionalProperties, allOf = [], [unusable]: found } = schema;
  const isMap = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0;
  return [
    ...(found ?? notStructural(schema)).map((problem) => `${path} ${problem}`),
    ...[schema, ...allOf].flatMap(({ pattern = '' }) =>
      foreignToRe2(pattern).map(
        (part) => `${path} has a pattern with ${part}, which Kubernetes does not support: remove it`,
      ),
    ),
    ...fieldsWithin(schema, `${path}.`),
    ...(items === undefined || isUnion(items) ? [] : problemsAt(items, `${path}[]`)),
    ...(isMap ? problemsAt(additionalProperties, `${path}.*`) : []),
  ];
}

const isUnion = (schema: object): boolean => 'anyOf' in schema || 'oneOf' in schema;

/** The keywords of structural schemas (Kubernetes, "Specifying a structural schema"), besides Kubernetes' extensions. */
const known = new Set(
  [
    'type description title properties required items additionalProperties enum default example format nullable pattern',
    'minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems minProperties',
    'maxProperties allOf',
  ].flatMap((words) => words.split(' ')),
);

/** Why a schema is not structural, and what to use instead. */
function notStructural(schema: JsonSchema): readonly string[] {
  const { type, items, additionalProperties, properties } = schema;
  if (isUnion(schema) || (items !== undefined && isUnion(items))) {
    return ['has several types, for example by z.union or z.tuple: a field must have one type'];
  }
  if ('$ref' in schema || schema.allOf?.some((part) => '$ref' in part)) {
    return ['is a reference to another schema: remove the id of its schema'];
  }
  if (type === undefined) return ['has no type: every field must have one'];
  if (properties !== undefined && additionalProperties !== undefined) {
    return ['allows additional fields, which the API server drops: use z.object'];
  }
  const odd = Object.keys(schema).filter((key) => !known.has(key) && !key.startsWith('x-'));
  return odd.map((key) => `has the keyword ${key}, which a definition must not have: remove it`);
}

const noJson = ['bigint', 'symbol', 'undefined', 'void', 'map', 'set', 'nan', 'custom', 'function'];

const hasFunction =
  'has a function, such as refine or transform, which the API server does not call: use withRules, or check the value in configure';

/** The problems of a Zod schema that its JSON schema does not show. */
function unusableIn({ _zod: { def } }: z.core.$ZodType): readonly string[] {
  if (def.type === 'date') return ['is a z.date(), which JSON does not have: use z.iso.datetime()'];
  if (noJson.includes(def.type)) return [`is a z.${def.type}(), which JSON does not have: use another type`];
  if (def.type === 'pipe') return [hasFunction]; // the result of z.transform
  const { checks = [] } = def as { readonly checks?: readonly z.core.$ZodCheck[] };
  return checks.flatMap(({ _zod: { def: check } }) => {
    if (check.check === 'custom' || check.check === 'overwrite') return [hasFunction];
    const { pattern } = check as { readonly pattern?: RegExp };
    const flags = pattern?.flags.replace('u', '') ?? '';
    if (flags === '') return [];
    return [
      `has a pattern with the flag ${flags}, which Kubernetes does not support: express it in the pattern`,
    ];
  });
}
