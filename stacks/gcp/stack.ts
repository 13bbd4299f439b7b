import { RedisClusterKind } from '../../package/claims.ts';
import type { DefinedStack } from '../../package/stack.ts';
import { cloudClients, defineStack, satisfies, service } from '../../package/stack.ts';
import type { GoogleCloudClient, GoogleCloudOptions } from './client/google-cloud.ts';
import { googleCloudClient, googleSystemOf } from './client/google-cloud.ts';
import type { ServiceAccountKey } from './client/service-account-key.ts';
import { parseServiceAccountKey } from './client/service-account-key.ts';
import {
  configureCloudMemorystoreInstance,
  incompatibilityOfCloudMemorystoreInstance,
} from './cloud-memorystore-instance/configure.ts';
import { cloudMemorystoreInstanceClient } from './cloud-memorystore-instance/external-client.ts';
import {
  CloudMemorystoreInstanceClassKind,
  CloudMemorystoreInstanceKind,
} from './kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { TopicKind } from './kinds/pubsub/v1alpha1/topic.ts';
import { ProviderKind } from './kinds/v1alpha3/provider.ts';
import { ProviderConfigKind } from './kinds/v1beta1/provider-config.ts';
import { withLabelsOf } from './labels.ts';
import { topicClient } from './topic/external-client.ts';

export interface GcpStackOptions {
  readonly createClient?: (options: GoogleCloudOptions) => GoogleCloudClient;
}

/** How long the cloud's reads may lag behind its writes. During this time a new resource does not count as absent. */
const readLagMs = 10_000;

/** The fields of the stack's providers without the credentials. */
interface Access {
  readonly projectID: string;
  readonly endpoint?: string;
  readonly tokenURI?: string;
  readonly tagsFromLabels?: readonly string[];
}

/** Google Cloud: Memorystore instances, which satisfy claims for a Redis, and topics of Pub/Sub. */
export function createGcpStack({ createClient = googleCloudClient }: GcpStackOptions = {}): DefinedStack {
  return defineStack({
    name: 'gcp',
    provider: {
      provider: ProviderKind,
      providerConfig: ProviderConfigKind,
      credentialForm:
        'the key of a service account, as Google writes it: JSON with "type", "client_email", "private_key", "private_key_id" and "token_uri"',
      connect: cloudClients<GoogleCloudClient, { readonly key: ServiceAccountKey }, Access>(
        ({ parameters: { tagsFromLabels: _, ...parameters }, ...options }) =>
          createClient({ ...options, ...parameters }),
        {
          parse: (text) => ({ key: parseServiceAccountKey(text) }),
          systemOf: ({ key, parameters }) => googleSystemOf({ key, ...parameters }),
          withTags: (managed, { tagsFromLabels }) => withLabelsOf(managed, tagsFromLabels),
          check: (google, signal) => google.checkCredentials(signal),
        },
      ),
    },
    services: [
      service({
        managed: CloudMemorystoreInstanceKind,
        externalNames: 'deterministic',
        names: { maxLength: 40, pattern: /[a-z]([a-z0-9-]*[a-z0-9])?/ },
        creationGraceMs: readLagMs,
        reportsSecrets: true,
        external: cloudMemorystoreInstanceClient,
        claims: [
          satisfies({
            claim: RedisClusterKind,
            class: CloudMemorystoreInstanceClassKind,
            configure: configureCloudMemorystoreInstance,
            whyIncompatible: incompatibilityOfCloudMemorystoreInstance,
          }),
        ],
      }),
      service({
        managed: TopicKind,
        externalNames: 'deterministic',
        names: { maxLength: 255, pattern: /(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,}/ },
        creationGraceMs: readLagMs,
        external: topicClient,
      }),
    ],
  });
}

export const gcpStack: DefinedStack = createGcpStack();
