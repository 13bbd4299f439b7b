import memoize from 'lodash/memoize.js';
import type { Definition } from './core/schema.ts';
import type { Kind } from './core/v1alpha1/kind.ts';
import type { JsonSchema } from './crd.ts';
import { objectSchema } from './crd.ts';

/**
 * The paths of all fields of a kind, such as `spec.claimRef` and `spec.rules[].port`, without the standard ones. Fields
 * within maps are left out. Empty for a kind without a definition of ours.
 */
export const fieldPaths = memoize((kind: Kind): readonly string[] =>
  isDefinition(kind) ? pathsWithin(objectSchema(kind), '').filter((path) => !isStandard(path)) : [],
);

const isDefinition = (kind: Kind): kind is Definition => 'schema' in kind;

const isStandard = (path: string): boolean => ['apiVersion', 'kind', 'metadata'].includes(path);

const pathsWithin = ({ properties = {} }: JsonSchema, above: string): readonly string[] =>
  Object.entries(properties).flatMap(([name, field]) => [
    `${above}${name}`,
    ...pathsWithin(field, `${above}${name}.`),
    ...(field.items === undefined ? [] : pathsWithin(field.items, `${above}${name}[].`)),
  ]);
