import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EKS } from '@aws-sdk/client-eks';
import type { LocalAwsOptions } from '../../../../stacks/aws/emulator/server.ts';
import { answerOf as answerOfNew } from './answer-of.ts';

const role = 'arn:aws:iam::123456789012:role/nodes';
const named = { clusterName: 'guide', nodegroupName: 'blue' };
const wanted = { ...named, nodeRole: role, subnets: ['subnet-1'] };

/** The reply to the official client when there is a cluster, or the error. */
const answerOf = <T>(ask: (eks: EKS) => Promise<T>, options?: LocalAwsOptions): Promise<unknown> =>
  answerOfNew(
    (config) => new EKS(config),
    async (eks) => {
      await eks.createCluster({ name: 'guide', roleArn: role, resourcesVpcConfig: {} });
      return ask(eks);
    },
    options,
  );

describe('the official client of EKS', () => {
  test('creates a node group with the defaults of EKS', async () => {
    const reported = await answerOf(async (eks) => {
      await eks.createNodegroup({ ...wanted, scalingConfig: { minSize: 1, maxSize: 4, desiredSize: 1 } });
      const { nodegroup: { status, scalingConfig, instanceTypes, version } = {} } =
        await eks.describeNodegroup(named);
      const { nodegroups } = await eks.listNodegroups({ clusterName: 'guide' });
      return { status, scalingConfig, instanceTypes, version, nodegroups };
    });
    assert.deepEqual(reported, {
      status: 'ACTIVE',
      scalingConfig: { minSize: 1, maxSize: 4, desiredSize: 1 },
      instanceTypes: ['t3.medium'],
      version: '1.31',
      nodegroups: ['blue'],
    });
  });

  test('a change keeps other values, and its progress is reported', async () => {
    let nowMs = 0;
    const reported = await answerOf(
      async (eks) => {
        await eks.createNodegroup({ ...wanted, scalingConfig: { minSize: 1, maxSize: 4, desiredSize: 3 } });
        nowMs += 1_000;
        const { update: { id: updateId } = {} } = await eks.updateNodegroupConfig({
          ...named,
          scalingConfig: { maxSize: 5 },
          labels: { addOrUpdateLabels: { pool: 'a' } },
        });
        const state = async () =>
          (await eks.describeUpdate({ name: 'guide', nodegroupName: 'blue', updateId })).update?.status;
        const before = await state();
        const { nodegroup } = await eks.describeNodegroup(named);
        nowMs += 1_000;
        return [before, nodegroup?.status, nodegroup?.scalingConfig, nodegroup?.labels, await state()];
      },
      { provisioningMs: 1_000, now: () => nowMs },
    );
    assert.deepEqual(reported, [
      'InProgress',
      'UPDATING',
      { minSize: 1, maxSize: 5, desiredSize: 3 },
      { pool: 'a' },
      'Successful',
    ]);
  });

  test('creates one node group for a token', async () => {
    const reported = await answerOf(async (eks) => {
      const first = await eks.createNodegroup({ ...wanted, clientRequestToken: 'once' });
      const second = await eks.createNodegroup({ ...wanted, clientRequestToken: 'once' });
      return first.nodegroup?.nodegroupArn === second.nodegroup?.nodegroupArn;
    });
    assert.equal(reported, true);
  });

  const refusal = (name: string, message: string, status = 400) => ({ name, message, status });
  const invalid = (message: string) => refusal('InvalidParameterException', message);
  const refusals: Readonly<
    Record<string, { ask: (eks: EKS) => Promise<unknown>; want: object; options?: LocalAwsOptions }>
  > = {
    'in a cluster that there is not': {
      ask: (eks) => eks.describeNodegroup({ ...named, clusterName: 'none' }),
      want: refusal('ResourceNotFoundException', 'No cluster found for name: none.', 404),
    },
    'of a node group that there is not': {
      ask: (eks) => eks.describeNodegroup(named),
      want: refusal('ResourceNotFoundException', 'No node group found for name: blue.', 404),
    },
    'where the name is taken': {
      async ask(eks) {
        await eks.createNodegroup(wanted);
        await eks.createNodegroup(wanted);
      },
      want: refusal(
        'ResourceInUseException',
        'NodeGroup already exists with name blue and cluster name guide',
        409,
      ),
    },
    'for limits that the number of nodes is not within': {
      async ask(eks) {
        await eks.createNodegroup({ ...wanted, scalingConfig: { minSize: 1, maxSize: 4, desiredSize: 2 } });
        await eks.updateNodegroupConfig({ ...named, scalingConfig: { minSize: 3 } });
      },
      want: invalid("Minimum capacity 3 can't be greater than desired size 2"),
    },
    'for a type of machine that there is not': {
      ask: (eks) => eks.createNodegroup({ ...wanted, instanceTypes: ['huge'] }),
      want: invalid('The following supplied instance types do not exist: [huge]'),
    },
    'while another change is under way': {
      async ask(eks) {
        await eks.createNodegroup(wanted);
        await eks.updateNodegroupConfig({ ...named, labels: { addOrUpdateLabels: { a: 'b' } } });
      },
      options: { provisioningMs: 60_000 },
      want: refusal(
        'ResourceInUseException',
        'Nodegroup cannot be updated as it is currently not in Active State (CREATING)',
        409,
      ),
    },
    'beyond the quota': {
      ask: (eks) => eks.createNodegroup(wanted),
      options: { quotas: { nodegroup: 0 } },
      want: refusal(
        'ResourceLimitExceededException',
        'Cannot have more than 0 nodegroups attached to a cluster.',
      ),
    },
  };
  for (const [why, { ask, want, options }] of Object.entries(refusals)) {
    test(`is refused ${why}`, async () => assert.deepEqual(await answerOf(ask, options), want));
  }
});
