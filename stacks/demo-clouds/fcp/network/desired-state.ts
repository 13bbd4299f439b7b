import type { Observation } from '../../../../package/stack.ts';
import {
  comparison,
  meaningOf,
  notNow,
  observing,
  ownerOf,
  ownerTags,
  retagged,
} from '../../../../package/stack.ts';
import type { CloudNetwork, NetworkChange, NewNetwork } from '../../client/favourite-cloud.ts';
import { favouriteCloudStates as cloudStates } from '../../client/favourite-cloud.ts';
import type { Network } from '../../kinds/fcp/v1alpha3/network.ts';
import { NetworkKind } from '../../kinds/fcp/v1alpha3/network.ts';

/** The network that a managed resource asks for. Only here initProvider counts. */
export function newNetwork(managed: Network): NewNetwork {
  const { displayName, cidr } = { ...managed.spec.initProvider, ...managed.spec.forProvider };
  return {
    tags: ownerTags(ownerOf(managed)),
    ...(displayName === undefined ? {} : { display_name: displayName }),
    ...(cidr === undefined ? {} : { cidr }),
  };
}

const compareNetwork = comparison(NetworkKind);

/** The differences of a network that we own. */
export function differenceOf(managed: Network, network: CloudNetwork) {
  const compared = compareNetwork(managed, {
    displayName: network.display_name || undefined,
    cidr: network.cidr,
  });
  const { displayName } = compared.change;
  const change = displayName === undefined ? {} : { display_name: displayName };
  const tags = retagged(network.tags, ownerOf(managed), Object.keys(change).length > 0);
  return { ...compared, change: { ...change, ...(tags && { tags }) } satisfies NetworkChange };
}

/** The observation of a network. */
export function observationOf(managed: Network, network: CloudNetwork): Observation<Network> {
  const { change, ...compared } = differenceOf(managed, network);
  const meaning = meaningOf(network.status, cloudStates, 'network');
  return {
    ...(network.status === cloudStates.online
      ? observing(compared, Object.keys(change))
      : notNow(compared, meaning, 'network')),
    exists: true,
    ...meaning,
    status: { id: network.id, status: network.status },
  };
}
