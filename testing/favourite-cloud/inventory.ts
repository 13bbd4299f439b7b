import type { Collection, CollectionOptions, SavedCollection } from './collection.ts';
import { createCollection } from './collection.ts';
import { conflict, invalid } from './problem.ts';

/** One database, as both flavours of the cloud keep it. */
export interface StoredInstance {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  /** Fanciness in one flavour, ambivalence in the other. */
  readonly level: number;
  readonly version: string;
  readonly hostname: string;
  readonly port: number;
  readonly username: string;
  /** Accepted, never given out. */
  readonly password: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly networkId?: string;
}

export interface StoredNetwork {
  readonly id: string;
  readonly displayName: string;
  readonly cidr: string;
  readonly tags: Readonly<Record<string, string>>;
}

type NewInstance = Omit<StoredInstance, 'id' | 'uuid' | 'hostname' | 'port' | 'username'>;

/** All resources of the cloud, and the rules between them. */
export interface Inventory {
  readonly instances: Collection<StoredInstance>;
  readonly networks: Collection<StoredNetwork>;
  /** Throws 409 if the name is in use, 422 for a network that does not exist. */
  createInstance(wanted: NewInstance): ReturnType<Collection<StoredInstance>['add']>;
  /** Throws 404 for an instance, 422 for a network that is not there, or if the instance is in another one. */
  requireJoinable(name: string, networkId: string): void;
  createNetwork(wanted: Omit<StoredNetwork, 'id'>): ReturnType<Collection<StoredNetwork>['add']>;
  /** Throws 409 while an instance is in it. */
  deleteNetwork(id: string): ReturnType<Collection<StoredNetwork>['remove']>;
  /** The whole inventory, for a later process. */
  saved(): SavedInventory;
}

/** A whole inventory, as JSON. */
export interface SavedInventory {
  readonly instances: SavedCollection<StoredInstance>;
  readonly networks: SavedCollection<StoredNetwork>;
  /** The last number that was given out. */
  readonly lastInstance: number;
  readonly lastNetwork: number;
}

export interface InventoryOptions extends Omit<CollectionOptions, 'noun'> {
  /** The noun for an instance in messages: `instance`, `database`. */
  readonly noun: string;
  /** The end of every hostname: `fcp.example.org`. */
  readonly domain: string;
  readonly newId: () => string;
}

/** An empty inventory, or a saved one. */
export function createInventory(options: InventoryOptions, saved?: SavedInventory): Inventory {
  const { domain, newId } = options;
  const instances = createCollection<StoredInstance>(options, saved?.instances);
  const networks = createCollection<StoredNetwork>({ ...options, noun: 'network' }, saved?.networks);
  let { lastInstance, lastNetwork } = saved ?? { lastInstance: 0, lastNetwork: 0 };

  return {
    instances,
    networks,
    createInstance(wanted) {
      if (wanted.networkId !== undefined) requireNetwork(wanted.networkId);
      const id = lastInstance + 1;
      const created = instances.add(wanted.name, {
        ...wanted,
        id,
        uuid: newId(),
        // A name with dots or of more than 63 characters is no label of a hostname.
        hostname: `${/^[a-z0-9-]{1,63}$/.test(wanted.name) ? wanted.name : `db-${id}`}.${domain}`,
        port: 3306,
        username: 'admin',
      });
      lastInstance = id;
      return created;
    },
    requireJoinable(name, networkId) {
      const { item } = instances.require(name);
      if ((item.networkId ?? networkId) !== networkId) {
        throw invalid('network_id', `cannot be changed: the instance is in "${item.networkId}"`);
      }
      requireNetwork(networkId);
    },
    createNetwork(wanted) {
      lastNetwork += 1;
      const id = `net-${String(lastNetwork).padStart(6, '0')}`;
      return networks.add(id, { ...wanted, id });
    },
    deleteNetwork(id) {
      const user = instances.all().find(({ item }) => item.networkId === id);
      if (user !== undefined) throw conflict('InUse', `network "${id}" is used by "${user.item.name}"`);
      return networks.remove(id);
    },
    saved: () => ({
      instances: instances.saved(),
      networks: networks.saved(),
      lastInstance,
      lastNetwork,
    }),
  };

  function requireNetwork(id: string): void {
    try {
      networks.require(id);
    } catch {
      throw invalid('network_id', `names no network: "${id}" does not exist`);
    }
  }
}
