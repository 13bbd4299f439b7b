import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CloudError } from '../../../../clients/cloud-error.ts';
import type { Carrier } from '../../../../clients/http.ts';
import { realClock } from '../../../../runtime/time/clock.ts';
import type { AwsClient } from '../../../../stacks/aws/client/aws-client.ts';
import { awsClient } from '../../../../stacks/aws/client/aws-client.ts';
import { dbInstances } from '../../../../stacks/aws/client/db-instances.ts';
import { ec2Instances } from '../../../../stacks/aws/client/ec2/instances.ts';
import { ec2Subnets } from '../../../../stacks/aws/client/ec2/subnets.ts';
import { ec2Vpcs } from '../../../../stacks/aws/client/ec2/vpcs.ts';
import { eksNodeGroups } from '../../../../stacks/aws/client/eks/node-groups.ts';
import { sqsQueues } from '../../../../stacks/aws/client/sqs/queues.ts';
import { exampleAccount } from '../../../../stacks/aws/emulator/account.ts';
import { answering } from '../../../clients/answering.ts';
import { inProcessAws } from '../../../fakes/in-process-aws.ts';

const { signal } = new AbortController();
const region = 'us-west-1';

const clientOf = (dispatcher: Carrier, url: string): AwsClient =>
  awsClient({
    accessKey: exampleAccount,
    clock: realClock(),
    random: () => 0,
    dispatcher,
    parameters: { region, endpoint: { url: { type: 'Static', static: url } } },
  });
const nowhere = () => inProcessAws(realClock());
const clientAnswering = (status: number, text: string): AwsClient =>
  clientOf(answering(status, text), 'http://aws.test');

interface Items {
  get(): Promise<unknown>;
  delete(): Promise<void>;
  /** All that carry some tags, where they are looked for by these. */
  tagged?(): Promise<readonly unknown[]>;
}

const queue = { name: 'a', url: 'http://aws.test/123456789012/a', attributes: {}, tags: {} };
const tags = { 'crossplane-name': 'a' };

/** A thing of each kind, which is not there. */
const kinds: Readonly<Record<string, (aws: AwsClient) => Items>> = {
  'a VPC': (aws) => ({
    get: () => ec2Vpcs(aws).get({ region, id: 'vpc-0a', attributes: [] }, signal),
    delete: () => ec2Vpcs(aws).delete({ region, id: 'vpc-0a' }, signal),
    tagged: () => ec2Vpcs(aws).tagged({ region, tags }, signal),
  }),
  'a subnet': (aws) => ({
    get: () => ec2Subnets(aws).get({ region, id: 'subnet-0a' }, signal),
    delete: () => ec2Subnets(aws).delete({ region, id: 'subnet-0a' }, signal),
    tagged: () => ec2Subnets(aws).tagged({ region, tags }, signal),
  }),
  'an instance': (aws) => ({
    get: () => ec2Instances(aws).get({ region, id: 'i-0a' }, signal),
    delete: () => ec2Instances(aws).delete({ region, id: 'i-0a' }, signal),
    tagged: () => ec2Instances(aws).tagged({ region, tags }, signal),
  }),
  'a queue': (aws) => ({
    get: () => sqsQueues({ aws, region }).get('a', signal),
    delete: () => sqsQueues({ aws, region }).delete(queue, signal),
  }),
  'a node group': (aws) => ({
    get: () => eksNodeGroups({ aws, region, cluster: 'c' }).get('a', signal),
    delete: () => eksNodeGroups({ aws, region, cluster: 'c' }).delete('a', signal),
  }),
  'a DB instance': (aws) => {
    const all = dbInstances(aws, {
      region,
      fields: {},
      changing: {},
      deleting: { SkipFinalSnapshot: true },
      skipSnapshotField: undefined,
    });
    return { get: () => all.get('a', signal), delete: () => all.delete('a', signal) };
  },
};

const page = '<html><body><h1>Not Found</h1></body></html>';
/** Answers with 404 that are not from AWS. */
const strangers: Readonly<Record<string, string>> = {
  'a 404 of a gateway with a page': page,
  'a 404 of a gateway with nothing': '',
  'a 404 of a gateway with JSON of its own': '{"message":"no Route matched with those values"}',
};
/** Answers with 200 that are not from AWS. */
const impostors: Readonly<Record<string, string>> = {
  'a page with the status of an answer': page,
  'nothing with the status of an answer': '',
};

for (const [what, itemsOf] of Object.entries(kinds)) {
  describe(`${what} is absent only if AWS itself reports that`, () => {
    test('reading it is undefined, deleting it is no error', async () => {
      const { dispatcher, url } = nowhere();
      const items = itemsOf(clientOf(dispatcher, url));
      assert.equal(await items.get(), undefined);
      await items.delete();
      assert.deepEqual(await items.tagged?.(), items.tagged && []);
    });

    for (const [stranger, text] of Object.entries(strangers)) {
      test(`is not proven by ${stranger}`, async () => {
        const items = itemsOf(clientAnswering(404, text));
        const isBare404 = (error: unknown) => error instanceof CloudError && error.status === 404;
        await assert.rejects(items.get(), isBare404);
        await assert.rejects(items.delete(), isBare404);
      });
    }

    for (const [stranger, text] of Object.entries(impostors)) {
      test(`is not proven by ${stranger}`, async () => {
        const { get, tagged } = itemsOf(clientAnswering(200, text));
        for (const look of [get, ...(tagged === undefined ? [] : [tagged])]) {
          await assert.rejects(look(), { name: 'CloudError', code: 'InvalidAnswer' });
        }
      });
    }
  });
}

/** Each case asks for `a`; the node group is in the cluster `c`. */
const mistaken: readonly (readonly [name: string, what: string, answer: string, says: string])[] = [
  [
    'of another DB instance',
    'a DB instance',
    '<DescribeDBInstancesResponse><DescribeDBInstancesResult><DBInstances><DBInstance><DBInstanceIdentifier>b</DBInstanceIdentifier></DBInstance></DBInstances></DescribeDBInstancesResult></DescribeDBInstancesResponse>',
    'cannot get DB instance "a": the answer makes no sense: it is about "b"',
  ],
  [
    'of another node group',
    'a node group',
    JSON.stringify({ nodegroup: { clusterName: 'c', nodegroupName: 'b', status: 'ACTIVE' } }),
    'cannot get node group "a" of cluster "c": the answer of AWS EKS makes no sense: it is about "c/b"',
  ],
  [
    'of a node group of another cluster',
    'a node group',
    JSON.stringify({ nodegroup: { clusterName: 'd', nodegroupName: 'a', status: 'ACTIVE' } }),
    'cannot get node group "a" of cluster "c": the answer of AWS EKS makes no sense: it is about "d/a"',
  ],
  [
    'of another queue',
    'a queue',
    JSON.stringify({ QueueUrl: 'http://aws.test/123456789012/b' }),
    'cannot get queue "a": the answer of AWS SQS is about "http://aws.test/123456789012/b"',
  ],
];
describe('an answer of AWS is rejected if it is', () => {
  for (const [name, what, answer, message] of mistaken) {
    test(name, () => assert.rejects(kinds[what]!(clientAnswering(200, answer)).get(), { message }));
  }
});
