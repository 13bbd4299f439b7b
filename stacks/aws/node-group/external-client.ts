import omit from 'lodash/omit.js';
import { existsUnshown } from '../../../package/http.ts';
import type { ExternalClient } from '../../../package/stack.ts';
import { checkOwnership, nameOf, neededFields, ownerOf, refuse } from '../../../package/stack.ts';
import type { AwsClient } from '../client/aws-client.ts';
import type { CloudNodeGroup, NodeGroups } from '../client/eks/node-groups.ts';
import { eksNodeGroups, isNameTaken } from '../client/eks/node-groups.ts';
import { countedTags } from '../client/tag-limit.ts';
import type { NodeGroup } from '../kinds/eks/v1beta1/node-group.ts';
import { differenceOf, newNodeGroup, observationOf } from './desired-state.ts';
import { progressOf } from './update-progress.ts';

/** The pattern of a node group's name in EKS. */
export const nodeGroupNames = { maxLength: 63, pattern: /[A-Za-z0-9][A-Za-z0-9_-]*/ };

/**
 * Node groups of EKS clusters. We choose their names within their cluster, and EKS refuses a second one of a name.
 * Creation and deletion continue on their own, and the state shows them. An update has an id, and its progress is read
 * by this id.
 */
export function nodeGroupClient(aws: AwsClient): ExternalClient<NodeGroup> {
  /** Undefined: no cluster is named, so nothing can exist. */
  const groupsOf = ({ spec: { forProvider } }: NodeGroup): NodeGroups | undefined => {
    const { region, clusterName: cluster } = forProvider;
    return cluster === undefined ? undefined : eksNodeGroups({ aws, region, cluster });
  };
  /** The node group, if we own it; throws like `checkOwnership`. */
  const find = async (managed: NodeGroup, signal: AbortSignal): Promise<CloudNodeGroup | undefined> => {
    const group = await groupsOf(managed)?.get(nameOf(managed), signal);
    // guard: otherwise it adopts another owner's node group
    return group !== undefined && claim(managed, group) === 'ours' ? group : undefined;
  };

  return {
    async observe(managed, _credential, signal) {
      const group = await find(managed, signal);
      return group === undefined ? { exists: false, isUpToDate: false } : observationOf(managed, group);
    },

    async create(managed, _credential, signal) {
      const groups = groupsOf(managed);
      if (groups === undefined) throw neededFields(['clusterName'], 'node group');
      const wanted = newNodeGroup(managed);
      try {
        await groups.create(nameOf(managed), wanted, signal);
      } catch (error) {
        if (!isNameTaken(error)) throw error;
        // It exists from an attempt whose answer was lost. Or it has another owner, and then this throws.
        // guard: otherwise it adopts a node group that EKS does not show
        if ((await find(managed, signal)) === undefined) throw existsUnshown(error);
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
        countedTags({ ...omit(group.tags, tags.remove), ...tags.set });
        if (Object.keys(tags.set).length > 0) await groups.tag(arn, tags.set, signal);
        if (tags.remove.length > 0) await groups.untag(arn, tags.remove, signal);
      }
      // One update at a time: EKS refuses another one before the first ends.
      const id =
        config !== undefined
          ? await groups.changeConfig(name, config, signal)
          : version !== undefined
            ? await groups.changeVersion(name, version, signal)
            : undefined;
      // guard: otherwise the end of an update is not noticed
      if (id !== undefined) return { operation: operationName(managed, id) };
      refuse({ refused, drifted });
      return {};
    },

    async delete(managed, signal) {
      // The owner may have changed since the observation.
      if ((await find(managed, signal)) !== undefined)
        // guard: otherwise it deletes a node group that has a new owner
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

/** `us-west-1/cluster/node-group/id`: no part can contain a slash. Without a region it begins with a slash. */
const operationName = (managed: NodeGroup, id: string): string => {
  const { region = '', clusterName = '' } = managed.spec.forProvider;
  return [region, clusterName, nameOf(managed), id].join('/');
};

/**
 * We own a node group with our tags. We also own one that this managed resource observed before, even if its tags were
 * removed.
 */
const claim = (managed: NodeGroup, { name, arn, tags }: CloudNodeGroup): 'ours' | 'notOurs' =>
  checkOwnership(
    managed,
    {
      what: `node group "${name}"`,
      tags,
      isKnown: arn !== undefined && managed.status?.atProvider?.arn === arn,
    },
    ownerOf(managed),
  );
