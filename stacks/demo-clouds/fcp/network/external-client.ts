import { isUncertain } from '../../../../package/http.ts';
import type { ExternalClient } from '../../../../package/stack.ts';
import {
  Ambiguous,
  annotationKeys,
  checkOwnership,
  externalName,
  nothingOf,
  ownerOf,
  ownershipOf,
  refuse,
  UncertainCreationError,
  wasDeleted,
} from '../../../../package/stack.ts';
import type { CloudNetwork, FavouriteCloudClient } from '../../client/favourite-cloud.ts';
import type { Network } from '../../kinds/fcp/v1alpha3/network.ts';
import { differenceOf, newNetwork, observationOf } from './desired-state.ts';

/**
 * Networks in Favourite Cloud, whose external names are the ids that the cloud assigns.
 *
 * The cloud lists networks with their tags, so `create` first looks for one of ours: a second attempt never creates a
 * second network. That costs one list for each creation. If the answer to a creation is lost, the network is looked
 * for. If it is not found, a user has to decide, because it may appear later. A network from such a creation is deleted
 * with the managed resource.
 */
export function networkClient({ networks }: Pick<FavouriteCloudClient, 'networks'>): ExternalClient<Network> {
  return {
    async observe(managed, _credential, signal) {
      const network = await find(managed, signal);
      if (network === undefined || claim(managed, network) === 'notOurs') {
        return nothingOf(managed, 'network', () => findOurs(managed, signal));
      }
      return observationOf(managed, network);
    },

    async create(managed, _credential, signal) {
      const id = await findOurs(managed, signal);
      if (id !== undefined) return { externalName: id }; // guard: otherwise it creates a second network after a lost answer
      try {
        return { externalName: (await networks.create(newNetwork(managed), signal)).id };
      } catch (error) {
        if (!isUncertain(error)) throw error;
        const created = await findOurs(managed, signal).catch(() => undefined);
        if (created !== undefined) return { externalName: created };
        throw new UncertainCreationError((error as Error).message, { cause: error });
      }
    },

    async update(managed, _credential, signal) {
      const id = externalName(managed) ?? '';
      const network = await networks.get(id, signal);
      if (network === undefined) throw new Error(`network "${id}" does not exist any more`);
      claim(managed, network);
      const { change, refused, drifted } = differenceOf(managed, network);
      if (Object.keys(change).length > 0) await networks.update(id, change, signal);
      refuse({ refused, drifted });
      return {};
    },

    async delete(managed, signal) {
      // The owner may have changed since the observation.
      const network = await find(managed, signal);
      // guard: otherwise it deletes another owner's network
      if (network !== undefined && claim(managed, network) === 'ours') {
        await networks.delete(network.id, signal);
      }
    },
  };

  /**
   * The network of the recorded id. A managed resource that is being deleted and has no id may have crashed during its
   * creation. Then the network with our tags is used; otherwise it would never be deleted.
   */
  async function find(managed: Network, signal: AbortSignal): Promise<CloudNetwork | undefined> {
    const id = externalName(managed);
    if (id !== undefined) return networks.get(id, signal);
    const wasBegun = managed.metadata.annotations?.[annotationKeys.externalIdentity] !== undefined;
    if (!wasDeleted(managed) || !wasBegun) return undefined;
    const left = await tagged(managed, signal);
    return left.find(isStaying) ?? left[0];
  }

  /** The id of the network with our tags; networks that are being deleted do not count. */
  async function findOurs(managed: Network, signal: AbortSignal): Promise<string | undefined> {
    const ours = (await tagged(managed, signal)).filter(isStaying).map(({ id }) => id);
    if (ours.length > 1) throw new Ambiguous(managed, 'network', ours);
    return ours[0];
  }

  async function tagged(managed: Network, signal: AbortSignal): Promise<readonly CloudNetwork[]> {
    const owner = ownerOf(managed);
    return (await networks.list(signal)).filter(({ tags }) => ownershipOf(tags, owner) === 'ours');
  }
}

const isStaying = ({ status }: CloudNetwork): boolean => status !== 'DELETING';

const claim = (managed: Network, { id, tags }: CloudNetwork): 'ours' | 'notOurs' =>
  checkOwnership(managed, { what: `network "${id}"`, tags, isKnown: true });
