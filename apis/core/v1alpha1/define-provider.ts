import { z } from 'zod';
import { define, optional } from '../schema.ts';
import { conditions, credentials, observedGeneration, secretKeySelector } from './fields.ts';

interface ProviderNames {
  readonly group: string;
  readonly version: string;
  readonly stack: string;
  /** What it gives access to, and what its secret holds. */
  readonly description: string;
}

export const provider = z.object({
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

export const providerConfig = z.object({
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
