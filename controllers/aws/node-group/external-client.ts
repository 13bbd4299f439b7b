import type { NodeGroup } from '../../../apis/aws/eks/v1beta1/node-group.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { AwsClient } from '../../../clients/aws/aws-client.ts';
import type { CloudNodeGroup, NodeGroups } from '../../../clients/aws/eks/node-groups.ts';
import { eksNodeGroups, isNameTaken } from '../../../clients/aws/eks/node-groups.ts';
import { refuse } from '../../author/comparison.ts';
import { ownerOf, whoseIs } from '../../author/whose-is.ts';
import type { ExternalClient, Progress } from '../../core/managed/connecting/external-client.ts';
import { differenceOf, newNodeGroup, observationOf } from './desired-state.ts';

/** What EKS takes for a name. */
export const nodeGroupNames = { maxLength: 63, pattern: /[A-Za-z0-9][A-Za-z0-9_-]*/ };

/**
 * Node groups of EKS clusters. They are named by us, within their cluster, and EKS refuses a second one of a name. It
 * creates and deletes them by itself, which its state tells of; an update has an id, by which it is asked how that goes.
 */
export function nodeGroupClient(aws: AwsClient): ExternalClient<NodeGroup> {
  /** Undefined: no cluster is named, so that there is nothing either. */
  const groupsOf = ({ spec: { forProvider } }: NodeGroup): NodeGroups | undefined => {
    const { region, clusterName: cluster } = forProvider;
    return cluster === undefined ? undefined : eksNodeGroups({ aws, region, cluster });
  };
  /** The node group, if it is ours; throws as `whoseIs` does. */
  const find = async (managed: NodeGroup, signal: AbortSignal): Promise<CloudNodeGroup | undefined> => {
    const group = await groupsOf(managed)?.get(nameOf(managed), signal);
    return group !== undefined && claim(managed, group) === 'ours' ? group : undefined;
  };

  return {
    async observe(managed, _credential, signal) {
      const group = await find(managed, signal);
      return group === undefined ? { exists: false, isUpToDate: false } : observationOf(managed, group);
    },

    async create(managed, _credential, signal) {
      const groups = groupsOf(managed);
      if (groups === undefined)
        throw new Error('spec.forProvider.clusterName must be given to create a node group');
      const wanted = newNodeGroup(managed);
      try {
        await groups.create(nameOf(managed), wanted, signal);
      } catch (error) {
        if (!isNameTaken(error)) throw error;
        // From an attempt whose answer was lost; or somebody else's, and then this throws.
        if ((await find(managed, signal)) === undefined) throw error;
      }
      return {};
    },

    async update(managed, _credential, signal) {
      const groups = groupsOf(managed);
      const group = await find(managed, signal);
      const name = nameOf(managed);
      if (groups === undefined || group === undefined) {
        throw new Error(`node group "${name}" does not exist any more`);
      }
      const { config, version, tags, refused, drifted } = differenceOf(managed, group);
      const { arn } = group;
      if (tags !== undefined && arn !== undefined) {
        if (Object.keys(tags.set).length > 0) await groups.tag(arn, tags.set, signal);
        if (tags.remove.length > 0) await groups.untag(arn, tags.remove, signal);
      }
      // One at a time: EKS refuses another until the first has ended.
      const id =
        config !== undefined
          ? await groups.changeConfig(name, config, signal)
          : version !== undefined
            ? await groups.changeVersion(name, version, signal)
            : undefined;
      if (id !== undefined) return { operation: operationName(managed, id) };
      refuse({ refused, drifted });
      return {};
    },

    async delete(managed, signal) {
      // Since it was observed it may have become somebody else's.
      if ((await find(managed, signal)) !== undefined)
        await groupsOf(managed)?.delete(nameOf(managed), signal);
    },

    async poll(operation, signal) {
      const [region, cluster = '', name = '', id = ''] = operation.split('/');
      const groups = eksNodeGroups({ aws, region: region || undefined, cluster });
      const update = await groups.getUpdate(name, id, signal);
      return progressOf(update);
    },
  };
}

/** `us-west-1/cluster/node-group/id`: no part of it can have a slash. Without a region it begins with one. */
const operationName = (managed: NodeGroup, id: string): string => {
  const { region = '', clusterName = '' } = managed.spec.forProvider;
  return [region, clusterName, nameOf(managed), id].join('/');
};

/** How an update is going; undefined: EKS knows none of that id. */
function progressOf(
  update: { readonly status: string; readonly errors: readonly string[] } | undefined,
): Progress<NodeGroup> {
  if (update === undefined) return { state: 'unknown' };
  const { status, errors } = update;
  switch (status) {
    case 'Successful':
      return { state: 'done' };
    case 'Failed':
    case 'Cancelled': {
      const why = errors.length === 0 ? '' : `: ${errors.join('; ')}`;
      return { state: 'failed', error: new Error(`EKS tells of the update: ${status}${why}`) };
    }
    default:
      return { state: 'running' };
  }
}

const nameOf = (managed: NodeGroup): string => externalName(managed) ?? managed.metadata.name;

/** What has our tags is ours; so is what was seen before, whoever took its tags away. */
const claim = (managed: NodeGroup, { name, arn, tags }: CloudNodeGroup): 'ours' | 'notOurs' =>
  whoseIs(
    managed,
    {
      what: `node group "${name}"`,
      tags,
      isKnown: arn !== undefined && managed.status?.atProvider?.arn === arn,
    },
    ownerOf(managed),
  );
