import { z } from 'zod';
import { allowsAny, celName, immutableFields, type Rule, withRules } from '../rules.ts';
import {
  type Column,
  define,
  name,
  type ObjectOf,
  optional,
  optionalFields,
  text,
  texts,
} from '../schema.ts';
import { bindingPhases } from './binding.ts';
import { type CredentialSource, credentialSources } from './credentials.ts';
import { managementActions } from './managed.ts';

export const localSecretReference = (description: string) =>
  z.object({ name: name('Name of the secret.') }).describe(description);

export const secretReference = (description: string) =>
  z
    .object({ name: name('Name of the secret.'), namespace: name('Namespace of the secret.') })
    .describe(description);

export const secretKeySelector = (description: string) =>
  z
    .object({
      name: name('Name of the secret.'),
      namespace: name('Namespace of the secret.'),
      key: name('The entry of the secret that is meant.'),
    })
    .describe(description);

const needs = (source: CredentialSource, field: string): Rule => ({
  rule: `self.source != '${source}' || has(self.${field})`,
  message: `source ${source} needs ${field}`,
});

/** Where credentials come from, and what is meant there (crossplane-runtime, CommonCredentialSelectors). */
export const credentials = (description: string) =>
  withRules(
    z
      .object({
        source: z
          .enum(credentialSources)
          .describe(
            'Where the credentials come from: a secret, a variable or file of the controllers, what the place they run in gives them (InjectedIdentity), or nowhere.',
          ),
        secretRef: optional(secretKeySelector('For the source Secret: the entry of a secret.')),
        env: optional(
          z
            .object({
              name: z
                .string()
                .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
                .describe('Name of the variable.'),
            })
            .describe('For the source Environment: a variable of the controllers.'),
        ),
        fs: optional(
          z
            .object({ path: z.string().regex(/^\//).describe('Path of the file, from the root.') })
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
      // Manifests written by older releases may hold these; nothing reads them.
      resourceVersion: optional(z.string().describe('Not used.')),
      fieldPath: optional(z.string().describe('Not used.')),
    })
    .describe(description);

export const labelSelector = (description: string) =>
  z
    .object({
      matchLabels: optional(texts('Labels an object must have, with these values.')),
      matchExpressions: optional(
        z
          .array(
            z.object({
              key: text('Key of the label.'),
              operator: z
                .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
                .describe('How the label relates to the values.'),
              values: optional(
                z.array(z.string()).describe('For In and NotIn: at least one. Otherwise none.'),
              ),
            }),
          )
          .describe('Requirements an object must meet, all of them.'),
      ),
    })
    .describe(description);

const conditions = z
  .array(
    z.object({
      type: text('What this condition is about: Ready, Synced.'),
      status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
      lastTransitionTime: z.string().meta({ format: 'date-time' }).describe('When the status last changed.'),
      reason: text('One CamelCase word on why.'),
      message: optional(z.string().describe('The details, for people.')),
      observedGeneration: optional(
        z.int().describe('The metadata.generation this condition was computed from.'),
      ),
    }),
  )
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
  .describe('What is known about this object, at most one entry per type.');

const bindingPhase = z
  .enum(bindingPhases)
  .describe('Where this object stands in the binding life cycle: Unbound and Released ones are not in use.');

const observedGeneration = z.int().describe('The metadata.generation this status was computed from.');

/** Two references name the same object; absent fields are empty. */
const sameReference = (field: string): string =>
  ['apiVersion', 'kind', 'namespace', 'name']
    .map(celName)
    .map((part) => {
      const value = (self: string) => `(has(${self}.${field}.${part}) ? ${self}.${field}.${part} : '')`;
      return `${value('self')} == ${value('oldSelf')}`;
    })
    .join(' && ');

const claimRules: readonly Rule[] = [
  ...['classRef', 'resourceRef'].map((field) => ({
    rule: `!has(oldSelf.${field}) || (has(self.${field}) && ${sameReference(field)})`,
    message: `${field} is immutable once set: delete the claim and create a new one`,
  })),
  {
    rule:
      '!has(oldSelf.classRef) || (has(self.classSelector) == has(oldSelf.classSelector) && ' +
      '(!has(self.classSelector) || self.classSelector == oldSelf.classSelector))',
    message: 'classSelector is immutable once a class was chosen: delete the claim and create a new one',
  },
];

/** What a claim asks for is read once, when its resource is provisioned. */
const parameterRule = (field: string): Rule => {
  const name = celName(field);
  return {
    rule:
      `!has(oldSelf.resourceRef) || (has(self.${name}) == has(oldSelf.${name}) && ` +
      `(!has(self.${name}) || self.${name} == oldSelf.${name}))`,
    message: `${field} is immutable once the claim has a resource: delete the claim and create a new one`,
  };
};

const claimStatus = z
  .object({
    bindingPhase: optional(bindingPhase),
    conditions: optional(conditions),
    observedGeneration: optional(observedGeneration),
    consideredKinds: optional(
      z
        .array(z.string())
        .describe(
          'While Ready says that there is nothing for this claim: the kinds that were considered, as plural.version.group. A process that does not know all of them leaves the report to stand.',
        ),
    ),
    binding: optional(
      z
        .object({ name: name("Name of this claim's connection secret.") })
        .describe('The connection secret, for tools that speak servicebinding.io.'),
    ),
  })
  .describe('The observed state of this claim.');

const claimColumns: readonly Column[] = [
  { name: 'STATUS', type: 'string', jsonPath: '.status.bindingPhase' },
  { name: 'CLASS-KIND', type: 'string', jsonPath: '.spec.classRef.kind' },
  { name: 'CLASS-NAME', type: 'string', jsonPath: '.spec.classRef.name' },
  { name: 'RESOURCE-KIND', type: 'string', jsonPath: '.spec.resourceRef.kind' },
  { name: 'RESOURCE-NAME', type: 'string', jsonPath: '.spec.resourceRef.name' },
  {
    name: 'READY',
    type: 'string',
    jsonPath: ".status.conditions[?(@.type=='Ready')].reason",
    priority: 1,
  },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

interface Names {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly description: string;
}

/**
 * A claim kind: what its authors may ask for, beside what every claim has. `parameters` are read when the resource is
 * provisioned; an API server that knows CEL refuses to change them afterwards.
 */
export function defineClaim<P extends z.ZodRawShape>(names: Names, parameters: P) {
  const spec = z
    .object({
      ...parameters,
      writeConnectionSecretToRef: optional(
        localSecretReference(
          'The secret, in the namespace of this claim, that receives the connection details. None is written without it.',
        ),
      ),
      classSelector: optional(
        labelSelector(
          'Chooses a class by its labels; one of several that match is taken at random. Without selector, classRef and resourceRef the default class is taken.',
        ),
      ),
      classRef: optional(
        objectReference('The class from which a resource is provisioned. Immutable once set.'),
      ),
      resourceRef: optional(
        objectReference(
          'The managed resource this claim binds to. Name one to claim what exists; otherwise it is filled in. Immutable once set.',
        ),
      ),
    })
    .describe('What is claimed.');
  const schema = z.object({
    spec: withRules(spec, ...claimRules, ...Object.keys(parameters).map(parameterRule)),
    status: optional(claimStatus),
  });
  return define(
    {
      ...names,
      scope: 'Namespaced',
      categories: ['crossplane', 'claim', 'claims'],
      columns: claimColumns,
      hasStatusSubresource: true,
    },
    schema,
  );
}

const reclaimPolicy = (description: string) => z.enum(['Retain', 'Delete']).describe(description);

const referencePolicy = z
  .object({
    resolve: optional(
      z
        .enum(['Always', 'IfNotPresent'])
        .describe('When to resolve: at every reconcile, or only while the field is empty (the default).'),
    ),
    resolution: optional(
      z
        .enum(['Required', 'Optional'])
        .describe('Whether an unresolved reference is an error (the default) or is passed over.'),
    ),
  })
  .describe('How the reference is resolved.');

const providerConfigRef = z
  .object({ name: name('Name of the ProviderConfig.'), policy: optional(referencePolicy) })
  .describe(
    'The ProviderConfig with the credentials. Without it and providerRef: the one named default; with the policy resolution Optional, also while it does not exist.',
  );

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

/** A class kind: the parameters an administrator decides for every resource provisioned from it. */
export function defineClass<P extends z.ZodObject>(names: Names, forProvider: P) {
  const specTemplate = z
    .object({
      writeConnectionSecretsToNamespace: name(
        'Where the connection secrets of the managed resources go: a namespace that app teams cannot read.',
      ),
      providerRef: optional(objectReference('The Provider with the credentials. Prefer providerConfigRef.')),
      providerConfigRef: optional(providerConfigRef),
      reclaimPolicy: optional(
        reclaimPolicy(
          'What becomes of a provisioned resource when its claim is deleted: Delete (as without this field) or Retain.',
        ),
      ),
      forProvider,
    })
    .describe('What the managed resources provisioned from this class are like.');
  const categories = ['crossplane', 'class', 'classes'];
  return define(
    { ...names, scope: 'Cluster', categories, columns: classColumns, hasStatusSubresource: false },
    z.object({ specTemplate }),
  );
}

const publishConnectionDetailsTo = z
  .object({
    name: name('Name of the connection secret in the store.'),
    metadata: optional(
      z
        .object({
          labels: optional(texts('Labels of the secret.')),
          annotations: optional(texts('Annotations of the secret.')),
          type: optional(z.string().describe('Type of the secret, where the store knows types.')),
        })
        .describe('What the secret carries beside the connection details.'),
    ),
    configRef: optional(
      z
        .object({ name: name('Name of the StoreConfig.') })
        .describe('The StoreConfig to use. Without it: the one named default.'),
    ),
  })
  .describe('Publishes connection details to a secret store, beside or instead of a plain secret.');

const bindingColumns: readonly Column[] = [
  { name: 'CLAIM', type: 'string', jsonPath: '.spec.claimRef.name' },
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

/** A reference from one managed resource to another, with the policies of when and whether it must resolve. */
export const reference = (description: string) =>
  z
    .object({ name: name('Name of the referenced resource.'), policy: optional(referencePolicy) })
    .describe(description);

/** Chooses the referenced resource by its labels. */
export const selector = (description: string) =>
  z
    .object({
      matchLabels: optional(texts('Labels the referenced resource must have. None: every resource.')),
      matchControllerRef: optional(
        z.boolean().describe('Take only resources with the same controller as this one.'),
      ),
      policy: optional(referencePolicy),
    })
    .describe(description);

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

/**
 * A managed kind of a stack: its parameters, what the external system reports about it, and rules about its spec. A
 * parameter that is not optional is so in the type all the same: what is only observed need not have it, and no
 * server before 1.25 asks for it. What an element of a list requires, it requires in `initProvider` too: declare
 * optional what only one of the two may say. `isClaimable: false` for a kind that no claim can bind: what `kubectl get` shows of
 * binding is left out.
 */
export function defineManaged<P extends z.ZodObject, S extends z.ZodRawShape>(
  names: Names & { readonly stack: string; readonly isClaimable?: boolean },
  forProvider: P,
  observed: S,
  ...rules: readonly Rule[]
) {
  const { stack, isClaimable = true, ...own } = names;
  const { fields, required } = optionalFields<P['shape']>(forProvider.shape);
  const spec = z
    .object({
      writeConnectionSecretToRef: optional(
        secretReference('The secret that receives the connection details. None is written without it.'),
      ),
      publishConnectionDetailsTo: optional(publishConnectionDetailsTo),
      claimRef: optional(objectReference('The claim this resource is bound to. Set by the claim.')),
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
          .array(z.enum(managementActions))
          .describe('What may be done to the external resource. An empty list pauses.')
          .meta({ default: ['*'] }),
      ),
      forProvider: z.object(fields).meta(forProvider.meta() ?? {}),
      initProvider: optional(
        z.object(fields).describe('Like forProvider, but used at creation only; forProvider wins.'),
      ),
    })
    .describe('What the external resource should be like.');
  const status = z
    .object({
      ...observed,
      bindingPhase: optional(bindingPhase),
      boundUID: optional(
        z
          .string()
          .describe(
            'The UID of this resource when a claim was bound to it. Another one than it has now: it was restored from a backup.',
          ),
      ),
      externalIdentity: optional(
        z
          .string()
          .describe(
            'What identified the external resource when it was first seen: its name, its system, its immutable fields. An edit of these has no effect.',
          ),
      ),
      conditions: optional(conditions),
      observedGeneration: optional(observedGeneration),
    })
    .describe('The observed state of the external resource.');
  return define(
    {
      ...own,
      scope: 'Cluster',
      categories: ['crossplane', 'managed', stack],
      columns: managedColumns(isClaimable),
      hasStatusSubresource: true,
      immutableFields: immutableFields(forProvider),
    },
    z.object({
      spec: withRules(spec, ...required.map(requiredRule), ...rules),
      status: optional(status),
    }),
  );
}

interface ProviderNames {
  readonly group: string;
  readonly version: string;
  readonly stack: string;
  /** What it gives access to, and what its secret holds. */
  readonly description: string;
}

const provider = z.object({
  spec: z
    .object({
      credentialsSecretRef: optional(secretKeySelector('The secret with the credentials.')),
    })
    .describe('How to reach the provider.'),
});

/** A stack's legacy Provider. */
export function defineProvider({ stack, ...names }: ProviderNames) {
  return define(
    {
      ...names,
      kind: 'Provider',
      plural: 'providers',
      scope: 'Cluster',
      categories: ['crossplane', 'provider', stack],
      columns: [
        { name: 'SECRET-NAME', type: 'string', jsonPath: '.spec.credentialsSecretRef.name' },
        { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
      hasStatusSubresource: false,
    },
    provider,
  );
}

const providerConfig = z.object({
  spec: z
    .object({
      credentials: credentials('The credentials.'),
    })
    .describe('How to reach the provider.'),
  status: optional(
    z
      .object({
        users: optional(z.int().describe('How many managed resources use this ProviderConfig.')),
        conditions: optional(conditions),
        observedGeneration: optional(observedGeneration),
      })
      .describe('The observed state of this ProviderConfig.'),
  ),
});

/** A stack's ProviderConfig. */
export function defineProviderConfig({ stack, ...names }: ProviderNames) {
  return define(
    {
      ...names,
      kind: 'ProviderConfig',
      plural: 'providerconfigs',
      scope: 'Cluster',
      categories: ['crossplane', 'provider', stack],
      columns: [
        { name: 'SECRET-NAME', type: 'string', jsonPath: '.spec.credentials.secretRef.name' },
        { name: 'USERS', type: 'integer', jsonPath: '.status.users' },
        { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
      hasStatusSubresource: true,
    },
    providerConfig,
  );
}

export type ProviderObject = ObjectOf<typeof provider>;
export type ProviderConfigObject = ObjectOf<typeof providerConfig>;
