import { z } from 'zod';
import { identity, immutable, late } from '../../../core/marks.ts';
import type { ObjectKind } from '../../../core/schema.ts';
import { optional, text } from '../../../core/schema.ts';
import { defineManaged } from '../../../core/v1alpha1/define-managed.ts';
import { awsRegion } from '../../region.ts';
import { awsTags } from '../../tags.ts';

const seconds = (min: number, max: number, description: string) =>
  optional(late(z.int().min(min).max(max).describe(description)));

/** A queue of Amazon SQS, in the words of provider-aws. */
export const QueueKind = defineManaged(
  {
    group: 'sqs.aws.crossplane.io',
    version: 'v1beta1',
    kind: 'Queue',
    plural: 'queues',
    shortNames: ['sqs'],
    isClaimable: false,
    stack: 'aws',
    description:
      'A queue of Amazon SQS. It is named as this object, or as its external name says before it is created; then its external name is the URL that SQS assigned.',
  },
  z
    .object({
      region: optional(
        identity(awsRegion('The region that the queue is in. Without it: that of the provider.')),
      ),
      fifoQueue: optional(
        immutable(
          late(
            z
              .boolean()
              .describe(
                'Whether messages arrive in order, and once. The name of such a queue ends in .fifo. Without it: a standard queue.',
              ),
          ),
        ),
      ),
      contentBasedDeduplication: optional(
        late(
          z
            .boolean()
            .describe('For FIFO queues: whether messages of the same content within five minutes are one.'),
        ),
      ),
      delaySeconds: seconds(
        0,
        900,
        'For how many seconds a message is held back before it is delivered. SQS chooses 0.',
      ),
      maximumMessageSize: seconds(1_024, 1_048_576, 'How many bytes a message may have.'),
      messageRetentionPeriod: seconds(
        60,
        1_209_600,
        'For how many seconds a message is kept. SQS chooses 345600, four days.',
      ),
      receiveMessageWaitTimeSeconds: seconds(
        0,
        20,
        'For how many seconds a receiver waits for a message. SQS chooses 0.',
      ),
      visibilityTimeout: seconds(
        0,
        43_200,
        'For how many seconds a message that was received is hidden from other receivers. SQS chooses 30.',
      ),
      policy: optional(text('Who may do what with the queue: a policy of AWS, as JSON.')),
      redrivePolicy: optional(
        z
          .object({
            deadLetterTargetArn: text('The ARN of the queue that takes what is not processed.'),
            maxReceiveCount: z
              .int()
              .min(1)
              .max(1_000)
              .describe('How often a message is received before it goes there.'),
          })
          .describe('What becomes of messages that nobody can process.'),
      ),
      kmsMasterKeyId: optional(
        late(text('The key of AWS KMS that messages are encrypted with: its id, its ARN or its alias.')),
      ),
      kmsDataKeyReusePeriodSeconds: seconds(
        60,
        86_400,
        'With a key of KMS: for how many seconds a data key is used before KMS is asked for another. SQS chooses 300.',
      ),
      tags: optional(awsTags('queue')),
    })
    .describe('The queue as it should be. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          url: optional(text('Where messages are sent to.')),
          arn: optional(text('Its Amazon Resource Name.')),
          createdTimestamp: optional(
            z.string().meta({ format: 'date-time' }).describe('When it was created.'),
          ),
        })
        .describe('The queue as SQS tells of it.'),
    ),
  },
);
export type Queue = ObjectKind<typeof QueueKind>;
