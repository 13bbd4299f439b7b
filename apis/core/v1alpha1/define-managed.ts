import { z } from 'zod';
import { takenFields } from '../definition-problems.ts';
import type { Fields } from '../forms.ts';
import { flag, object, required, text } from '../forms.ts';
import { fieldMarks, isLate, refuseMarks } from '../marks.ts';
import { requireFields, requireNames, requireObject } from '../require-schema.ts';
import type { Rule } from '../rules.ts';
import { celName, immutableRule, initialIdentityRule, withRules } from '../rules.ts';
import type { Column, Names } from '../schema.ts';
import { define, optional, optionalFields } from '../schema.ts';
import type { DetailFields } from './connection-details.ts';
import { publishing } from './connection-details.ts';
import {
  allowsAny,
  bindingPhase,
  conditions,
  deletionPolicy,
  giveBack,
  labelSelector,
  managementPolicies,
  notObserved,
  objectReference,
  observedGeneration,
  onLoss,
  providerConfigRef,
  publishConnectionDetailsTo,
  reclaimPolicy,
  retention,
  secretReference,
} from './fields.ts';

/** The common fields of every managed resource's spec besides `forProvider` and `initProvider`. */
export const managedSpec = z.object({
  writeConnectionSecretToRef: optional(
    secretReference('The Secret that receives the connection details. Without it no Secret is written.'),
  ),
  publishConnectionDetailsTo: optional(publishConnectionDetailsTo),
  claimRef: optional(
    objectReference(
      'The claim that owns this resource. The controllers set it when they bind the claim. Set it beforehand to reserve the resource for one claim.',
    ),
  ),
  namespaceSelector: optional(
    labelSelector(
      'Selects the namespaces whose claims may be bound to this resource, by their labels. Absent or empty: all namespaces. A resource that is only observed needs this field or claimRef before a claim may be bound. A later change has no effect on a bound claim.',
    ),
  ),
  classRef: optional(objectReference('The class that this resource was provisioned from.')),
  providerRef: optional(objectReference('The Provider with the credentials. Prefer providerConfigRef.')),
  providerConfigRef: optional(providerConfigRef),
  reclaimPolicy: optional(
    reclaimPolicy(
      'Whether this resource is deleted with its claim: Retain (the default) or Delete. It also decides about the external resource, unless deletionPolicy or managementPolicies do.',
    ),
  ),
  retainFor: optional(
    retention(
      'How long this resource is kept after its claim was deleted, such as 7d. It needs a resource that was provisioned from a class, and reclaimPolicy Delete. An edit counts for the next deletion of a claim.',
    ),
  ),
  giveBack: optional(
    giveBack(
      'Whether a claim of the same kind, namespace and name gets this resource back by itself while it is kept. Automatic (the default): yes, in the namespace that it was deleted in. Administrator: after an administrator gave it back.',
    ),
  ),
  deletionPolicy: optional(deletionPolicy('Whether the external resource is deleted with this resource.')),
  onLoss: optional(
    onLoss(
      'The reaction to the loss of the external resource. Recreate (the default) creates it again, empty. Report creates nothing until an administrator asks for it.',
    ),
  ),
  managementPolicies: optional(
    managementPolicies(
      'The actions that the controllers may take on the external resource. An empty list pauses the resource.',
    ),
  ),
});

/** An operation that the external system has accepted and not finished. */
export const externalOperation = z
  .object({
    type: z.enum(['create', 'update', 'delete']).describe('The requested operation.'),
    name: z.string().describe('The name of the operation in the external system.'),
    startedAt: z.string().meta({ format: 'date-time' }).describe('When it was requested.'),
  })
  .describe(
    'An operation that the external system has accepted and not finished. Until it is finished no other operation is requested, except a deletion after an update.',
  );

/** The common fields of every managed resource's status, besides the fields that the external system reports. */
export const managedStatus = z.object({
  bindingPhase: optional(bindingPhase),
  boundUID: optional(
    z
      .string()
      .describe(
        'The UID of this resource when it was Bound or Released. If it differs from the UID of this resource, a backup brought this status.',
      ),
  ),
  releasedFrom: optional(
    z
      .string()
      .describe(
        'The UID of the claim that was deleted. If claimRef has another UID, a claim took this resource back.',
      ),
  ),
  releasedNamespace: optional(z.string().describe('The UID of the namespace that the claim was deleted in.')),
  deleteAt: optional(
    z
      .string()
      .describe(
        'When this resource is deleted, unless a claim takes it back. With reclaimPolicy Retain the date does not count. Remove it to keep this resource without a date.',
      )
      .meta({ format: 'date-time' }),
  ),
  externalIdentity: optional(
    z
      .string()
      .describe(
        'The identity of the external resource when it was first observed: its name, its system, its immutable fields. Later edits of these have no effect.',
      ),
  ),
  credential: optional(
    z
      .object({
        hmac: z.string().describe('An HMAC of the password that the external system received last.'),
        pending: z.boolean().describe('The external system accepted the password and does not use it yet.'),
      })
      .describe(
        'The password that the external system has. If it differs from the Secret, the password of the Secret is set again.',
      ),
  ),
  operation: optional(externalOperation),
  deletionAccepted: optional(
    z
      .boolean()
      .describe(
        'The external system accepted or reported the deletion. Absent: no deletion is in progress there.',
      ),
  ),
  conditions: optional(conditions),
  observedGeneration: optional(observedGeneration),
});

