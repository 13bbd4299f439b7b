import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExternalClient } from '../../../controllers/managed/connecting/external-client.ts';
import { UncertainCreationError } from '../../../controllers/managed/connecting/external-client.ts';
import { messageOf } from '../../../runtime/client/errors.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import { awsClient } from '../../../stacks/aws/client/aws-client.ts';
import { sqsQueues } from '../../../stacks/aws/client/sqs/queues.ts';
import { exampleAccount } from '../../../stacks/aws/emulator/account.ts';
import type { Fault } from '../../../stacks/aws/emulator/action-faults.ts';
import type { LocalAws } from '../../../stacks/aws/emulator/server.ts';
import { startAws } from '../../../stacks/aws/emulator/server.ts';
import type { Queue } from '../../../stacks/aws/kinds/sqs/v1beta1/queue.ts';
import { queueClient } from '../../../stacks/aws/queue/external-client.ts';

const { signal } = new AbortController();
const region = 'us-west-1';
const deletionTimestamp = '2026-01-02T03:04:05Z';
const urlOf = (name: string): string => `https://sqs.${region}.amazonaws.com/123456789012/${name}`;

type Given = Partial<Queue['spec']['forProvider']>;
const queue = (forProvider: Given = {}, name = 'orders', named?: string): Queue => ({
  apiVersion: 'sqs.aws.crossplane.io/v1beta1',
  kind: 'Queue',
  metadata: { name, ...(named !== undefined && { annotations: { 'crossplane.io/external-name': named } }) },
  spec: { forProvider: { region, ...forProvider } },
});

/** The same queue, which a user deletes. */
const deleted = ({ metadata, ...rest }: Queue, annotations = metadata.annotations ?? {}): Queue => ({
  ...rest,
  metadata: { ...metadata, annotations, deletionTimestamp },
});

const doorTo = (aws: LocalAws, secretAccessKey = exampleAccount.secretAccessKey) =>
  awsClient({
    accessKey: { ...exampleAccount, secretAccessKey },
    clock: realClock(),
    random: () => 0,
    parameters: { endpoint: { url: { type: 'Static', static: aws.url } } },
  });
const clientFor = (aws: LocalAws, secretAccessKey?: string) => queueClient(doorTo(aws, secretAccessKey));

/** The errors that prevent the creation or observation of a queue. */
async function reportedOf(client: ExternalClient<Queue>, wanted: Queue): Promise<string> {
  try {
    const { exists, uncreatable } = await client.observe(wanted, undefined, signal);
    assert.equal(exists, false);
    if (uncreatable !== undefined) return uncreatable;
    await client.create(wanted, undefined, signal);
    return 'nothing';
  } catch (error) {
    return messageOf(error);
  }
}

describe('bad input is reported in AWS’s own words, with the field to change', () => {
  const redrivePolicy = { deadLetterTargetArn: 'arn:x', maxReceiveCount: 3 };
  const rows: Readonly<Record<string, readonly [wanted: Queue, want: string]>> = {
    'a value that SQS refuses': [
      queue({ redrivePolicy }),
      'cannot create queue "orders": AWS SQS (us-west-1, URL) refused (400 InvalidParameterValue): Value {"deadLetterTargetArn":"arn:x","maxReceiveCount":3} for parameter RedrivePolicy is invalid. Reason: Dead letter target does not exist; change spec.forProvider.redrivePolicy',
    ],
    'the name of a queue that is to be a FIFO queue': [
      queue({ fifoQueue: true }),
      'the name "orders" must end in .fifo, because spec.forProvider.fifoQueue is true; set another name in the annotation crossplane.io/external-name',
    ],
    'the name of a FIFO queue, for another': [
      queue({}, 'orders.fifo'),
      'the name "orders.fifo" is that of a FIFO queue; set spec.forProvider.fifoQueue to true, or set another name in the annotation crossplane.io/external-name',
    ],
    'another account’s queue by its URL': [
      queue({}, 'orders', 'https://sqs.us-west-1.amazonaws.com/210987654321/theirs'),
      'the annotation crossplane.io/external-name names a queue of account 210987654321, and the provider connects to account 123456789012',
    ],
  };
  for (const [name, [wanted, want]] of Object.entries(rows)) {
    test(name, async () => {
      await using aws = await startAws();
      const client = clientFor(aws);
      if (wanted.metadata.annotations !== undefined)
        await client.create(queue({}, 'theirs'), undefined, signal);
      assert.equal((await reportedOf(client, wanted)).replaceAll(aws.url, 'URL'), want);
    });
  }
});

