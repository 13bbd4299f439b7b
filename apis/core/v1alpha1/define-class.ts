import { z } from 'zod';
import { requireNames, requireObject } from '../require-schema.ts';
import type { Rule } from '../rules.ts';
import { celName, fieldPath, withRules } from '../rules.ts';
import type { Column, Names } from '../schema.ts';
import { define, optional, optionalFields } from '../schema.ts';
import { classClaimSecret } from './claim-secret.ts';
import { entryNameTemplate } from './entry-name.ts';
import {
  allowsAny,
  deletionPolicy,
  giveBack,
  labelSelector,
  managementPolicies,
  objectReference,
  onLoss,
  providerConfigRef,
  publishConnectionDetailsTo,
  publishedMetadata,
  reclaimPolicy,
  retention,
} from './fields.ts';
import { maxNamespaceLength, namespaceName } from './namespace.ts';
import { labelsAndAnnotations, templateMetadata } from './template-metadata.ts';

/** The metadata of an entry in a secret store. A Secret of the store must not get the annotations of the controllers. */
const entryMetadata = publishedMetadata.extend(labelsAndAnnotations).describe('The metadata of the secret.');

/** The common fields of every class's template besides `forProvider` and `initProvider`. */
export const classSpecTemplate = z.object({
  metadata: optional(templateMetadata('The labels and annotations of provisioned resources.')),
  writeConnectionSecretsToNamespace: optional(
    z
      .string()
      .min(1)
      .max(maxNamespaceLength)
      .regex(namespaceName)
      .describe(
        'The namespace for the connection Secrets of managed resources. App teams must not be able to read it. Absent: a secret store alone has the details.',
      ),
  ),
  publishConnectionDetailsTo: optional(
    publishConnectionDetailsTo
      .extend({ name: entryNameTemplate, metadata: optional(entryMetadata) })
      .describe('Publishes the connection details of provisioned resources to a secret store.'),
  ),
  providerRef: optional(objectReference('The Provider with the credentials. Prefer providerConfigRef.')),
  providerConfigRef: optional(providerConfigRef),
  reclaimPolicy: optional(
    reclaimPolicy(
      'Whether a provisioned resource is deleted with its claim: Delete (the default) or Retain.',
    ).meta({ default: 'Delete' }),
  ),
  retainFor: optional(
    retention(
      'How long a provisioned resource is kept after its claim was deleted, such as 7d. A claim of the same kind, namespace and name gets it back until then. Not with reclaimPolicy Retain.',
    ),
  ),
  giveBack: optional(
    giveBack(
      'Whether a claim of the same kind, namespace and name gets a kept resource back by itself. Automatic (the default): yes, in the namespace that it was deleted in. In a namespace that was created again, and with Administrator, the claim waits for an administrator.',
    ),
  ),
  deletionPolicy: optional(
    deletionPolicy(
      'Whether the external resource is deleted with a provisioned resource. It needs managementPolicies ["*"], and goes before reclaimPolicy.',
    ),
  ),
  managementPolicies: optional(
    managementPolicies(
      'The actions that the controllers may take on the external resource of a provisioned resource. Create must be among them.',
    ),
  ),
  deletionProtection: optional(
    z
      .boolean()
      .describe(
        'With true, spec.deletionProtection is set to true in each claim that gets a resource of this class, unless the claim has a value of its own.',
      ),
  ),
  externalNames: optional(
    z
      .enum(['Any', 'Prefixed', 'None'])
      .describe(
        'The external names that claims may choose with the annotation crossplane.io/external-name. Any (the default): all names. Prefixed: names that begin with the namespace of the claim and an underscore, such as team-a_ledger. None: no name. Claims that have a resource keep it.',
      ),
  ),
  onLoss: optional(
    onLoss(
      'The reaction to the loss of the external resource of a provisioned resource. Recreate (the default) creates it again, empty. Report creates nothing until an administrator asks for it.',
    ),
  ),
  claimSecret: optional(classClaimSecret),
  namespaceSelector: optional(
    labelSelector(
      'Selects the namespaces whose claims may use this class, by their labels. Absent or empty: all namespaces. It is copied to the resources that are provisioned from the class.',
    ),
  ),
});

