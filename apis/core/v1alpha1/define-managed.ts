import { z } from 'zod';
import { requireObject, takenFields } from '../definition-problems.ts';
import { fieldMarks, refuseMarks } from '../marks.ts';
import type { Rule } from '../rules.ts';
import { celName, immutableRule, withRules } from '../rules.ts';
import type { Column, Names } from '../schema.ts';
import { define, optional, optionalFields } from '../schema.ts';
import {
  bindingPhase,
  conditions,
  labelSelector,
  objectReference,
  observedGeneration,
  providerConfigRef,
  publishConnectionDetailsTo,
  reclaimPolicy,
  secretReference,
} from './fields.ts';

export const managementAction = z.enum(['Observe', 'Create', 'Update', 'Delete', 'LateInitialize', '*']);

/** Whether the spec of a managed resource allows at least one of the actions. */
export const allowsAny = (spec: string, ...actions: readonly z.input<typeof managementAction>[]): string =>
  `(${['*', ...actions].map((action) => `'${action}' in ${spec}.managementPolicies`).join(' || ')})`;

/** What every managed resource's spec holds beside `forProvider` and `initProvider`. */
export const managedSpec = z.object({
  writeConnectionSecretToRef: optional(
    secretReference('The secret that receives the connection details. None is written without it.'),
  ),
  publishConnectionDetailsTo: optional(publishConnectionDetailsTo),
  claimRef: optional(
    objectReference(
      'The claim this resource is bound to. Set by the claim; written beforehand, it is for that claim alone.',
    ),
  ),
  namespaceSelector: optional(
    labelSelector(
      'The namespaces whose claims may be bound to this resource, by their labels. Without it, or empty: all; but without it and claimRef none may have what is only observed. A claim that has it keeps it, whatever changes.',
    ),
  ),
  classRef: optional(objectReference('The class this resource was provisioned from.')),
  providerRef: optional(objectReference('The Provider with the credentials. Prefer providerConfigRef.')),
  providerConfigRef: optional(providerConfigRef),
  reclaimPolicy: optional(
    reclaimPolicy(
      'What becomes of this resource when its claim is deleted: Retain (as without this field) or Delete. Decides about the external resource too, unless deletionPolicy or managementPolicies do.',
    ),
  ),
  deletionPolicy: optional(
    z
      .enum(['Orphan', 'Delete'])
      .describe('What becomes of the external resource when this resource is deleted.'),
  ),
  managementPolicies: optional(
    z
      .array(managementAction)
      .describe('What may be done to the external resource. An empty list pauses.')
      .meta({ default: ['*'] }),
  ),
});

/** What an external system was asked for and has not ended yet. */
export const externalOperation = z
  .object({
    type: z.enum(['create', 'update', 'delete']).describe('What the external system was asked for.'),
    name: z.string().describe('What the external system calls the operation.'),
    startedAt: z.string().meta({ format: 'date-time' }).describe('When it was asked for.'),
  })
  .describe(
    'What the external system was asked for and has not ended yet. Until then nothing else is asked of it, but a deletion in place of an update.',
  );

/** What every managed resource's status holds beside what the external system reports. */
export const managedStatus = z.object({
  bindingPhase: optional(bindingPhase),
  boundUID: optional(
    z
      .string()
      .describe(
        'The UID of this resource when it was Bound or Released. If it differs from the UID of this resource, a backup brought this status.',
      ),
  ),
  externalIdentity: optional(
    z
      .string()
      .describe(
        'What identified the external resource when it was first seen: its name, its system, its immutable fields. An edit of these has no effect.',
      ),
  ),
  credential: optional(
    z
      .object({
        hmac: z.string().describe('An HMAC of the password that the external system received last.'),
        pending: z.boolean().describe('The external system accepted the password and does not use it yet.'),
      })
      .describe(
        'Which password the external system has. If it differs from the Secret, the password of the Secret is set again.',
      ),
  ),
  operation: optional(externalOperation),
  conditions: optional(conditions),
  observedGeneration: optional(observedGeneration),
});

