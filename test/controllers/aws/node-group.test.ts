import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NodeGroup } from '../../../apis/aws/eks/v1beta1/node-group.ts';
import type { CloudNodeGroup } from '../../../clients/aws/eks/node-groups.ts';
import { ownerTags } from '../../../clients/ownership-tags.ts';
import { ownerOf } from '../../../controllers/author/whose-is.ts';
import {
  differenceOf,
  newNodeGroup,
  observationOf,
} from '../../../controllers/aws/node-group/desired-state.ts';

type Spec = Partial<NodeGroup['spec']['forProvider']>;

const managed = (forProvider: Spec, initProvider?: Spec): NodeGroup => ({
  apiVersion: 'eks.aws.upbound.io/v1beta1',
  kind: 'NodeGroup',
  metadata: { name: 'blue' },
  spec: { forProvider, ...(initProvider && { initProvider }) },
});
const there = (given: Partial<CloudNodeGroup>): CloudNodeGroup => ({
  ...{ name: 'blue', status: 'ACTIVE', issues: [], autoscalingGroups: [] },
  tags: ownerTags(ownerOf(managed({}))),
  ...given,
});

describe('what EKS is asked to change of a node group', () => {
  const scaled = { minSize: 1, maxSize: 4, desiredSize: 3 };
  const limits = (minSize: number, maxSize: number): Spec => ({ scalingConfig: [{ minSize, maxSize }] });
  const rows: Readonly<
    Record<
      string,
      { wanted: Spec; initial?: Spec; is: Partial<CloudNodeGroup>; config?: object; version?: object }
    >
  > = {
    'nothing, where an autoscaler changed what only initProvider says': {
      wanted: limits(1, 4),
      initial: { scalingConfig: [{ desiredSize: 1 }] },
      is: { scalingConfig: scaled },
    },
    'limits alone, where the number is within': {
      wanted: limits(2, 5),
      is: { scalingConfig: scaled },
      config: { scalingConfig: { minSize: 2, maxSize: 5 } },
    },
    'the number, too, where it is above them': {
      wanted: limits(1, 2),
      is: { scalingConfig: scaled },
      config: { scalingConfig: { minSize: 1, maxSize: 2, desiredSize: 2 } },
    },
    'or below them': {
      wanted: limits(4, 9),
      is: { scalingConfig: scaled },
      config: { scalingConfig: { minSize: 4, maxSize: 9, desiredSize: 4 } },
    },
    'the number that is wanted, whatever it is': {
      wanted: { scalingConfig: [{ minSize: 4, desiredSize: 2 }] },
      is: { scalingConfig: scaled },
      config: { scalingConfig: { minSize: 4, desiredSize: 2 } },
    },
    'labels: what differs, and what is wanted no more': {
      wanted: { labels: { a: '1', b: '2' } },
      is: { labels: { a: '1', b: '1', c: '1' } },
      config: { labels: { set: { b: '2' }, remove: ['c'] } },
    },
    'taints by key and effect': {
      wanted: {
        taint: [
          { key: 'a', value: 'x', effect: 'NO_SCHEDULE' },
          { key: 'b', effect: 'NO_EXECUTE' },
        ],
      },
      is: {
        taints: [
          { key: 'a', value: 'y', effect: 'NO_SCHEDULE' },
          { key: 'b', effect: 'NO_SCHEDULE' },
        ],
      },
      config: {
        taints: {
          set: [
            { key: 'a', value: 'x', effect: 'NO_SCHEDULE' },
            { key: 'b', effect: 'NO_EXECUTE' },
          ],
          remove: [{ key: 'b', effect: 'NO_SCHEDULE' }],
        },
      },
    },
    'no taints, where they are the same in another order': {
      wanted: {
        taint: [
          { key: 'b', effect: 'NO_EXECUTE' },
          { key: 'a', effect: 'NO_EXECUTE' },
        ],
      },
      is: {
        taints: [
          { key: 'a', value: '', effect: 'NO_EXECUTE' },
          { key: 'b', effect: 'NO_EXECUTE' },
        ],
      },
    },
    'its version, by force where that is wanted': {
      wanted: { version: '1.32', forceUpdateVersion: true },
      is: { version: '1.31' },
      version: { version: '1.32', force: true },
    },
    'no launch template that EKS has looked up': {
      wanted: { launchTemplate: [{ name: 'nodes', version: '$Latest' }] },
      is: { launchTemplate: { id: 'lt-1', name: 'nodes', version: '7' } },
    },
    'another version of it': {
      wanted: { launchTemplate: [{ name: 'nodes', version: '8' }] },
      is: { launchTemplate: { id: 'lt-1', name: 'nodes', version: '7' } },
      version: { launchTemplate: { name: 'nodes', version: '8' } },
    },
  };
  for (const [name, { wanted, initial, is, config, version }] of Object.entries(rows)) {
    test(name, () => {
      const difference = differenceOf(managed(wanted, initial), there(is));
      assert.deepEqual(
        [difference.config, difference.version, difference.tags],
        [config, version, undefined],
      );
    });
  }
});

describe('what is told of a node group', () => {
  const rows: Readonly<
    Record<string, { status: string; issues?: readonly string[]; want: string; operation?: string }>
  > = {
    'that it can be used': { status: 'ACTIVE', want: 'True/Available' },
    'that it can be used while it changes': {
      status: 'UPDATING',
      want: 'True/Available',
      operation: 'update',
    },
    'that it is being made': { status: 'CREATING', want: 'False/Creating', operation: 'create' },
    'that it goes': { status: 'DELETING', want: 'False/Deleting', operation: 'delete' },
    'why it could not be made, and what to do': {
      status: 'CREATE_FAILED',
      issues: ['NodeCreationFailure: Instances failed to join the kubernetes cluster'],
      want: 'False/Unavailable: the node group could not be created: NodeCreationFailure: Instances failed to join the kubernetes cluster; delete this resource and create it anew',
    },
    'what ails it': {
      status: 'DEGRADED',
      issues: ['AsgInstanceLaunchFailures: x', 'Ec2SubnetNotFound: y'],
      want: 'False/Unavailable: the node group is DEGRADED: AsgInstanceLaunchFailures: x; Ec2SubnetNotFound: y',
    },
  };
  for (const [name, { status, issues = [], want, operation }] of Object.entries(rows)) {
    test(name, () => {
      const { ready, operation: busyWith } = observationOf(managed({}), there({ status, issues }));
      const { status: value = '', reason = '', message } = ready ?? {};
      assert.deepEqual([`${value}/${reason}${message ? `: ${message}` : ''}`, busyWith], [want, operation]);
    });
  }
});

test('a node group that lacks what EKS needs names all of it', () => {
  assert.throws(() => newNodeGroup(managed({})), {
    message:
      'spec.forProvider.nodeRoleArn and spec.forProvider.subnetIds must be given to create a node group',
  });
});