describe('a URL that is that of no queue here makes none, and keeps nothing from going', () => {
  const noName = /^the name "https:.*" (does not match|has \d+ characters)/;
  const none =
    /^there is no queue "https:.*"; correct the annotation crossplane\.io\/external-name, or remove it/;
  const rows: Readonly<Record<string, readonly [url: string, message: RegExp]>> = {
    'of another account': [
      `https://sqs.${region}.amazonaws.com/999999999999/bar`,
      /names a queue of account 999999999999, and the provider connects to account 123456789012$/,
    ],
    'with more in it': ['https://evil.example.com/../a/b/c', noName],
    'with nothing in it': ['https://evil.example.com/', noName],
    'with a user name': [`https://me@sqs.${region}.amazonaws.com/123456789012/bar`, noName],
    'of what is not there': [urlOf('bar'), none],
    'of what is not there, elsewhere': ['https://evil.example.com/123456789012/bar', none],
  };
  for (const [name, [url, message]] of Object.entries(rows)) {
    test(name, async () => {
      await using aws = await startAws();
      const client = clientFor(aws);
      const named = queue({}, 'orders', url);
      assert.match(await reportedOf(client, named), message);
      const leaving = deleted(named);
      assert.equal((await client.observe(leaving, undefined, signal)).exists, false);
      await client.delete(leaving, signal);
      for (const none of ['bar', 'b', 'orders']) {
        assert.equal((await client.observe(queue({}, 'x', none), undefined, signal)).exists, false);
      }
    });
  }

  test('a URL that names another queue is reported with the right one, and the queue is not changed', async () => {
    await using aws = await startAws();
    const client = clientFor(aws);
    await client.create(queue({}, 'theirs'), undefined, signal);
    for (const url of [
      'https://evil.example.com/123456789012/theirs',
      urlOf('theirs').replace(region, 'eu-west-1'),
      urlOf('theirs').replace('https', 'http'),
    ]) {
      const named = queue({}, 'orders', url);
      await assert.rejects(client.observe(named, undefined, signal), {
        message: `the annotation crossplane.io/external-name is ${url}, and the URL of queue "theirs" is ${urlOf('theirs')}`,
      });
      const leaving = deleted(named);
      await client.delete(leaving, signal);
      const { exists } = await client.observe(queue({}, 'theirs', urlOf('theirs')), undefined, signal);
      assert.equal(exists, true);
    }
  });

  test('a URL that SQS returned before is accepted, although its address has changed', async () => {
    await using aws = await startAws();
    const client = clientFor(aws);
    await client.create(queue(), undefined, signal);
    const url = 'http://localhost:4566/123456789012/orders';
    const named = { ...queue({}, 'orders', url), status: { atProvider: { url } } };
    assert.equal((await client.observe(named, undefined, signal)).exists, true);
  });
});

describe('a queue', () => {
  const madeOrders = { externalName: urlOf('orders'), details: { endpoint: urlOf('orders') } };

  test('a queue has its URL as external name, and the queue name that a user chose', async () => {
    await using aws = await startAws();
    const client = clientFor(aws);
    const assigned = await client.create(queue(), undefined, signal);
    const chosen = await client.create(queue({}, 'bills', 'bills-of-2026'), undefined, signal);
    assert.deepEqual(assigned, madeOrders);
    assert.deepEqual(chosen, { details: { endpoint: urlOf('bills-of-2026') } });
    for (const named of ['orders', urlOf('orders')]) {
      const observing = client.observe(queue({}, 'orders', named), undefined, signal);
      const { exists, isUpToDate, details } = await observing;
      assert.deepEqual([exists, isUpToDate, details], [true, true, { endpoint: urlOf('orders') }]);
    }
  });

  test('a creation whose answer was lost is found again, and one that cannot be found waits for an administrator', async () => {
    await using aws = await startAws();
    const client = clientFor(aws);
    const lost: Fault = { kind: 'loseResponse', action: 'sqs:CreateQueue', times: 4 };
    aws.faults.inject(lost);
    assert.deepEqual(await client.create(queue(), undefined, signal), madeOrders);
    aws.faults.clear();
    const fresh = clientFor(aws);
    aws.faults.inject({ kind: 'cut', action: 'sqs:CreateQueue', times: 4 });
    await assert.rejects(fresh.create(queue({}, 'bills'), undefined, signal), UncertainCreationError);
  });

  test('of ours is found, whatever its attributes are by now', async () => {
    await using aws = await startAws();
    const client = clientFor(aws);
    await client.create(queue(), undefined, signal);
    assert.deepEqual(await client.create(queue({ delaySeconds: 5 }), undefined, signal), madeOrders);
  });
});

