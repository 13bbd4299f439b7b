import { z } from 'zod';
import type { ObjectKind } from '../../../../../package/schema.ts';
import { defineManaged, immutable, late, optional, text, texts } from '../../../../../package/schema.ts';

/** A Pub/Sub topic of Google Cloud. No claim binds to it. */
export const TopicKind = defineManaged(
  {
    group: 'pubsub.gcp.crossplane.io',
    version: 'v1alpha1',
    kind: 'Topic',
    plural: 'topics',
    shortNames: ['gcptopic'],
    isClaimable: false,
    stack: 'gcp',
    description:
      'A Pub/Sub topic of Google Cloud. Its external name is the id of the topic within the project.',
    connectionDetails: {
      topic: text('The id of the topic.'),
      projectName: text('The project of the topic.'),
    },
  },
  z
    .object({
      labels: optional(
        texts(
          'Labels of the topic, besides those that name its owner. Keys and values have lower-case letters, digits, dashes and underscores. Labels that name the owner (crossplane-…) and labels of Google itself (goog-…) have no effect here.',
        ),
      ),
      messageStoragePolicy: optional(
        late(
          z
            .object({
              allowedPersistenceRegions: z
                .array(text('A region, for example europe-west1.'))
                .min(1)
                .describe(
                  'The regions in which messages may be kept. Messages published elsewhere are routed there.',
                ),
            })
            .describe(
              'Where messages of the topic may be kept. Without it: by the policy of the organisation, or anywhere.',
            ),
        ),
      ),
      kmsKeyName: optional(
        immutable(
          text(
            'The Cloud KMS key that protects the messages, as projects/*/locations/*/keyRings/*/cryptoKeys/*.',
          ),
        ),
      ),
      messageRetentionDuration: optional(
        z
          .string()
          .regex(/^[0-9]+s$/)
          .describe(
            'How long messages are kept for subscriptions that seek back, in seconds, from 600s to 2678400s. Without it: by the settings of the subscriptions.',
          ),
      ),
    })
    .describe('The desired state of the topic. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          name: optional(z.string().describe('The full name: projects/{project}/topics/{topic}.')),
          state: optional(z.string().describe('The state of the topic, if the cloud reports one.')),
        })
        .describe('The state of the topic that the cloud reports.'),
    ),
  },
);
export type Topic = ObjectKind<typeof TopicKind>;
