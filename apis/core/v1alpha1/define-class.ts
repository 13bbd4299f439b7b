import { z } from 'zod';
import { requireObject } from '../definition-problems.ts';
import type { Column, Names } from '../schema.ts';
import { define, name, optional } from '../schema.ts';
import { labelSelector, objectReference, providerConfigRef, reclaimPolicy } from './fields.ts';

/** What every class's template holds beside `forProvider`. */
export const classSpecTemplate = z.object({
  writeConnectionSecretsToNamespace: name(
    'Where the connection secrets of the managed resources go: a namespace that app teams cannot read.',
  ),
  providerRef: optional(objectReference('The Provider with the credentials. Prefer providerConfigRef.')),
  providerConfigRef: optional(providerConfigRef),
  reclaimPolicy: optional(
    reclaimPolicy(
      'What becomes of a provisioned resource when its claim is deleted: Delete (as without this field) or Retain.',
    ).meta({ default: 'Delete' }),
  ),
  namespaceSelector: optional(
    labelSelector(
      'The namespaces whose claims may be given this class, by their labels. Without it, or empty: all. What is provisioned from the class says the same.',
    ),
  ),
});

const classColumns: readonly Column[] = [
  {
    // A column cannot compare: it shows what the annotation holds, which makes a default only if it is exactly `true`.
    name: 'DEFAULT-ANNOTATION',
    type: 'string',
    description: 'What marks a class as the default, if it is exactly true.',
    jsonPath: '.metadata.annotations.resourceclass\\.crossplane\\.io/is-default-class',
  },
  { name: 'RECLAIM-POLICY', type: 'string', jsonPath: '.specTemplate.reclaimPolicy' },
  { name: 'PROVIDER', type: 'string', jsonPath: '.specTemplate.providerRef.name', priority: 1 },
  { name: 'PROVIDER-CONFIG', type: 'string', jsonPath: '.specTemplate.providerConfigRef.name', priority: 1 },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

/** A class kind: the parameters an administrator decides for every resource provisioned from it. Throws DefinitionError for parameters that are no object. */
export function defineClass<P extends z.ZodObject, K extends string>(names: Names<K>, forProvider: P) {
  requireObject(`${names.kind}.specTemplate.forProvider`, forProvider);
  const specTemplate = z
    .object({ ...classSpecTemplate.shape, forProvider })
    .describe('What the managed resources provisioned from this class are like.');
  const categories = ['crossplane', 'class', 'classes'];
  return define(
    { ...names, scope: 'Cluster', categories, columns: classColumns, hasStatusSubresource: false },
    z.object({ specTemplate }),
  );
}
