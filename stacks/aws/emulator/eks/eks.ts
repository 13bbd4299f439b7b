import { AwsProblem } from '../problem.ts';
import { jsonRefusals } from '../refusals.ts';
import { restProtocol } from '../rest-protocol.ts';
import type { Call, Service } from '../service.ts';
import type { ConfigChange, NodeGroup, NodeGroupRequest, Update, VersionChange } from './node-group.ts';
import {
  invalid,
  newNodeGroup,
  newTags,
  reconfigured,
  stateOf,
  stateOfUpdate,
  upgraded,
} from './node-group.ts';

/** A cluster, as far as node groups need one. */
export interface Cluster {
  readonly name: string;
  readonly arn: string;
  readonly version: string;
  readonly roleArn?: string;
  readonly resourcesVpcConfig?: object;
  readonly tags: Readonly<Record<string, string>>;
}

const clusters = 'eks/cluster';
const groups = 'eks/node-group';
const usualVersion = '1.31';

const routes = {
  'POST /clusters': 'CreateCluster',
  'GET /clusters': 'ListClusters',
  'GET /clusters/{name}': 'DescribeCluster',
  'DELETE /clusters/{name}': 'DeleteCluster',
  'POST /clusters/{clusterName}/node-groups': 'CreateNodegroup',
  'GET /clusters/{clusterName}/node-groups': 'ListNodegroups',
  'GET /clusters/{clusterName}/node-groups/{nodegroupName}': 'DescribeNodegroup',
  'DELETE /clusters/{clusterName}/node-groups/{nodegroupName}': 'DeleteNodegroup',
  'POST /clusters/{clusterName}/node-groups/{nodegroupName}/update-config': 'UpdateNodegroupConfig',
  'POST /clusters/{clusterName}/node-groups/{nodegroupName}/update-version': 'UpdateNodegroupVersion',
  'GET /clusters/{name}/updates/{updateId}': 'DescribeUpdate',
  'POST /tags/{resourceArn}': 'TagResource',
  'DELETE /tags/{resourceArn}': 'UntagResource',
  'GET /tags/{resourceArn}': 'ListTagsForResource',
};

