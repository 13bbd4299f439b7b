import { z } from 'zod';
import type { Rule } from '../rules.ts';
import { withRules } from '../rules.ts';
import { name, optional, text, texts } from '../schema.ts';

/** Schemas of the parts that claims, classes, managed resources and providers have in common. */

export const secretReference = (description: string) =>
  z
    .object({ name: name('Name of the Secret.'), namespace: name('Namespace of the Secret.') })
    .describe(description);

export const secretKeySelector = (description: string) =>
  z
    .object({
      name: name('Name of the Secret.'),
      namespace: name('Namespace of the Secret.'),
      key: name('The key of the entry in the Secret.'),
    })
    .describe(description);

export const credentialSource = z.enum(['None', 'Secret', 'InjectedIdentity', 'Environment', 'Filesystem']);

const needs = (source: z.input<typeof credentialSource>, field: string): Rule => ({
  rule: `self.source != '${source}' || has(self.${field})`,
  message: `source ${source} requires ${field}`,
});

/** The source of credentials and the place in it (crossplane-runtime, CommonCredentialSelectors). */
export const credentials = (description: string) =>
  withRules(
    z
      .object({
        source: credentialSource.describe(
          'The source of the credentials: a Secret, an environment variable or file of the controllers, the identity that their environment provides (InjectedIdentity), or None.',
        ),
        secretRef: optional(secretKeySelector('For the source Secret: the entry of a Secret.')),
        env: optional(
          z
            .object({
              name: z
                .string()
                .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
                .describe('Name of the environment variable.'),
            })
            .describe('For the source Environment: an environment variable of the controllers.'),
        ),
        fs: optional(
          z
            .object({ path: z.string().regex(/^\//).describe('Absolute path of the file.') })
            .describe('For the source Filesystem: a file that the controllers can read.'),
        ),
      })
      .describe(description),
    needs('Secret', 'secretRef'),
    needs('Environment', 'env'),
    needs('Filesystem', 'fs'),
  );

export const objectReference = (description: string) =>
  z
    .object({
      apiVersion: optional(name('Group and version of the referenced object.')),
      kind: optional(name('Kind of the referenced object.')),
      namespace: optional(name('Namespace of the referenced object, if it has one.')),
      name: optional(name('Name of the referenced object.')),
      uid: optional(name('UID of the referenced object.')),
      // Manifests for older releases may hold these fields; nothing reads them.
      resourceVersion: optional(z.string().describe('Not used.')),
      fieldPath: optional(z.string().describe('Not used.')),
    })
    .describe(description);

export const labelSelector = (description: string) =>
  z
    .object({
      matchLabels: optional(texts('Labels that an object must have, with these values.')),
      matchExpressions: optional(
        z
          .array(
            z.object({
              key: text('Key of the label.'),
              operator: z
                .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
                .describe('The relation of the label to the values.'),
              values: optional(
                z
                  .array(z.string())
                  .describe('For In and NotIn: at least one value. For Exists and DoesNotExist: absent.'),
              ),
            }),
          )
          .describe('Requirements; an object must meet all of them.'),
      ),
    })
    .describe(description);

const conditionError = z
  .object({
    class: text('One CamelCase word on the kind of failure, such as Throttled or CredentialsRefused.'),
    advice: optional(
      z
        .array(z.string())
        .describe('The actions that a user can take, in CamelCase words such as ChangeFields.'),
    ),
    fields: optional(z.array(z.string()).describe('The fields to change, such as spec.forProvider.region.')),
    holder: optional(
      z
        .object({
          by: text('The kind of owner: `Nobody` (there is no owner tag) or `AnotherResource`.'),
          kind: optional(z.string().describe('Kind of the owner, as its tags say.')),
          name: optional(z.string().describe('Name of the owner, as its tags say.')),
        })
        .describe('The owner of the external resource that has the wanted name.'),
    ),
    namespace: optional(z.string().describe('The namespace whose Secrets cannot be used.')),
  })
  .describe('A failure as data, for programs; the message says the same to people.');

export const condition = z.object({
  type: text('The type of the condition: Ready or Synced.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
  lastTransitionTime: z.string().meta({ format: 'date-time' }).describe('When the status last changed.'),
  reason: text('The reason, as one CamelCase word.'),
  lastReasonChangeTime: optional(
    z
      .string()
      .meta({ format: 'date-time' })
      .describe('When the reason last changed, if the status had changed before.'),
  ),
  message: optional(z.string().describe('The details, in plain text.')),
  error: optional(conditionError),
  observedGeneration: optional(
    z.int().describe('The metadata.generation that this condition was computed from.'),
  ),
});

export const conditions = z
  .array(condition)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
  .describe('The observed conditions of this object, at most one per type.');

export const bindingPhase = z
  .enum(['Unbindable', 'Unbound', 'Bound', 'Released'])
  .describe('The phase in the binding life cycle. Objects that are Unbound or Released are not in use.');

export const observedGeneration = z
  .int()
  .describe('The metadata.generation that this status was computed from.');

/**
 * The default of a status that a controller writes: a new object is not of an observed generation, so that tools that use
 * kstatus do not take it for ready.
 */
export const notObserved = { default: { observedGeneration: -1 } };

export const users = z
  .int()
  .describe('How many managed resources use it. While there are any, a deletion waits.');

export const usersByKind = z
  .record(z.string(), z.int())
  .describe(
    'How many managed resources of each kind use it, by the name of the definition of the kind. A process counts the kinds of its stacks, and leaves the other numbers.',
  );

/** A number and its unit: minutes, hours or days. */
export const retentionPattern = /^[1-9][0-9]{0,4}[mhd]$/;

/**
 * How long something is kept, such as `7d`: minutes, hours or days, and never 0. A refusal by the pattern shows only the
 * pattern. So a rule repeats it, with a message.
 */
export const retention = (description: string) =>
  withRules(z.string().max(32).regex(retentionPattern).describe(description), {
    rule: `self.matches('${retentionPattern.source}')`,
    message: 'must be a number from 1 to 99999 with a unit: m (minutes), h (hours) or d (days), such as 7d',
  });

export const giveBack = (description: string) => z.enum(['Automatic', 'Administrator']).describe(description);

export const onLoss = (description: string) => z.enum(['Recreate', 'Report']).describe(description);

export const deletionPolicy = (description: string) => z.enum(['Orphan', 'Delete']).describe(description);

export const managementAction = z.enum(['Observe', 'Create', 'Update', 'Delete', 'LateInitialize', '*']);

export const managementPolicies = (description: string) =>
  z
    .array(managementAction)
    .describe(description)
    .meta({ default: ['*'] });

/** The condition that a spec, or the template of one, allows at least one of the actions. */
export const allowsAny = (spec: string, ...actions: readonly z.input<typeof managementAction>[]): string =>
  `(${['*', ...actions].map((action) => `'${action}' in ${spec}.managementPolicies`).join(' || ')})`;

export const reclaimPolicy = (description: string) => z.enum(['Retain', 'Delete']).describe(description);

export const referencePolicy = z
  .object({
    resolve: optional(
      z
        .enum(['Always', 'IfNotPresent'])
        .describe(
          'When to resolve the reference: at every reconcile, or only while the field is empty (the default).',
        ),
    ),
    resolution: optional(
      z
        .enum(['Required', 'Optional'])
        .describe('Whether an unresolved reference is an error (the default) or is ignored.'),
    ),
  })
  .describe('How the reference is resolved.');

export const providerConfigRef = z
  .object({ name: name('Name of the ProviderConfig.'), policy: optional(referencePolicy) })
  .describe(
    'The ProviderConfig with the credentials. Without it and providerRef: the one named default. Its policy has no effect.',
  );

/** The metadata of an entry in a secret store. */
export const publishedMetadata = z
  .object({
    labels: optional(texts('Labels of the secret.')),
    annotations: optional(texts('Annotations of the secret.')),
    type: optional(z.string().describe('Type of the secret, if the store supports types.')),
  })
  .describe('The metadata of the secret.');

export const publishConnectionDetailsTo = z
  .object({
    name: name('Name of the connection secret in the store.'),
    metadata: optional(publishedMetadata),
    configRef: optional(
      z
        .object({ name: name('Name of the StoreConfig.') })
        .describe('The StoreConfig to use. Without it: the StoreConfig named default.'),
    ),
  })
  .describe('Publishes connection details to a secret store, besides or instead of a Secret.');

/** A reference from one managed resource to another, with policies for when and whether it must resolve. */
export const reference = (description: string) =>
  z
    .object({ name: name('Name of the referenced resource.'), policy: optional(referencePolicy) })
    .describe(description);

/** Chooses the referenced resource by its labels. */
export const selector = (description: string) =>
  z
    .object({
      matchLabels: optional(
        texts('Labels that the referenced resource must have. Without labels: every resource matches.'),
      ),
      matchControllerRef: optional(
        z.boolean().describe('Select only resources with the same controller as this one.'),
      ),
      policy: optional(referencePolicy),
    })
    .describe(description);

/** The labels of managed resources that become tags of their external resources. */
export const tagsFromLabels = optional(
  z
    .array(text('The key of a label.'))
    .max(20)
    .describe(
      'The keys of labels of managed resources. The external resource gets each as a tag, which replaces one of this key in forProvider. A changed label is noticed at the next poll.',
    ),
);

/** Requests a new password, in `forProvider`. The annotation of the Secret records the last request that was applied. */
export const passwordRotation = optional(
  z.string().min(1).describe('Any text, for example a date. Each change of this field sets a new password.'),
);
