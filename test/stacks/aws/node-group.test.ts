import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pickBy from 'lodash/pickBy.js';
import { ownerTags } from '../../../clients/ownership-tags.ts';
import { ownerOf } from '../../../controllers/author/check-ownership.ts';
import type { CloudNodeGroup } from '../../../stacks/aws/client/eks/node-groups.ts';
import type { NodeGroup } from '../../../stacks/aws/kinds/eks/v1beta1/node-group.ts';
import { differenceOf, newNodeGroup, observationOf } from '../../../stacks/aws/node-group/desired-state.ts';
import { nodeGroupClient } from '../../../stacks/aws/node-group/external-client.ts';
import { testClock } from '../../../testing/test-clock.ts';
import type { InProcessAws } from '../../fakes/in-process-aws.ts';
import { inProcessAws } from '../../fakes/in-process-aws.ts';
import { clientOf, region } from './conformance/aws-world.ts';

type Spec = Partial<NodeGroup['spec']['forProvider']>;

const managed = (forProvider: Spec, initProvider?: Spec): NodeGroup => ({
  apiVersion: 'eks.aws.upbound.io/v1beta1',
  kind: 'NodeGroup',
  metadata: { name: 'blue' },
  spec: { forProvider, ...(initProvider && { initProvider }) },
});
const there = (given: Partial<CloudNodeGroup>): CloudNodeGroup => ({
  name: 'blue',
  status: 'ACTIVE',
  issues: [],
  autoscalingGroups: [],
  tags: ownerTags(ownerOf(managed({}))),
  ...given,
});

describe('the requests of EKS about a node group', () => {
  const scaled = { minSize: 1, maxSize: 4, desiredSize: 3 };
  const isScaled = { scalingConfig: scaled };
  const limits = (minSize: number, maxSize: number): Spec => ({ scalingConfig: [{ minSize, maxSize }] });
  function asks(
    wanted: Spec,
    is: Partial<CloudNodeGroup>,
    config?: object,
    version?: object,
    initial?: Spec,
  ): void {
    const difference = differenceOf(managed(wanted, initial), there(is));
    const parts = [difference.config, difference.version, difference.tags];
    assert.deepEqual(parts, [config, version, undefined]);
  }
  test('keep the size that an autoscaler chose if only initProvider has one', () =>
    asks(limits(1, 4), isScaled, undefined, undefined, { scalingConfig: [{ desiredSize: 1 }] }));
  test('have only the limits if the size is within them', () =>
    asks(limits(2, 5), isScaled, { scalingConfig: { minSize: 2, maxSize: 5 } }));
  test('have the upper limit as the size if that is above it', () =>
    asks(limits(1, 2), isScaled, { scalingConfig: { minSize: 1, maxSize: 2, desiredSize: 2 } }));
  test('have the lower limit as the size if that is below it', () =>
    asks(limits(4, 9), isScaled, { scalingConfig: { minSize: 4, maxSize: 9, desiredSize: 4 } }));
  test('have the wanted size, also outside of the limits', () =>
    asks({ scalingConfig: [{ minSize: 4, desiredSize: 2 }] }, isScaled, {
      scalingConfig: { minSize: 4, desiredSize: 2 },
    }));
  test('set the labels that differ, and remove the others', () =>
    asks(
      { labels: { a: '1', b: '2', constructor: '3' } },
      { labels: { a: '1', b: '1', c: '1' } },
      { labels: { set: { b: '2', constructor: '3' }, remove: ['c'] } },
    ));
  test('tell taints apart by key and effect', () =>
    asks(
      {
        taint: [
          { key: 'a', value: 'x', effect: 'NO_SCHEDULE' },
          { key: 'b', effect: 'NO_EXECUTE' },
        ],
      },
      {
        taints: [
          { key: 'a', value: 'y', effect: 'NO_SCHEDULE' },
          { key: 'b', effect: 'NO_SCHEDULE' },
        ],
      },
      {
        taints: {
          set: [
            { key: 'a', value: 'x', effect: 'NO_SCHEDULE' },
            { key: 'b', effect: 'NO_EXECUTE' },
          ],
          remove: [{ key: 'b', effect: 'NO_SCHEDULE' }],
        },
      },
    ));
  test('have no taints that differ in order only', () =>
    asks(
      {
        taint: [
          { key: 'b', effect: 'NO_EXECUTE' },
          { key: 'a', effect: 'NO_EXECUTE' },
        ],
      },
      {
        taints: [
          { key: 'a', value: '', effect: 'NO_EXECUTE' },
          { key: 'b', effect: 'NO_EXECUTE' },
        ],
      },
    ));
  test('force a version if the spec wants that', () =>
    asks({ version: '1.32', forceUpdateVersion: true }, { version: '1.31' }, undefined, {
      version: '1.32',
      force: true,
    }));
  test('have no launch template whose version EKS has looked up', () =>
    asks(
      { launchTemplate: [{ name: 'nodes', version: '$Latest' }] },
      { launchTemplate: { id: 'lt-1', name: 'nodes', version: '7' } },
    ));
  test('have another version of the launch template', () =>
    asks(
      { launchTemplate: [{ name: 'nodes', version: '8' }] },
      { launchTemplate: { id: 'lt-1', name: 'nodes', version: '7' } },
      undefined,
      { launchTemplate: { name: 'nodes', version: '8' } },
    ));
});

