import { z } from 'zod';
import type { ObjectKind } from '../../../../../package/schema.ts';
import { defineManaged, identity, immutable, late, optional, text } from '../../../../../package/schema.ts';
import { awsRegion } from '../../region.ts';
import { awsTags } from '../../tags.ts';

const seconds = (min: number, max: number, description: string) =>
  optional(late(z.int().min(min).max(max).describe(description)));

/** A queue of Amazon SQS, with provider-aws's field names. */
export const QueueKind = defineManaged(
  {
    group: 'sqs.aws.crossplane.io',
    version: 'v1beta1',
    kind: 'Queue',
    plural: 'queues',
    shortNames: ['sqs'],
    isClaimable: false,
    stack: 'aws',
    holdsData: true,
    description:
      'A queue of Amazon SQS. Before its creation the external name is the name of the queue, by default the name of this object. Afterwards it is the URL that SQS assigned.',
    connectionDetails: { endpoint: text('The URL of the queue.') },
  },
  z
    .object({
      region: optional(
        identity(awsRegion('The region of the queue. Without it: the region of the Provider.')),
      ),
      fifoQueue: optional(
        immutable(
          late(
            z
              .boolean()
              .describe(
                'Whether messages arrive in order and exactly once. The name of such a queue ends in .fifo. Without it: a standard queue.',
              ),
          ),
        ),
      ),
      contentBasedDeduplication: optional(
        late(
          z
            .boolean()
            .describe(
              'For FIFO queues: whether messages with the same content within five minutes count as one.',
            ),
        ),
      ),
      delaySeconds: seconds(
        0,
        900,
        'For how many seconds the delivery of a message is delayed. Default of SQS: 0.',
      ),
      maximumMessageSize: seconds(1_024, 1_048_576, 'The maximum size of a message in bytes.'),
      messageRetentionPeriod: seconds(
        60,
        1_209_600,
        'For how many seconds a message is kept. Default of SQS: 345600 (four days).',
      ),
      receiveMessageWaitTimeSeconds: seconds(
        0,
        20,
        'For how many seconds a receiver waits for a message. Default of SQS: 0.',
      ),
      visibilityTimeout: seconds(
        0,
        43_200,
        'For how many seconds a received message is hidden from other receivers. Default of SQS: 30.',
      ),
      policy: optional(text('The access policy of the queue: a policy of AWS in JSON.')),
      redrivePolicy: optional(
        z
          .object({
            deadLetterTargetArn: text('The ARN of the queue that receives the unprocessed messages.'),
            maxReceiveCount: z
              .int()
              .min(1)
              .max(1_000)
              .describe('How often a message is received before it is moved there.'),
          })
          .describe('Where messages go that cannot be processed (dead-letter queue).'),
      ),
      kmsMasterKeyId: optional(
        late(text('The key of AWS KMS that encrypts the messages: its id, ARN or alias.')),
      ),
      kmsDataKeyReusePeriodSeconds: seconds(
        60,
        86_400,
        'With a key of KMS: for how many seconds a data key is used before a new one is requested. Default of SQS: 300.',
      ),
      tags: optional(awsTags('queue')),
    })
    .describe('The desired state of the queue. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          url: optional(text('The URL to which messages are sent.')),
          arn: optional(text('The Amazon Resource Name.')),
          createdTimestamp: optional(
            z.string().meta({ format: 'date-time' }).describe('When the queue was created.'),
          ),
        })
        .describe('The state of the queue that SQS reports.'),
    ),
  },
);
export type Queue = ObjectKind<typeof QueueKind>;
