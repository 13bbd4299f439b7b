import { z } from 'zod';
import type { ObjectKind } from '../schema.ts';
import { define, name, optional, text } from '../schema.ts';
import { credentials } from './fields.ts';

const vault = z
  .object({
    server: z
      .string()
      .regex(/^https?:\/\//)
      .describe('URL of the Vault server, as https://vault.example.com:8200.'),
    mountPath: text('Where the KV secrets engine is mounted, as secret.'),
    version: z.enum(['v2']).default('v2').describe('Version of the KV secrets engine.'),
    caBundle: optional(
      z.string().describe('PEM certificates that the server must be signed by. Absent: the well-known ones.'),
    ),
    namespace: optional(text('Vault namespace, where the server has namespaces.')),
    auth: z
      .object({
        method: z.enum(['Token']).describe('How to authenticate.'),
        token: optional(
          credentials(
            'For the method Token. With the source None no token is sent, for a Vault Proxy that adds one.',
          ),
        ),
      })
      .describe('Access to the server.'),
  })
  .describe('For the type Vault.');

/** A place for connection details beside plain secrets; `publishConnectionDetailsTo` names it. */
export const StoreConfigKind = define(
  {
    group: 'secrets.crossplane.io',
    version: 'v1alpha1',
    kind: 'StoreConfig',
    plural: 'storeconfigs',
    scope: 'Cluster',
    description:
      'A place where connection details are published. The one named default serves whoever names none.',
    categories: ['crossplane', 'store'],
    columns: [
      { name: 'TYPE', type: 'string', jsonPath: '.spec.type' },
      { name: 'DEFAULT-SCOPE', type: 'string', jsonPath: '.spec.defaultScope' },
      { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
    hasStatusSubresource: false,
  },
  z.object({
    spec: z
      .object({
        type: z.enum(['Kubernetes', 'Vault']).default('Kubernetes').describe('What kind of store it is.'),
        defaultScope: name(
          'Where in the store: the namespace of the secrets for Kubernetes, the path before their names for Vault.',
        ),
        vault: optional(vault),
      })
      .describe('Where connection details go.'),
  }),
);
export type StoreConfig = ObjectKind<typeof StoreConfigKind>;