describe('the message of a node group that is not ready', () => {
  function says(want: string, status: string, operation?: string, issues: readonly string[] = []): void {
    const { ready, operation: busyWith } = observationOf(managed({}), there({ status, issues }));
    const { status: value = '', reason = '', message } = ready ?? {};
    assert.deepEqual([`${value}/${reason}${message ? `: ${message}` : ''}`, busyWith], [want, operation]);
  }
  test('says why the creation failed, and what to do', () =>
    says(
      'False/Unavailable: the node group could not be created: NodeCreationFailure: Instances failed to join the kubernetes cluster; delete this resource and create it again',
      'CREATE_FAILED',
      undefined,
      ['NodeCreationFailure: Instances failed to join the kubernetes cluster'],
    ));
  test('lists the health problems', () =>
    says(
      'False/Unavailable: the node group is DEGRADED: AsgInstanceLaunchFailures: x; Ec2SubnetNotFound: y',
      'DEGRADED',
      undefined,
      ['AsgInstanceLaunchFailures: x', 'Ec2SubnetNotFound: y'],
    ));
});

test('a node group that lacks what EKS needs names all of it', () => {
  assert.throws(() => newNodeGroup(managed({})), {
    message: 'spec.forProvider.nodeRoleArn and spec.forProvider.subnetIds are needed to create a node group',
  });
});

describe('the client of node groups', () => {
  const forProvider: Spec = {
    region,
    clusterName: 'guide',
    nodeRoleArn: 'arn:aws:iam::123456789012:role/nodes',
    subnetIds: ['subnet-0a1b2c3d4e5f60001'],
  };
  const { signal } = new AbortController();

  /** An AWS with a cluster. */
  async function scene() {
    const clock = testClock();
    const local = inProcessAws(clock, { provisioningMs: 1_000 });
    const aws = clientOf(local);
    await aws.call(
      {
        service: 'eks',
        region,
        what: 'make the cluster',
        isRepeatable: false,
        run: (eks, http) =>
          eks.createCluster(
            { name: 'guide', roleArn: 'arn:aws:iam::123456789012:role/nodes', resourcesVpcConfig: {} },
            http,
          ),
      },
      signal,
    );
    const client = nodeGroupClient(aws);
    const pass = async (): Promise<void> => clock.advance(600_000);
    await pass();
    return { local, client, pass };
  }
  /** The requests that change a node group, by their number. */
  const changes = ({ calls }: InProcessAws) =>
    pickBy(calls(), (_count, action) => /eks:(Update|Tag|Untag|DeleteN)/.test(action));

  test('takes none that EKS calls taken and does not show', async () => {
    const { local, client } = await scene();
    const code = 'ResourceInUseException';
    local.faults.inject({ kind: 'fail', action: 'eks:CreateNodegroup', code, status: 409 });
    await assert.rejects(client.create(managed(forProvider), undefined, signal), /ResourceInUseException/);
  });

  test('asks for one update at a time, and follows it until it has ended', async () => {
    const { local, client, pass } = await scene();
    await client.create(managed(forProvider), undefined, signal);
    await pass();
    const wanted = managed({ ...forProvider, labels: { a: '1' }, releaseVersion: '1.31.9-20250501' });
    const { operation = '' } = (await client.update(wanted, undefined, signal)) ?? {};
    assert.deepEqual(changes(local), { 'eks:UpdateNodegroupConfig': 1 });
    assert.ok(typeof operation === 'string');
    assert.match(operation, /^us-west-1\/guide\/blue\/[\w-]+$/);
    assert.deepEqual(await client.poll?.(operation, signal), { state: 'running' });
    await pass();
    assert.deepEqual(await client.poll?.(operation, signal), { state: 'done' });
    assert.deepEqual(await client.poll?.(`${operation}0`, signal), { state: 'unknown' });
  });
});
