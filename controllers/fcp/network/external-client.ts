import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { available, creating, deleting, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { Network } from '../../../apis/fcp/v1alpha3/network.ts';
import type { CloudNetwork, FavouriteCloudClient, NetworkChange } from '../../../clients/favourite-cloud.ts';
import { ownershipOf, ownerTags } from '../../../clients/ownership-tags.ts';
import { claimCandidate, ownerOf } from '../../cloud/ownership.ts';
import type { ExternalClient } from '../../core/managed/external-client.ts';

/** Networks in Favourite Cloud, whose external names are the ids that the cloud assigns. */
export function networkClient({ networks }: Pick<FavouriteCloudClient, 'networks'>): ExternalClient<Network> {
  return {
    async observe(managed, _known, signal) {
      const id = externalName(managed);
      const network = id === undefined ? undefined : await networks.get(id, signal);
      if (network === undefined || claim(managed, network) === 'notOurs') {
        return { exists: false, isUpToDate: false };
      }
      const differing = [...Object.keys(changeOf(managed, network)), ...immutableIn(managed, network)];
      return {
        exists: true,
        isUpToDate: network.status !== 'ONLINE' || differing.length === 0,
        ready: readyOf(network),
        status: { id: network.id, status: network.status },
        ...(differing.length === 0 ? {} : { difference: differing.join(', ') }),
      };
    },

    async create(managed, _known, signal) {
      const { displayName, cidr } = { ...managed.spec.initProvider, ...managed.spec.forProvider };
      const created = await networks.create(
        {
          tags: ownerTags(ownerOf(managed)),
          ...(displayName === undefined ? {} : { display_name: displayName }),
          ...(cidr === undefined ? {} : { cidr }),
        },
        signal,
      );
      return { externalName: created.id };
    },

    async update(managed, _known, signal) {
      const id = externalName(managed) ?? '';
      const network = await networks.get(id, signal);
      if (network === undefined) throw new Error(`network "${id}" does not exist any more`);
      claim(managed, network);
      const change = changeOf(managed, network);
      if (Object.keys(change).length > 0) await networks.update(id, change, signal);
      const [immutable] = immutableIn(managed, network);
      if (immutable !== undefined) {
        throw new Error(
          `cannot change ${immutable}: immutable in the cloud; set it back, or create a new resource`,
        );
      }
      return {};
    },

    async delete(managed, signal) {
      const id = externalName(managed);
      if (id !== undefined) await networks.delete(id, signal);
    },
  };
}

const claim = (managed: Network, { id, tags }: CloudNetwork): 'ours' | 'notOurs' =>
  claimCandidate(managed, { what: `network "${id}"`, tags, isKnown: true });

function changeOf(managed: Network, network: CloudNetwork): NetworkChange {
  const { displayName } = managed.spec.forProvider;
  const owner = ownerOf(managed);
  return {
    ...(displayName === undefined || displayName === network.display_name
      ? {}
      : { display_name: displayName }),
    ...(ownershipOf(network.tags, owner) === 'ours'
      ? {}
      : { tags: { ...network.tags, ...ownerTags(owner) } }),
  };
}

function immutableIn({ spec }: Network, network: CloudNetwork): readonly string[] {
  const { cidr } = spec.forProvider;
  return cidr === undefined || cidr === network.cidr
    ? []
    : [`spec.forProvider.cidr from "${network.cidr}" to "${cidr}"`];
}

function readyOf({ status }: CloudNetwork): ConditionFacts {
  switch (status) {
    case 'ONLINE':
      return available();
    case 'CREATING':
      return creating();
    case 'DELETING':
      return deleting();
    default:
      return unavailable(`the network is ${status}`);
  }
}
