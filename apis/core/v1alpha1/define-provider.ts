import { z } from 'zod';
import { takenFields } from '../definition-problems.ts';
import { refuseMarks } from '../marks.ts';
import { define, optional } from '../schema.ts';
import { conditions, credentials, observedGeneration, secretKeySelector } from './fields.ts';

interface ProviderNames {
  readonly group: string;
  readonly version: string;
  readonly stack: string;
  /** What it gives access to, and what its secret holds. */
  readonly description: string;
}

const providerSpec = {
  credentialsSecretRef: optional(secretKeySelector('The secret with the credentials.')),
};
export const provider = z.object({ spec: specOf(providerSpec) });

function specOf<F extends z.ZodRawShape>(fields: F) {
  return z.object(fields).describe('How to reach the provider.');
}

/** A stack's legacy Provider. `parameters` are fields of its own, as the project that everything is made in. */
export function defineProvider<P extends z.ZodRawShape = Record<never, never>>(
  { stack, ...names }: ProviderNames,
  parameters: P = {} as P,
) {
  refuseMarks('Provider.spec', parameters);
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
      problems: takenFields('spec', parameters, providerSpec),
    },
    z.object({ spec: specOf({ ...parameters, ...providerSpec }) }),
  );
}

const providerConfigSpec = { credentials: credentials('The credentials.') };
const providerConfigStatus = optional(
  z
    .object({
      users: optional(z.int().describe('How many managed resources use this ProviderConfig.')),
      conditions: optional(conditions),
      observedGeneration: optional(observedGeneration),
    })
    .describe('The observed state of this ProviderConfig.'),
);
export const providerConfig = z.object({ spec: specOf(providerConfigSpec), status: providerConfigStatus });

/** A stack's ProviderConfig. `parameters` are fields of its own. */
export function defineProviderConfig<P extends z.ZodRawShape = Record<never, never>>(
  { stack, ...names }: ProviderNames,
  parameters: P = {} as P,
) {
  refuseMarks('ProviderConfig.spec', parameters);
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
      problems: takenFields('spec', parameters, providerConfigSpec),
    },
    z.object({ spec: specOf({ ...parameters, ...providerConfigSpec }), status: providerConfigStatus }),
  );
}
