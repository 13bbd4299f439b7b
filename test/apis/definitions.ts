import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Rule } from '../../apis/core/rules.ts';
import type { JsonSchema } from '../../apis/crd.ts';

/** A CustomResourceDefinition, as far as tests look at it. */
export interface CustomResourceDefinition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: 'Cluster' | 'Namespaced';
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly categories: readonly string[];
      readonly shortNames?: readonly string[];
    };
    readonly versions: readonly [
      {
        readonly subresources?: object;
        readonly additionalPrinterColumns: readonly { readonly name: string; readonly priority?: number }[];
        readonly schema: { readonly openAPIV3Schema: JsonSchema };
      },
    ];
  };
}

const projectRoot = join(import.meta.dirname, '..', '..');

/** The definitions in the YAML files of a folder of the project and of the folders in it, by file name. */
export const definitionsIn = (folder: string): ReadonlyMap<string, CustomResourceDefinition> =>
  new Map(
    globSync('**/*.yaml', { cwd: join(projectRoot, folder) })
      .toSorted()
      .map((file) => [file, parse(readFileSync(join(projectRoot, folder, file), 'utf8'))]),
  );

export const schemaOf = ({ spec }: CustomResourceDefinition): JsonSchema =>
  spec.versions[0].schema.openAPIV3Schema;

/** The role of the objects of a definition. */
export function roleOf({ spec: { names } }: CustomResourceDefinition) {
  const roles = ['claim', 'class', 'managed', 'provider', 'store'] as const;
  const found = roles.filter((role) => names.categories.includes(role));
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${names.kind} has the roles ${found}`);
  return found[0] === 'provider' && names.kind === 'ProviderConfig' ? 'providerConfig' : found[0];
}

/** A schema with all under it, each with its path (`spec.conditions[].type`). */
export function schemasUnder(
  schema: JsonSchema,
  path: readonly string[] = [],
): readonly { readonly path: string; readonly schema: JsonSchema }[] {
  const { properties = {}, items, additionalProperties } = schema;
  return [
    { path: path.join('.').replaceAll('.[]', '[]'), schema },
    ...Object.entries(properties).flatMap(([name, child]) => schemasUnder(child, [...path, name])),
    ...(items === undefined ? [] : schemasUnder(items, [...path, '[]'])),
    ...(additionalProperties === undefined ? [] : schemasUnder(additionalProperties, [...path, '*'])),
  ];
}

export const rulesOf = (schema: JsonSchema): readonly Rule[] =>
  (schema['x-kubernetes-validations'] ?? []) as readonly Rule[];
