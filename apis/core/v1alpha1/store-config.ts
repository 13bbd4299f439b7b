import { z } from 'zod';
import type { ObjectKind } from '../schema.ts';
import { define, name, optional, text } from '../schema.ts';
import { conditions, credentials, notObserved, observedGeneration, users, usersByKind } from './fields.ts';
import type { Managed } from './managed.ts';

const vault = z
  .object({
    server: z
      .string()
      .regex(/^https?:\/\//)
      .describe('URL of the Vault server, for example https://vault.example.com:8200.'),
    mountPath: text('The mount path of the KV secrets engine, for example secret.'),
    version: z.enum(['v2']).default('v2').describe('Version of the KV secrets engine.'),
    caBundle: optional(
      z
        .string()
        .describe(
          'PEM certificates of the authorities that may sign the certificate of the server. Absent: the public authorities.',
        ),
    ),
    namespace: optional(text('The Vault namespace, if the server has namespaces.')),
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

/** A secret store for connection details; `publishConnectionDetailsTo` names it. */
export const StoreConfigKind = define(
  {
    group: 'secrets.crossplane.io',
    version: 'v1alpha1',
    kind: 'StoreConfig',
    plural: 'storeconfigs',
    scope: 'Cluster',
    description:
      'A secret store for connection details. The StoreConfig named default is used by resources that name no other.',
    categories: ['crossplane', 'store'],
    columns: [
      { name: 'TYPE', type: 'string', jsonPath: '.spec.type' },
      { name: 'DEFAULT-SCOPE', type: 'string', jsonPath: '.spec.defaultScope' },
      { name: 'USERS', type: 'integer', jsonPath: '.status.users' },
      { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
    hasStatusSubresource: true,
  },
  z.object({
    spec: z
      .object({
        type: z.enum(['Kubernetes', 'Vault']).default('Kubernetes').describe('The type of the store.'),
        defaultScope: name(
          'The place in the store. For Kubernetes: the namespace of the Secrets. For Vault: the path before their names.',
        ),
        vault: optional(vault),
      })
      .describe('The store and its access.'),
    status: optional(
      z
        .object({
          users: optional(users),
          usersByKind: optional(usersByKind),
          conditions: optional(conditions),
          observedGeneration: optional(observedGeneration),
        })
        .describe('The observed state of this StoreConfig.')
        .meta(notObserved),
    ),
  }),
);
export type StoreConfig = ObjectKind<typeof StoreConfigKind>;

/** The name of the StoreConfig that a managed resource publishes to. Undefined if it publishes to none. */
export const storeConfigOf = ({ spec }: Managed): string | undefined => storeConfigIn(spec);

/** The name of the StoreConfig that a spec, or the template of one, publishes to. Undefined if it publishes to none. */
export const storeConfigIn = ({
  publishConnectionDetailsTo: to,
}: Pick<Managed['spec'], 'publishConnectionDetailsTo'>): string | undefined =>
  to && (to.configRef?.name ?? 'default');
