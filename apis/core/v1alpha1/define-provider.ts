import { z } from 'zod';
import { takenFields } from '../definition-problems.ts';
import { refuseMarks } from '../marks.ts';
import { requireFields, requireProviderNames } from '../require-schema.ts';
import type { Column, Definition } from '../schema.ts';
import { define, optional } from '../schema.ts';
import {
  conditions,
  credentials,
  notObserved,
  observedGeneration,
  secretKeySelector,
  users,
  usersByKind,
} from './fields.ts';

interface ProviderNames {
  readonly group: string;
  readonly version: string;
  readonly stack: string;
  /** The system that it gives access to, and the content of its Secret. */
  readonly description: string;
}

const providerSpec = {
  credentialsSecretRef: optional(secretKeySelector('The Secret with the credentials.')),
};
const status = {
  users: optional(users),
  usersByKind: optional(usersByKind),
  conditions: optional(conditions),
  observedGeneration: optional(observedGeneration),
  systemVersion: optional(
    z.string().describe('The version that the external system reports, if it reports one.'),
  ),
};
const providerStatus = optional(
  z.object(status).describe('The observed state of this Provider.').meta(notObserved),
);
export const provider = z.object({ spec: specOf(providerSpec), status: providerStatus });

const statusColumns: readonly Column[] = [
  { name: 'USERS', type: 'integer', jsonPath: '.status.users' },
  { name: 'READY', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
  { name: 'REASON', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].reason" },
  { name: 'VERSION', type: 'string', jsonPath: '.status.systemVersion', priority: 1 },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

function specOf<F extends z.ZodRawShape>(fields: F) {
  return z.object(fields).describe('How to reach the external system.');
}

/** A stack's legacy Provider. `parameters` are additional fields, for example the project of all resources. */
export function defineProvider<P extends z.ZodRawShape = Record<never, never>>(
  given: ProviderNames,
  parameters: P = {} as P,
) {
  requireProviderNames(defineProvider, given);
  requireFields('Provider.spec', parameters);
  const { stack, ...names } = given;
  refuseMarks('Provider.spec', parameters);
  return define(
    {
      ...names,
      kind: 'Provider',
      plural: 'providers',
      shortNames: [`${stack}provider`],
      scope: 'Cluster',
      categories: ['crossplane', 'provider', stack],
      columns: [
        { name: 'SECRET-NAME', type: 'string', jsonPath: '.spec.credentialsSecretRef.name' },
        ...statusColumns,
      ],
      hasStatusSubresource: true,
      problems: takenFields('spec', parameters, providerSpec),
    },
    z.object({ spec: specOf({ ...parameters, ...providerSpec }), status: providerStatus }),
  );
}

const providerConfigSpec = { credentials: credentials('The credentials.') };
const providerConfigStatus = optional(
  z.object(status).describe('The observed state of this ProviderConfig.').meta(notObserved),
);
export const providerConfig = z.object({ spec: specOf(providerConfigSpec), status: providerConfigStatus });

/** A stack's ProviderConfig. `parameters` are additional fields. */
export function defineProviderConfig<P extends z.ZodRawShape = Record<never, never>>(
  given: ProviderNames,
  parameters: P = {} as P,
) {
  requireProviderNames(defineProviderConfig, given);
  requireFields('ProviderConfig.spec', parameters);
  const { stack, ...names } = given;
  refuseMarks('ProviderConfig.spec', parameters);
  return define(
    {
      ...names,
      kind: 'ProviderConfig',
      plural: 'providerconfigs',
      shortNames: [`${stack}config`],
      scope: 'Cluster',
      categories: ['crossplane', 'provider', stack],
      columns: [
        { name: 'SECRET-NAME', type: 'string', jsonPath: '.spec.credentials.secretRef.name' },
        ...statusColumns,
      ],
      hasStatusSubresource: true,
      problems: takenFields('spec', parameters, providerConfigSpec),
    },
    z.object({ spec: specOf({ ...parameters, ...providerConfigSpec }), status: providerConfigStatus }),
  );
}

/**
 * The kind of a provider, for stacks in other processes that add a managed kind to it. The process of the stack that defines
 * the kind checks providers and reports Ready; theirs reports it only while no other process has users.
 */
export const forOtherStacks = <D extends Definition>(kind: D): D => ({ ...kind, isOfAnotherStack: true });
