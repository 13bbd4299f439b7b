import { describeConformance } from '../../../../package/testing.ts';
import type { Queue } from '../../../../stacks/aws/emulator/sqs/queue.ts';
import { sqs } from '../../../../stacks/aws/emulator/sqs/sqs.ts';
import { QueueKind } from '../../../../stacks/aws/kinds/sqs/v1beta1/queue.ts';
import type { InProcessAws } from '../../../fakes/in-process-aws.ts';
import { awsWorld, clientOf, failureOf, region, tags } from './aws-world.ts';

const { signal } = new AbortController();

/** Creates one that another user owns; returns its URL. */
const foreign = (aws: InProcessAws, QueueName: string): Promise<unknown> =>
  clientOf(aws).call(
    {
      service: 'sqs',
      region,
      what: 'make theirs',
      isRepeatable: false,
      run: async (sqs, http) => {
        const tags = { 'crossplane-kind': 'queue.sqs.aws.crossplane.io', 'crossplane-name': 'theirs' };
        return (await sqs.createQueue({ QueueName, tags }, http)).QueueUrl;
      },
    },
    signal,
  );

describeConformance({
  managed: QueueKind,
  forProvider: { region, delaySeconds: 5, tags: { team: 'shop' } },
  changes: [
    { delaySeconds: 10, visibilityTimeout: 60 },
    { messageRetentionPeriod: 86_400, receiveMessageWaitTimeSeconds: 20 },
    { kmsMasterKeyId: 'alias/aws/sqs' },
    { policy: '{"Version":"2012-10-17","Statement":[]}' },
    { tags: { team: 'books' } },
  ],
  tags,
  refusedChanges: [{ region: 'us-east-1' }, { fifoQueue: true }],
  open: (given) =>
    awsWorld(given, {
      failure: failureOf(sqs),
      externals: (aws) =>
        aws
          .collections<Queue>('sqs/queue')
          .flatMap(([, queues]) => queues.all().filter(({ phase }) => phase !== 'deleting')),
      foreign,
      creation: 'sqs:CreateQueue',
    }),
});