const bindingColumns: readonly Column[] = [
  { name: 'CLAIM', type: 'string', jsonPath: '.spec.claimRef.name' },
  { name: 'CLAIM-NAMESPACE', type: 'string', jsonPath: '.spec.claimRef.namespace' },
  { name: 'STATUS', type: 'string', jsonPath: '.status.bindingPhase', priority: 1 },
];

const managedColumns = (isClaimable: boolean): readonly Column[] => [
  { name: 'READY', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
  { name: 'SYNCED', type: 'string', jsonPath: ".status.conditions[?(@.type=='Synced')].status" },
  {
    name: 'EXTERNAL-NAME',
    type: 'string',
    jsonPath: '.metadata.annotations.crossplane\\.io/external-name',
  },
  ...(isClaimable ? bindingColumns : []),
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

/**
 * A field of `forProvider` that is needed to make the external resource: nobody need say it of what is only looked
 * at, and `initProvider` may say it too (as in Upjet's definitions).
 */
const requiredRule = (field: string): Rule => {
  const name = celName(field);
  return {
    rule: `!${allowsAny('self', 'Create', 'Update')} || has(self.forProvider.${name}) || (has(self.initProvider) && has(self.initProvider.${name}))`,
    message: `forProvider.${field} is required, unless managementPolicies only observe`,
  };
};

/** While a resource is Bound, `claimRef` cannot change. It may be added where it is missing. */
const claimRefRule: Rule = {
  rule:
    "!has(oldSelf.status) || !has(oldSelf.status.bindingPhase) || oldSelf.status.bindingPhase != 'Bound' || " +
    '!has(oldSelf.spec.claimRef) || (has(self.spec.claimRef) && self.spec.claimRef == oldSelf.spec.claimRef)',
  message: 'cannot change while the resource is Bound; delete the claim first',
  fieldPath: '.spec.claimRef',
  reason: 'FieldValueForbidden',
};

/**
 * A managed kind of a stack: its parameters, what the external system reports about it, and rules at its root (`self.spec`,
 * `oldSelf.status`). A parameter that is not optional is so in the type all the same: what is only observed need not have
 * it. What an element of a list requires, it requires in `initProvider` too: declare
 * optional what only one of the two may say. What is marked `immutable`, `identity` or `late` is so in `forProvider`. Throws
 * an Error that names a field whose mark makes no sense, and DefinitionError for parameters that are no object.
 * `isClaimable: false` for a kind that no claim can bind: what `kubectl get` shows of binding is left out.
 */
export function defineManaged<P extends z.ZodObject, S extends z.ZodRawShape, K extends string>(
  names: Names<K> & { readonly stack: string; readonly isClaimable?: boolean },
  forProvider: P,
  observed: S,
  ...rules: readonly Rule[]
) {
  const { stack, isClaimable = true, ...own } = names;
  requireObject(`${own.kind}.spec.forProvider`, forProvider);
  const { fields, required } = optionalFields<P['shape']>(forProvider.shape);
  refuseMarks(`${own.kind}.status`, observed);
  const marks = fieldMarks(`${own.kind}.spec.forProvider`, forProvider);
  const spec = z
    .object({
      ...managedSpec.shape,
      forProvider: z.object(fields).meta(forProvider.meta() ?? {}),
      initProvider: optional(
        z.object(fields).describe('Like forProvider, but used at creation only; forProvider wins.'),
      ),
    })
    .describe('What the external resource should be like.');
  const status = z
    .object({
      ...observed,
      ...managedStatus.shape,
    })
    .describe('The observed state of the external resource.');
  return define(
    {
      ...own,
      scope: 'Cluster',
      categories: ['crossplane', 'managed', stack],
      columns: managedColumns(isClaimable),
      hasStatusSubresource: true,
      marks,
      parameters: forProvider,
      problems: takenFields('status', observed, managedStatus.shape),
    },
    withRules(
      z.object({ spec: withRules(spec, ...required.map(requiredRule)), status: optional(status) }),
      ...(isClaimable ? [claimRefRule] : []),
      ...marks.immutable.map(immutableRule),
      ...rules,
    ),
  );
}