/** A column of dates would show an age, and this date is in the future. */
const phaseColumns: readonly Column[] = [
  { name: 'STATUS', type: 'string', jsonPath: '.status.bindingPhase' },
  { name: 'DELETE-AT', type: 'string', jsonPath: '.status.deleteAt' },
];
const claimColumns: readonly Column[] = [
  { name: 'CLAIM', type: 'string', jsonPath: '.spec.claimRef.name' },
  { name: 'CLAIM-NAMESPACE', type: 'string', jsonPath: '.spec.claimRef.namespace' },
];

/** With `-o wide`: the fields that decide what the end of the claim, and a deletion, leave. */
const policyColumns: readonly Column[] = [
  { name: 'RECLAIM-POLICY', type: 'string', jsonPath: '.spec.reclaimPolicy', priority: 1 },
  { name: 'RETAIN-FOR', type: 'string', jsonPath: '.spec.retainFor', priority: 1 },
  { name: 'DELETION-POLICY', type: 'string', jsonPath: '.spec.deletionPolicy', priority: 1 },
  { name: 'POLICIES', type: 'string', jsonPath: '.spec.managementPolicies', priority: 1 },
];

/** READY, SYNCED and STATUS come before the names, which are long, so that a terminal of 120 columns shows them. */
const managedColumns = (isClaimable: boolean): readonly Column[] => [
  { name: 'READY', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
  { name: 'SYNCED', type: 'string', jsonPath: ".status.conditions[?(@.type=='Synced')].status" },
  ...(isClaimable ? phaseColumns : []),
  {
    name: 'EXTERNAL-NAME',
    type: 'string',
    jsonPath: '.metadata.annotations.crossplane\\.io/external-name',
  },
  ...(isClaimable ? claimColumns : []),
  ...policyColumns,
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

/**
 * A field of `forProvider` that the creation requires. A resource that is only observed need not have it, and
 * `initProvider` may have it instead (as in Upjet's definitions).
 */
const requiredRule = (field: string): Rule => {
  const name = celName(field);
  return {
    rule: `!${allowsAny('self', 'Create', 'Update')} || has(self.forProvider.${name}) || (has(self.initProvider) && has(self.initProvider.${name}))`,
    message: `forProvider.${field} is required, unless managementPolicies allow neither Create nor Update`,
  };
};

/** While a resource is Bound, `claimRef` cannot change. It can be added if it is absent. */
const claimRefRule: Rule = {
  rule:
    "!has(oldSelf.status) || !has(oldSelf.status.bindingPhase) || oldSelf.status.bindingPhase != 'Bound' || " +
    '!has(oldSelf.spec.claimRef) || (has(self.spec.claimRef) && self.spec.claimRef == oldSelf.spec.claimRef)',
  message:
    'cannot change while the resource is Bound; to keep the data set spec.reclaimPolicy to Retain, then delete the claim',
  fieldPath: '.spec.claimRef',
  reason: 'FieldValueForbidden',
};

/** The options of {@link defineManaged}, besides the names of every kind. */
const managedForm: Fields = {
  stack: required(text),
  isClaimable: flag,
  holdsData: flag,
  connectionDetails: object,
};

/**
 * A managed kind of a stack: its parameters, the fields that the external system reports, and rules at its root
 * (`self.spec`, `oldSelf.status`).
 *
 * - Every parameter is optional in the type of objects, because a resource that is only observed need not have it.
 * - Required fields of list elements are required in `initProvider`, too. Declare such a field optional if only one of the
 *   two should have it.
 * - `immutable`, `identity` and `late` mark fields of `forProvider`.
 * - `connectionDetails` are the entries of its connection Secrets, and type the `details` of the external client. Without it
 *   the kind publishes none. `databaseConnection` and `redisConnection` are those of `databaseDetails` and `redisDetails`.
 * - `isClaimable: false` is for a kind that no claim can bind: `kubectl get` then shows no binding.
 * - `holdsData: true` is for a kind with data that its creation does not bring back. If its external resource is lost and
 *   created again, resource and claim report that until an administrator acknowledges it.
 *
 * Throws an Error that names a field with an invalid mark, and DefinitionError for parameters that are not an object.
 */
export function defineManaged<
  P extends z.ZodObject,
  S extends z.ZodRawShape,
  K extends string,
  D extends DetailFields = Readonly<Record<never, never>>,
>(
  names: Names<K> & {
    readonly stack: string;
    readonly isClaimable?: boolean;
    readonly holdsData?: boolean;
    readonly connectionDetails?: D;
  },
  forProvider: P,
  observed: S,
  ...rules: readonly Rule[]
) {
  requireNames(defineManaged, names, managedForm);
  const { stack, isClaimable = true, connectionDetails = {} as D, ...own } = names;
  requireObject(`${own.kind}.spec.forProvider`, forProvider);
  const { fields, required } = optionalFields<P['shape']>(forProvider.shape);
  requireFields(`${own.kind}.connectionDetails`, connectionDetails);
  requireFields(`${own.kind}.status`, observed);
  refuseMarks(`${own.kind}.status`, observed);
  const marks = fieldMarks(`${own.kind}.spec.forProvider`, forProvider);
  const spec = z
    .object({
      ...managedSpec.shape,
      forProvider: z.object(fields).meta(forProvider.meta() ?? {}),
      initProvider: optional(
        z
          .object(fields)
          .describe('Like forProvider, but used at creation only. A field in forProvider takes precedence.'),
      ),
    })
    .describe('The desired state of the external resource.');
  const status = z
    .object({
      ...observed,
      ...managedStatus.shape,
    })
    .describe('The observed state of the external resource.')
    .meta(notObserved);
  const definition = define(
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
      ...marks.immutable.map((path) => immutableRule(path, isLate(marks, path))),
      ...marks.identity.map(initialIdentityRule),
      ...rules,
    ),
  );
  return publishing(definition, connectionDetails);
}
