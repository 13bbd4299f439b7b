import { z } from 'zod';
import { takenFields } from '../definition-problems.ts';
import { refuseMarks } from '../marks.ts';
import { requireFields, requireNames } from '../require-schema.ts';
import type { Rule } from '../rules.ts';
import { celName, fieldPath, withRules } from '../rules.ts';
import type { Column, Names } from '../schema.ts';
import { columnType, define, name, optional } from '../schema.ts';
import { claimSecretReference } from './claim-secret.ts';
import {
  bindingPhase,
  conditions,
  labelSelector,
  notObserved,
  objectReference,
  observedGeneration,
} from './fields.ts';

/** The common fields of every claim's spec. */
export const claimSpec = z.object({
  writeConnectionSecretToRef: optional(claimSecretReference),
  classSelector: optional(
    labelSelector(
      'Selects a class by its labels; of several matching classes one is chosen at random. Without classSelector, classRef and resourceRef the claim gets the default class.',
    ),
  ),
  classRef: optional(
    objectReference(
      'The class from which a resource is provisioned. The name is enough if only one class that can serve the claim has it.',
    ),
  ),
  resourceRef: optional(
    objectReference(
      'The managed resource that this claim binds to. Set it to claim an existing resource; otherwise the controllers set it.',
    ),
  ),
  deletionProtection: optional(
    z
      .boolean()
      .describe(
        'With true, the deletion of this claim waits until you set it to false: the claim keeps its resource and its data. If the administrators installed the policy for it, the API server refuses the deletion. A class can set it when a claim gets its resource.',
      ),
  ),
});

/** The condition that two references name the same object; absent fields count as empty. */
const sameReference = (field: string): string =>
  ['apiVersion', 'kind', 'namespace', 'name']
    .map(celName)
    .map((part) => {
      const value = (self: string) =>
        `(has(${self}.spec.${field}.${part}) ? ${self}.spec.${field}.${part} : '')`;
      return `${value('self')} == ${value('oldSelf')}`;
    })
    .join(' && ');

const isUnchanged = (name: string): string =>
  `has(self.spec.${name}) == has(oldSelf.spec.${name}) && ` +
  `(!has(self.spec.${name}) || self.spec.${name} == oldSelf.spec.${name})`;

/** A parameter of a claim can change until the claim is Bound. Until then it has no data. */
const fixedWhenBound = (field: string): Rule => ({
  rule:
    "!has(oldSelf.status) || !has(oldSelf.status.bindingPhase) || oldSelf.status.bindingPhase == 'Unbound' || " +
    `(${isUnchanged(celName(field))})`,
  message: 'cannot change once the claim was Bound; create a new claim instead',
  fieldPath: fieldPath('spec', field),
  reason: 'FieldValueForbidden',
});

/** A field of a claim that cannot change once the claim has a resource. The rule is at the root of the kind. */
const fixedWithResource = (field: string, condition = isUnchanged(celName(field))): Rule => ({
  rule: `!has(oldSelf.spec.resourceRef) || (${condition})`,
  message: 'cannot change once the claim has a resource; create a new claim instead',
  fieldPath: fieldPath('spec', field),
  reason: 'FieldValueForbidden',
});

const claimRules: readonly Rule[] = [
  fixedWithResource(
    'classRef',
    'has(self.spec.classRef) == has(oldSelf.spec.classRef) && ' +
      `(!has(self.spec.classRef) || (${sameReference('classRef')}))`,
  ),
  fixedWithResource('classSelector'),
  {
    rule:
      '!has(oldSelf.spec.resourceRef) || (!has(oldSelf.spec.classRef) && (!has(oldSelf.status) || ' +
      "!has(oldSelf.status.bindingPhase) || oldSelf.status.bindingPhase != 'Bound')) || " +
      `(has(self.spec.resourceRef) && ${sameReference('resourceRef')})`,
    message: 'cannot change if the claim has a classRef or is Bound; create a new claim instead',
    fieldPath: '.spec.resourceRef',
    reason: 'FieldValueForbidden',
  },
];

export const claimStatus = z
  .object({
    bindingPhase: optional(bindingPhase),
    conditions: optional(conditions),
    observedGeneration: optional(observedGeneration),
    consideredKinds: optional(
      z
        .array(z.string())
        .describe(
          'While Ready reports that no class or resource fits: the kinds that were considered, as plural.version.group. A process that does not know all of them does not change the report.',
        ),
    ),
    binding: optional(
      z
        .object({ name: name("Name of this claim's connection Secret.") })
        .describe('The connection Secret, for tools that support servicebinding.io.'),
    ),
  })
  .describe('The observed state of this claim.')
  .meta(notObserved);

/**
 * Columns without a priority must fit 120 characters in `kubectl get claims -A`, where NAME begins with kind and group. A
 * claim whose READY is True is Bound, so that STATUS can be left to `-o wide`.
 */
const claimColumns: readonly Column[] = [
  { name: 'READY', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
  { name: 'REASON', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].reason" },
  { name: 'STATUS', type: 'string', jsonPath: '.status.bindingPhase', priority: 1 },
  { name: 'CLASS-KIND', type: 'string', jsonPath: '.spec.classRef.kind', priority: 1 },
  { name: 'CLASS-NAME', type: 'string', jsonPath: '.spec.classRef.name', priority: 1 },
  { name: 'RESOURCE-KIND', type: 'string', jsonPath: '.spec.resourceRef.kind', priority: 1 },
  { name: 'RESOURCE-NAME', type: 'string', jsonPath: '.spec.resourceRef.name', priority: 1 },
  { name: 'SECRET', type: 'string', jsonPath: '.spec.writeConnectionSecretToRef.name', priority: 1 },
];
const age: Column = { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** One column for each parameter of a claim that is a text, a number or a boolean. */
function parameterColumns(parameters: z.ZodRawShape): readonly Column[] {
  const taken = new Set([...claimColumns, age].map(({ name }) => name));
  return Object.entries(parameters).flatMap(([field, schema]): readonly Column[] => {
    const type = columnType(schema);
    const name = field.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toUpperCase();
    if (type === undefined || taken.has(name) || !/^\w+$/.test(field)) return [];
    return [{ name, type, jsonPath: `.spec.${field}`, priority: 1 }];
  });
}

/**
 * A claim kind. `parameters` are the fields that its users may set besides the common ones. They are read when the resource
 * is provisioned. A correction reaches the resource until its external resource is created. Once the claim is Bound, the
 * API server refuses to change them. `kubectl get -o wide` shows them.
 */
export function defineClaim<P extends z.ZodRawShape, K extends string>(names: Names<K>, parameters: P) {
  requireNames(defineClaim, names);
  requireFields(`${names.kind}.spec`, parameters);
  refuseMarks(`${names.kind}.spec`, parameters);
  const spec = z.object({ ...parameters, ...claimSpec.shape }).describe('The requested service.');
  const schema = withRules(
    z.object({ spec, status: optional(claimStatus) }),
    ...claimRules,
    ...Object.keys(parameters).map(fixedWhenBound),
  );
  return define(
    {
      ...names,
      scope: 'Namespaced',
      categories: ['crossplane', 'claim', 'claims'],
      columns: [...claimColumns, ...parameterColumns(parameters), age],
      hasStatusSubresource: true,
      problems: takenFields('spec', parameters, claimSpec.shape),
    },
    schema,
  );
}
