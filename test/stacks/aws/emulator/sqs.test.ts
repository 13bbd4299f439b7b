import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SQS } from '@aws-sdk/client-sqs';
import { exampleAccount } from '../../../../stacks/aws/emulator/account.ts';
import type { LocalAwsOptions } from '../../../../stacks/aws/emulator/server.ts';
import { answerOf as answerOfNew } from './answer-of.ts';

const region = 'us-west-1';
const urlOf = (name: string): string => `https://sqs.${region}.amazonaws.com/123456789012/${name}`;

/** The reply to the official client, or the error. */
const answerOf = <T>(ask: (sqs: SQS) => Promise<T>, options?: LocalAwsOptions): Promise<unknown> =>
  answerOfNew((config) => new SQS(config), ask, options);

describe('the official client of SQS', () => {
  test('creates a queue, finds it by name, and reads its attributes', async () => {
    const reported = await answerOf(async (sqs) => {
      await sqs.createQueue({ QueueName: 'orders', Attributes: { DelaySeconds: '5' }, tags: { team: 'a' } });
      const { QueueUrl } = await sqs.getQueueUrl({ QueueName: 'orders' });
      const { Attributes } = await sqs.getQueueAttributes({
        QueueUrl,
        AttributeNames: ['DelaySeconds', 'VisibilityTimeout', 'QueueArn', 'FifoQueue'],
      });
      return { QueueUrl, Attributes, Tags: (await sqs.listQueueTags({ QueueUrl })).Tags };
    });
    assert.deepEqual(reported, {
      QueueUrl: urlOf('orders'),
      Attributes: {
        DelaySeconds: '5',
        VisibilityTimeout: '30',
        QueueArn: `arn:aws:sqs:${region}:123456789012:orders`,
      },
      Tags: { team: 'a' },
    });
  });

  test('lists by a prefix, a page at a time', async () => {
    const reported = await answerOf(async (sqs) => {
      for (const QueueName of ['a-1', 'b', 'a-2', 'a-3']) await sqs.createQueue({ QueueName });
      const first = await sqs.listQueues({ QueueNamePrefix: 'a', MaxResults: 2 });
      const second = await sqs.listQueues({
        QueueNamePrefix: 'a',
        MaxResults: 2,
        NextToken: first.NextToken,
      });
      return [first.QueueUrls, second.QueueUrls, second.NextToken];
    });
    assert.deepEqual(reported, [[urlOf('a-1'), urlOf('a-2')], [urlOf('a-3')], undefined]);
  });

  test('changes attributes and tags', async () => {
    const reported = await answerOf(async (sqs) => {
      const { QueueUrl } = await sqs.createQueue({ QueueName: 'orders', tags: { team: 'a', stage: 'b' } });
      await sqs.setQueueAttributes({ QueueUrl, Attributes: { KmsMasterKeyId: 'alias/aws/sqs' } });
      await sqs.tagQueue({ QueueUrl, Tags: { team: 'c' } });
      await sqs.untagQueue({ QueueUrl, TagKeys: ['stage'] });
      const { Attributes } = await sqs.getQueueAttributes({
        QueueUrl,
        AttributeNames: ['KmsMasterKeyId', 'KmsDataKeyReusePeriodSeconds', 'SqsManagedSseEnabled'],
      });
      return [Attributes, (await sqs.listQueueTags({ QueueUrl })).Tags];
    });
    assert.deepEqual(reported, [
      { KmsMasterKeyId: 'alias/aws/sqs', KmsDataKeyReusePeriodSeconds: '300', SqsManagedSseEnabled: 'false' },
      { team: 'c' },
    ]);
  });

  const refusal = (name: string, message: string, status = 400) => ({ name, message, status });
  const invalid = (message: string) => refusal('InvalidParameterValue', message);
  const refusals: Readonly<
    Record<string, { ask: (sqs: SQS) => Promise<unknown>; want: object; options?: LocalAwsOptions }>
  > = {
    'of a queue that there is not': {
      ask: (sqs) => sqs.getQueueUrl({ QueueName: 'none' }),
      want: refusal('QueueDoesNotExist', 'The specified queue does not exist.'),
    },
    'for a name that it does not take': {
      ask: (sqs) => sqs.createQueue({ QueueName: 'a.b' }),
      want: invalid('Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length'),
    },
    'for the name of a FIFO queue': {
      ask: (sqs) => sqs.createQueue({ QueueName: 'orders', Attributes: { FifoQueue: 'true' } }),
      want: invalid(
        'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length',
      ),
    },
    'for a value out of bounds': {
      ask: (sqs) => sqs.createQueue({ QueueName: 'a', Attributes: { DelaySeconds: '901' } }),
      want: refusal('InvalidAttributeValue', 'Invalid value for the parameter DelaySeconds.'),
    },
    'for dead letters that no queue takes': {
      ask: (sqs) =>
        sqs.createQueue({
          QueueName: 'a',
          Attributes: { RedrivePolicy: '{"deadLetterTargetArn":"arn:x","maxReceiveCount":3}' },
        }),
      want: invalid(
        'Value {"deadLetterTargetArn":"arn:x","maxReceiveCount":3} for parameter RedrivePolicy is invalid. Reason: Dead letter target does not exist.',
      ),
    },
    'where a queue of the name is another': {
      async ask(sqs) {
        await sqs.createQueue({ QueueName: 'a' });
        await sqs.createQueue({ QueueName: 'a', Attributes: { DelaySeconds: '5' } });
      },
      want: refusal(
        'QueueNameExists',
        'A queue already exists with the same name and a different value for attribute DelaySeconds',
      ),
    },
    'where one of the name was deleted a moment ago': {
      async ask(sqs) {
        const { QueueUrl } = await sqs.createQueue({ QueueName: 'a' });
        await sqs.deleteQueue({ QueueUrl });
        await sqs.createQueue({ QueueName: 'a' });
      },
      options: { deletionMs: 60_000 },
      want: refusal(
        'QueueDeletedRecently',
        'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
      ),
    },
    'a tag that its other protocol could not tell again': {
      ask: async (sqs) => {
        await sqs.createQueue({ QueueName: 'a' });
        await sqs.tagQueue({ QueueUrl: urlOf('a'), Tags: { k: 'a\u0007' } });
      },
      want: invalid('Tag "k" contains characters that are not allowed.'),
    },
    'an attribute that it could not tell either': {
      ask: (sqs) => sqs.createQueue({ QueueName: 'a', Attributes: { KmsMasterKeyId: '\u001b' } }),
      want: invalid('Attribute "KmsMasterKeyId" contains characters that are not allowed.'),
    },
    'by its policies': {
      ask: (sqs) => sqs.createQueue({ QueueName: 'a' }),
      options: { accounts: [{ ...exampleAccount, denied: ['sqs:CreateQueue'] }] },
      want: refusal(
        'AccessDeniedException',
        'User: arn:aws:iam::123456789012:user/crossplane is not authorized to perform: sqs:CreateQueue',
        403,
      ),
    },
  };
  for (const [why, { ask, want, options }] of Object.entries(refusals)) {
    test(`is refused ${why}`, async () => assert.deepEqual(await answerOf(ask, options), want));
  }
});