/** Clusters without a control plane, and node groups without nodes; updates take as long as creations. */
export const eks: Service = {
  name: 'eks',
  protocols: [restProtocol(routes)],
  refusals: {
    ...jsonRefusals,
    failed: () => new AwsProblem('ServerException', 'An internal error has occurred.', { status: 500 }),
  },
  actions: {
    CreateCluster(call) {
      const { params, account, region } = call;
      const name = text(params.name);
      if (!/^[0-9A-Za-z][\w-]{0,99}$/.test(name)) throw invalid('The cluster name is invalid.');
      if (call.collection<Cluster>(clusters).get(name) !== undefined) {
        throw inUse(`Cluster already exists with name: ${name}`);
      }
      const cluster: Cluster = {
        name,
        arn: `arn:aws:eks:${region}:${account.id}:cluster/${name}`,
        version: text(params.version) || usualVersion,
        ...(typeof params.roleArn === 'string' && { roleArn: params.roleArn }),
        ...(typeof params.resourcesVpcConfig === 'object' && {
          resourcesVpcConfig: params.resourcesVpcConfig as object,
        }),
        tags: (params.tags ?? {}) as Cluster['tags'],
      };
      return { cluster: describedCluster(call.collection<Cluster>(clusters).add(name, cluster)) };
    },
    ListClusters: (call) => ({
      clusters: call
        .collection<Cluster>(clusters)
        .allVisible()
        .map(({ id }) => id),
    }),
    DescribeCluster: (call) => ({ cluster: describedCluster(visibleCluster(call, text(call.params.name))) }),
    DeleteCluster(call) {
      const cluster = visibleCluster(call, text(call.params.name));
      const isUsed = groupsOf(call, cluster.id).length > 0;
      if (isUsed) throw inUse('Cluster has nodegroups attached');
      call.collection<Cluster>(clusters).remove(cluster.id);
      return { cluster: { ...describedCluster(cluster), status: 'DELETING' } };
    },

    CreateNodegroup(call) {
      const { params, account, region } = call;
      const request = params as NodeGroupRequest;
      const { item: cluster } = visibleCluster(call, text(params.clusterName));
      const { nodegroupName = '', clientRequestToken } = request;
      const collection = call.collection<NodeGroup>(groups);
      const key = `${cluster.name}/${nodegroupName}`;
      const existing = collection.get(key);
      if (existing !== undefined) {
        const isRepeated =
          clientRequestToken !== undefined && existing.item.clientRequestToken === clientRequestToken;
        if (isRepeated) return { nodegroup: described(call, existing) };
        throw inUse(`NodeGroup already exists with name ${nodegroupName} and cluster name ${cluster.name}`);
      }
      const most = call.quota('nodegroup');
      if (groupsOf(call, cluster.name).length >= most) {
        throw new AwsProblem(
          'ResourceLimitExceededException',
          `Cannot have more than ${most} nodegroups attached to a cluster.`,
        );
      }
      const id = call.newId('ng').slice(3);
      const group = newNodeGroup(request, {
        arn: `arn:aws:eks:${region}:${account.id}:nodegroup/${cluster.name}/${nodegroupName}/${id}`,
        clusterName: cluster.name,
        clusterVersion: cluster.version,
        now: call.now(),
      });
      return { nodegroup: described(call, collection.add(key, group)) };
    },
    ListNodegroups: (call) => ({
      nodegroups: groupsOf(call, visibleCluster(call, text(call.params.clusterName)).id).map(
        ({ item }) => item.nodegroupName,
      ),
    }),
    DescribeNodegroup: (call) => ({ nodegroup: described(call, visibleGroup(call)) }),
    DeleteNodegroup(call) {
      const group = visibleGroup(call);
      call.collection<NodeGroup>(groups).remove(group.id);
      return { nodegroup: { ...described(call, group), status: 'DELETING' } };
    },
    UpdateNodegroupConfig: (call) =>
      update(call, 'ConfigUpdate', (group) => reconfigured(group, call.params as ConfigChange)),
    UpdateNodegroupVersion: (call) =>
      update(call, 'VersionUpdate', (group) =>
        upgraded(group, call.params as VersionChange, visibleCluster(call, group.clusterName).item.version),
      ),
    DescribeUpdate(call) {
      const { name, nodegroupName, updateId } = call.params;
      const group = visibleGroup({ ...call, params: { clusterName: name, nodegroupName } });
      const found = group.item.updates.find(({ id }) => id === updateId);
      if (found === undefined) throw missing(`No update found for ID: ${text(updateId)}`);
      return { update: describedUpdate(call, found) };
    },

    TagResource(call) {
      const tags = newTags(call.params.tags as NodeGroup['tags'] | undefined);
      return retag(call, (had) => ({ ...had, ...tags }));
    },
    UntagResource(call) {
      const keys = [call.params.tagKeys ?? []].flat();
      return retag(call, (had) =>
        Object.fromEntries(Object.entries(had).filter(([key]) => !keys.includes(key))),
      );
    },
    ListTagsForResource: (call) => ({ tags: groupOfArn(call).item.tags }),
  },
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** In AWS every change takes minutes. Here it takes as long as a creation. */
const timeOf = (call: Call) => ({ now: call.now(), updateMs: call.delays.provisioningMs });

function visibleCluster(call: Call, name: string) {
  const cluster = call.collection<Cluster>(clusters).visible(name);
  if (cluster === undefined) throw missing(`No cluster found for name: ${name}.`);
  return cluster;
}

const groupsOf = (call: Call, cluster: string) =>
  call
    .collection<NodeGroup>(groups)
    .allVisible()
    .filter(({ item }) => item.clusterName === cluster);

function visibleGroup(call: Call) {
  const { clusterName, nodegroupName } = call.params;
  const cluster = visibleCluster(call, text(clusterName));
  const group = call.collection<NodeGroup>(groups).visible(`${cluster.id}/${text(nodegroupName)}`);
  if (group === undefined) throw missing(`No node group found for name: ${text(nodegroupName)}.`);
  return group;
}

function groupOfArn(call: Call) {
  const arn = call.params.resourceArn;
  const group = call
    .collection<NodeGroup>(groups)
    .all()
    .find(({ item }) => item.nodegroupArn === arn);
  if (group === undefined)
    throw new AwsProblem('NotFoundException', 'No resource was found.', { status: 404 });
  return group;
}

function retag(call: Call, make: (tags: NodeGroup['tags']) => NodeGroup['tags']): object {
  const { id } = groupOfArn(call);
  call.collection<NodeGroup>(groups).change(id, (group) => ({ ...group, tags: make(group.tags) }));
  return {};
}

function update(call: Call, type: Update['type'], make: (group: NodeGroup) => NodeGroup): object {
  const { id } = visibleGroup(call);
  const collection = call.collection<NodeGroup>(groups);
  const group = collection.get(id);
  if (group === undefined) throw missing(`No node group found for name: ${text(call.params.nodegroupName)}.`);
  const state = stateOf(group, timeOf(call));
  if (state !== 'ACTIVE') {
    throw inUse(`Nodegroup cannot be updated as it is currently not in Active State (${state})`);
  }
  const changed = make(group.item);
  const begun: Update = { id: call.newId('update').slice(7), type, startedAtMs: call.now() };
  collection.change(id, () => ({
    ...changed,
    updates: [...group.item.updates, begun],
    changedAtMs: call.now(),
  }));
  return { update: describedUpdate(call, begun) };
}

const describedUpdate = (call: Call, { failure, startedAtMs, ...update }: Update) => ({
  ...update,
  status: stateOfUpdate({ ...update, startedAtMs, ...(failure && { failure }) }, timeOf(call)),
  createdAt: startedAtMs / 1_000,
  params: [],
  errors: failure === undefined ? [] : [failure],
});

/** A node group as EKS tells of it. */
function described(call: Call, group: Parameters<typeof stateOf>[0]): object {
  const { updates: _updates, clientRequestToken: _token, failure, changedAtMs, ...item } = group.item;
  return {
    ...item,
    status: stateOf(group, timeOf(call)),
    health: { issues: failure === undefined ? [] : [failure] },
    resources: {
      autoScalingGroups: [{ name: `eks-${item.nodegroupName}-${item.nodegroupArn.split('/').at(-1)}` }],
    },
    createdAt: group.createdAtMs / 1_000,
    modifiedAt: changedAtMs / 1_000,
  };
}

const describedCluster = ({
  item,
  phase,
  createdAtMs,
}: {
  item: Cluster;
  phase: string;
  createdAtMs: number;
}) => ({
  ...item,
  status: phase === 'creating' ? 'CREATING' : phase === 'available' ? 'ACTIVE' : 'DELETING',
  createdAt: createdAtMs / 1_000,
});

const missing = (message: string): AwsProblem =>
  new AwsProblem('ResourceNotFoundException', message, { status: 404 });
const inUse = (message: string): AwsProblem =>
  new AwsProblem('ResourceInUseException', message, { status: 409 });
