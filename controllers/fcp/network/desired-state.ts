import type { Network } from '../../../apis/fcp/v1alpha3/network.ts';
import type { CloudNetwork, NetworkChange, NewNetwork } from '../../../clients/favourite-cloud.ts';
import { favouriteCloudStates as cloudStates } from '../../../clients/favourite-cloud.ts';
import { ownerTags, retagged } from '../../../clients/ownership-tags.ts';
import { meaningOf } from '../../author/cloud-state.ts';
import { lateInitialisation } from '../../author/late-initialisation.ts';
import { ownerOf } from '../../author/whose-is.ts';
import type { Observation } from '../../core/managed/external-client.ts';

/** The network a managed resource asks for; initProvider counts here and never again. */
export function newNetwork(managed: Network): NewNetwork {
  const { displayName, cidr } = { ...managed.spec.initProvider, ...managed.spec.forProvider };
  return {
    tags: ownerTags(ownerOf(managed)),
    ...(displayName === undefined ? {} : { display_name: displayName }),
    ...(cidr === undefined ? {} : { cidr }),
  };
}

/** What to change about a network that is ours. */
export function changeOf(managed: Network, network: CloudNetwork): NetworkChange {
  const { displayName } = managed.spec.forProvider;
  const change =
    displayName === undefined || displayName === network.display_name ? {} : { display_name: displayName };
  const tags = retagged(network.tags, ownerOf(managed), Object.keys(change).length > 0);
  return { ...change, ...(tags && { tags }) };
}

/** What would have to change but cannot: fields of forProvider, with what they are and should be. */
export function immutableIn({ spec }: Network, network: CloudNetwork): readonly string[] {
  const { cidr } = spec.forProvider;
  return cidr === undefined || cidr === network.cidr
    ? []
    : [`spec.forProvider.cidr from "${network.cidr}" to "${cidr}"`];
}

/** What to report about a network that may be observed. */
export function observationOf(managed: Network, network: CloudNetwork): Observation {
  const differing = [...Object.keys(changeOf(managed, network)), ...immutableIn(managed, network)];
  return {
    exists: true,
    isUpToDate: network.status !== cloudStates.online || differing.length === 0,
    ...meaningOf(network.status, cloudStates, 'network'),
    ...lateInitialisation(managed, {
      displayName: network.display_name || undefined,
      cidr: network.cidr,
    }),
    status: { id: network.id, status: network.status },
    ...(differing.length === 0 ? {} : { difference: differing.join(', ') }),
  };
}