const retentionRule: Rule = {
  rule: "!has(self.retainFor) || !has(self.reclaimPolicy) || self.reclaimPolicy != 'Retain'",
  message: 'cannot be set with reclaimPolicy Retain, which keeps each resource without a date',
  fieldPath: '.retainFor',
  reason: 'FieldValueForbidden',
};

const placeRule: Rule = {
  rule: 'has(self.writeConnectionSecretsToNamespace) || has(self.publishConnectionDetailsTo)',
  message: 'publishConnectionDetailsTo must be set, if there is no namespace',
  fieldPath: '.writeConnectionSecretsToNamespace',
  reason: 'FieldValueRequired',
};

const createRule: Rule = {
  rule: allowsAny('self', 'Create'),
  message: 'must contain Create or *, because nothing could be provisioned otherwise',
  fieldPath: '.managementPolicies',
};

/** A field that the creation requires may be in `initProvider` instead. */
const requiredRule = (field: string): Rule => {
  const name = celName(field);
  return {
    rule: `has(self.forProvider.${name}) || (has(self.initProvider) && has(self.initProvider.${name}))`,
    message: 'initProvider must have it, if forProvider does not',
    fieldPath: fieldPath('forProvider', field),
    reason: 'FieldValueRequired',
  };
};

const classColumns: readonly Column[] = [
  {
    // A column cannot compare: it shows the annotation, and only the value `true` makes the class a default.
    name: 'DEFAULT-ANNOTATION',
    type: 'string',
    description: 'The annotation that makes this class the default, if its value is exactly true.',
    jsonPath: '.metadata.annotations.resourceclass\\.crossplane\\.io/is-default-class',
  },
  { name: 'RECLAIM-POLICY', type: 'string', jsonPath: '.specTemplate.reclaimPolicy' },
  { name: 'RETAIN-FOR', type: 'string', jsonPath: '.specTemplate.retainFor' },
  { name: 'PROVIDER', type: 'string', jsonPath: '.specTemplate.providerRef.name', priority: 1 },
  { name: 'PROVIDER-CONFIG', type: 'string', jsonPath: '.specTemplate.providerConfigRef.name', priority: 1 },
  { name: 'DELETION-POLICY', type: 'string', jsonPath: '.specTemplate.deletionPolicy', priority: 1 },
  { name: 'POLICIES', type: 'string', jsonPath: '.specTemplate.managementPolicies', priority: 1 },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

/** A class kind: the parameters of every resource provisioned from it. Throws DefinitionError if they are not an object. */
export function defineClass<P extends z.ZodObject, K extends string>(names: Names<K>, forProvider: P) {
  requireNames(defineClass, names);
  requireObject(`${names.kind}.specTemplate.forProvider`, forProvider);
  const { fields, required } = optionalFields<P['shape']>(forProvider.shape);
  const specTemplate = withRules(
    z
      .object({
        ...classSpecTemplate.shape,
        forProvider: z.object(fields).meta(forProvider.meta() ?? {}),
        initProvider: optional(
          z
            .object(fields)
            .describe(
              'Like forProvider, but used at creation only. A field in forProvider takes precedence.',
            ),
        ),
      })
      .describe('The template of the managed resources that are provisioned from this class.'),
    retentionRule,
    placeRule,
    createRule,
    ...required.map(requiredRule),
  );
  const categories = ['crossplane', 'class', 'classes'];
  return define(
    {
      ...names,
      scope: 'Cluster',
      categories,
      columns: classColumns,
      hasStatusSubresource: false,
      parameters: forProvider,
    },
    z.object({ specTemplate }),
  );
}
