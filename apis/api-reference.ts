import { z } from 'zod';
import type { Rule } from './core/rules.ts';
import { fieldPath, rulesKey } from './core/rules.ts';
import type { Definition } from './core/schema.ts';
import { apiVersionOf } from './core/v1alpha1/kind.ts';
import type { JsonSchema } from './crd.ts';
import { objectSchema } from './crd.ts';

/** The API reference in Markdown: a chapter per kind, a row per field. */
export function apiReference(definitions: readonly Definition[]): string {
  const chapters = definitions.map((definition) => {
    const schema = objectSchema(definition);
    const notesAt = (path: string) => markSentences(definition, path);
    const { apiVersion: _v, kind: _k, metadata: _m, ...own } = schema.properties ?? {};
    return [
      `## ${definition.kind} (${apiVersionOf(definition)})`,
      '',
      definition.description,
      '',
      `${definition.scope === 'Cluster' ? 'Cluster-scoped' : 'Namespaced'}. Categories: ${definition.categories.join(', ')}.`,
      '',
      '| Field | Type | Description |',
      '| --- | --- | --- |',
      ...rows({ ...schema, properties: own }, '', notesAt),
      ...connectionDetails(definition),
      '',
    ].join('\n');
  });
  const contents = definitions.map(({ kind, group, version }) => {
    const anchor = `${kind}-${group}${version}`.toLowerCase().replaceAll(/[^a-z0-9-]/g, '');
    return `- [${kind}](#${anchor}) ${group}/${version}`;
  });
  return [
    '# API reference',
    '',
    'Generated from the schemas of these kinds. An asterisk marks a required field.',
    '',
    ...contents,
    '',
    ...chapters,
  ].join('\n');
}

/** The entries of the connection Secret. */
function connectionDetails({ connectionDetails: fields = {} }: Definition): readonly string[] {
  const entries = Object.entries(fields);
  if (entries.length === 0) return [];
  return [
    '',
    'Entries of the connection Secret. An asterisk marks those that it always has as soon as the resource has an address.',
    '',
    '| Entry | Description |',
    '| --- | --- |',
    ...entries.map(([key, field]) => {
      const isRequired = field._zod.optin === undefined;
      return `| \`${key}\`${isRequired ? ' *' : ''} | ${cell(z.toJSONSchema(field).description ?? '')} |`;
    }),
  ];
}

/** The sentences for the marks of a field. */
function markSentences({ marks }: Definition, path: string): readonly string[] {
  const field = path.replace(/^spec\.forProvider\./, '');
  if (marks === undefined || field === path) return [];
  const isLate = marks.late.includes(field);
  return [
    ...(marks.identity.includes(field) ? ['Identity: it identifies the external resource.'] : []),
    ...(isLate ? ['Late: if absent, it is set to the value in the external system.'] : []),
  ];
}

function rows(
  schema: JsonSchema,
  path: string,
  notesAbove: (path: string) => readonly string[],
): readonly string[] {
  const notesAt = (at: string) => [...notesAbove(at), ...placedRules(schema, path, at)];
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const isRequired = schema.required?.includes(key) ?? false;
    const at = path === '' ? key : `${path}.${key}`;
    const row = `| \`${at}\`${isRequired ? ' *' : ''} | ${typeOf(field)} | ${cell(describe(field, notesAt(at)))} |`;
    const elements = field.items === undefined ? [] : rows(field.items, `${at}[]`, notesAt);
    return [row, ...rows(field, at, notesAt), ...elements];
  });
}

function typeOf({ type = 'any', items, additionalProperties, enum: values }: JsonSchema): string {
  if (Array.isArray(values)) return values.map((value) => `\`${String(value)}\``).join(', ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (additionalProperties !== undefined) return `map of ${typeOf(additionalProperties)}`;
  return type;
}

function describe(
  { description = '', default: byDefault, ...rest }: JsonSchema,
  marks: readonly string[],
): string {
  return [
    description,
    ...marks,
    ...(byDefault === undefined ? [] : [`Default: \`${JSON.stringify(byDefault)}\`.`]),
    ...rulesIn(rest).filter(isUnplaced).map(ruleSentence),
  ].join(' ');
}

const rulesIn = (schema: JsonSchema): readonly Rule[] => (schema[rulesKey] ?? []) as readonly Rule[];

/** A rule without a field of its own is shown with the schema that has it. */
const isUnplaced = (rule: Rule): boolean => rule.fieldPath === undefined;

/** The sentences for a field from the rules of a schema above it, which is at `above`. */
function placedRules(schema: JsonSchema, above: string, at: string): readonly string[] {
  const below = above === '' ? at : at.slice(above.length + 1);
  const place = fieldPath(...below.split('.'));
  return rulesIn(schema)
    .filter((rule) => rule.fieldPath === place)
    .map(ruleSentence);
}

const ruleSentence = ({ message }: Rule): string => `Rule: ${message}.`;

const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('<', '\\<').replaceAll('\n', ' ');
