import omit from 'lodash/omit.js';
import { describeConformance } from '../../../../package/testing.ts';
import type { Snapshot } from '../../../../stacks/aws/emulator/collection.ts';
import { eks } from '../../../../stacks/aws/emulator/eks/eks.ts';
import type { NodeGroup } from '../../../../stacks/aws/emulator/eks/node-group.ts';
import { NodeGroupKind } from '../../../../stacks/aws/kinds/eks/v1beta1/node-group.ts';
import type { InProcessAws } from '../../../fakes/in-process-aws.ts';
import { awsWorld, clientOf, failureOf, region, tags } from './aws-world.ts';

const clusterName = 'guide';
const nodeRoleArn = 'arn:aws:iam::123456789012:role/nodes';
const subnetIds = ['subnet-0a1b2c3d4e5f60001'];
const { signal } = new AbortController();

/** Creates one that another user owns. */
const foreign = (aws: InProcessAws, nodegroupName: string): Promise<unknown> =>
  clientOf(aws).call(
    {
      service: 'eks',
      region,
      what: 'make theirs',
      isRepeatable: false,
      run: (sdk, http) =>
        sdk.createNodegroup({ clusterName, nodegroupName, nodeRole: nodeRoleArn, subnets: subnetIds }, http),
    },
    signal,
  );

/** The cluster that they are of. */
const cluster = (aws: InProcessAws): Promise<unknown> =>
  clientOf(aws).call(
    {
      service: 'eks',
      region,
      what: 'make the cluster',
      isRepeatable: false,
      run: (sdk, http) =>
        sdk.createCluster({ name: clusterName, roleArn: nodeRoleArn, resourcesVpcConfig: {} }, http),
    },
    signal,
  );

/** Without what says how often it was changed. */
const withoutHistory = ({ item, ...snapshot }: Snapshot<NodeGroup>) => ({
  ...snapshot,
  item: omit(item, 'updates', 'changedAtMs'),
});

describeConformance({
  managed: NodeGroupKind,
  forProvider: {
    region,
    clusterName,
    nodeRoleArn,
    subnetIds,
    scalingConfig: [{ desiredSize: 2, minSize: 1, maxSize: 4 }],
    labels: { pool: 'blue' },
    taint: [{ key: 'gpu', value: 'yes', effect: 'NO_SCHEDULE' }],
    tags: { team: 'shop' },
  },
  changes: [
    { scalingConfig: [{ desiredSize: 3, minSize: 3, maxSize: 5 }] },
    { labels: { pool: 'green' }, updateConfig: [{ maxUnavailable: 2 }] },
    { taint: [{ key: 'gpu', effect: 'NO_EXECUTE' }] },
    { releaseVersion: '1.31.9-20250501' },
    { tags: { team: 'books' } },
  ],
  tags,
  refusedChanges: [{ region: 'us-east-1' }, { instanceTypes: ['m5.large'] }, { diskSize: 50 }],
  open: (given) =>
    awsWorld(given, {
      failure: failureOf(eks),
      externals: (aws) =>
        aws
          .collections<NodeGroup>('eks/node-group')
          .flatMap(([, groups]) => groups.all().map(withoutHistory)),
      foreign,
      before: cluster,
      creation: 'eks:CreateNodegroup',
    }),
});
