import { z } from 'zod';
import { rulesKey } from './core/rules.ts';
import type { Definition } from './core/schema.ts';
import { crdName } from './core/v1alpha1/kind.ts';
import { definitionOwnerAnnotation, definitionVersionAnnotation } from './core/v1alpha1/meta.ts';

/** The package that a definition belongs to, from its package.json. */
export interface OwningPackage {
  readonly name?: string | undefined;
  /** A semantic version. */
  readonly version?: string | undefined;
}

/** OpenAPI in the form of Kubernetes' structural schemas. */
export interface JsonSchema {
  readonly [key: string]: unknown;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema;
  readonly allOf?: readonly JsonSchema[];
}

const objectFields: Readonly<Record<string, JsonSchema>> = {
  apiVersion: { type: 'string', description: 'Group and version of this object.' },
  kind: { type: 'string', description: 'Kind of this object.' },
  metadata: { type: 'object' },
};

/** The schema of a kind's objects. Throws an Error that names a field without a description. */
export function objectSchema(definition: Definition): JsonSchema {
  const {
    properties = {},
    required,
    [rulesKey]: rules,
  } = structural(
    z.toJSONSchema(definition.schema, { target: 'openapi-3.0', io: 'input' }) as JsonSchema,
    definition.kind,
  );
  return {
    description: definition.description,
    type: 'object',
    properties: { ...objectFields, ...properties },
    ...(required === undefined ? {} : { required }),
    ...(rules === undefined ? {} : { [rulesKey]: rules }),
  };
}

function structural(schema: JsonSchema, path: string): JsonSchema {
  const { properties, items, additionalProperties, allOf, minimum, maximum, ...rest } = schema;
  return {
    ...rest,
    // The limits of JavaScript's numbers are not limits of the field.
    ...(typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER ? { minimum } : {}),
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? { maximum } : {}),
    ...(schema.type === 'integer' ? { format: 'int64' } : {}),
    ...(allOf === undefined ? {} : { allOf: allOf.map(({ type: _, ...part }) => part) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, child]) => {
              if (!child.description) throw new Error(`${path}.${key} has no description: add one`);
              return [key, structural(child, `${path}.${key}`)];
            }),
          ),
        }),
    ...(items === undefined ? {} : { items: structural(items, `${path}[]`) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: structural(additionalProperties, `${path}.*`) }),
  };
}

/** The name of the file of a kind's definition. */
export const definitionFile = ({ plural, group }: Pick<Definition, 'plural' | 'group'>): string =>
  `${group}_${plural}.yaml`;

/** The CustomResourceDefinition of a kind, with its owner in annotations. */
export function customResourceDefinition(definition: Definition, owner: OwningPackage = {}): object {
  const { group, version, kind, plural, scope, categories, shortNames } = definition;
  const annotations = {
    ...(owner.name && { [definitionOwnerAnnotation]: owner.name }),
    ...(owner.version && { [definitionVersionAnnotation]: owner.version }),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: crdName(definition),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        categories,
        ...(shortNames === undefined ? {} : { shortNames }),
      },
      scope,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          additionalPrinterColumns: definition.columns,
          schema: { openAPIV3Schema: objectSchema(definition) },
          ...(definition.hasStatusSubresource ? { subresources: { status: {} } } : {}),
        },
      ],
    },
  };
}