describe('a queue of another user is never taken', () => {
  const foreign = { 'crossplane-kind': 'queue.sqs.aws.crossplane.io', 'crossplane-name': 'theirs' };
  const rows: Readonly<Record<string, readonly [tags: Readonly<Record<string, string>>, isNew: boolean]>> = {
    'that carries no tag of an owner': [{}, false],
    'that belongs to another': [foreign, false],
    'that is created at the same moment, without tags, though SQS answers as if it were ours': [{}, true],
    'that is created at the same moment': [foreign, true],
  };
  for (const [name, [tags, isNew]] of Object.entries(rows)) {
    test(name, async () => {
      await using aws = await startAws();
      const queues = sqsQueues({ aws: doorTo(aws), region });
      await queues.create('orders', { attributes: {}, tags }, signal);
      if (isNew) {
        aws.faults.inject({
          kind: 'fail',
          action: 'sqs:GetQueueUrl',
          times: 1,
          status: 400,
          code: 'AWS.SimpleQueueService.NonExistentQueue',
        });
      }
      const message =
        /^queue "orders" exists and (?:carries no tag of an owner|belongs to \S+ "theirs"); set another name/;
      await assert.rejects(clientFor(aws).create(queue(), undefined, signal), { message });
      assert.deepEqual((await queues.get('orders', signal))?.tags, tags);
    });
  }
});

test('a queue of another user is observed by the name of the object, if only observing is allowed', async () => {
  await using aws = await startAws();
  const client = clientFor(aws);
  const url = await sqsQueues({ aws: doorTo(aws), region }).create(
    'orders',
    { attributes: {}, tags: {} },
    signal,
  );
  const { spec, ...rest } = queue();
  const observer: Queue = { ...rest, spec: { ...spec, managementPolicies: ['Observe'] } };
  const { exists, externalName } = await client.observe(observer, undefined, signal);
  assert.deepEqual({ exists, externalName }, { exists: true, externalName: url });
});

describe('a queue that goes and names none', () => {
  test('takes along what its creation made before it was cut off', async () => {
    await using aws = await startAws();
    const client = clientFor(aws);
    await client.create(queue(), undefined, signal);
    await client.delete(deleted(queue(), { 'crossplane.io/external-identity': '{}' }), signal);
    assert.equal(aws.calls()['sqs:DeleteQueue'], 1);
  });

  test('takes nothing along where it has begun no creation', async () => {
    await using aws = await startAws();
    const client = clientFor(aws);
    await client.create(queue(), undefined, signal);
    await client.delete(deleted(queue()), signal);
    assert.equal(aws.calls()['sqs:DeleteQueue'], undefined);
  });
});

test('a queue whose answer is lost and that cannot be looked for waits for a human', async () => {
  await using aws = await startAws();
  const client = clientFor(aws);
  aws.faults.inject({ kind: 'loseResponse', action: 'sqs:CreateQueue', times: 4 });
  const isLookedFor = client.create(queue(), undefined, signal);
  const denied = { code: 'AccessDeniedException', status: 403 };
  while (aws.calls()['sqs:CreateQueue'] === undefined) await new Promise(setImmediate);
  aws.faults.inject({ kind: 'fail', action: 'sqs:GetQueueUrl', ...denied });
  await assert.rejects(isLookedFor, UncertainCreationError);
});
