import { inventoryFile } from '../emulators/inventory-file.ts';
import type { LoopbackServer } from '../emulators/loopback-server.ts';
import { startLoopbackServer } from '../emulators/loopback-server.ts';
import type { Cloud, CloudOptions } from './cloud.ts';
import { createCloud } from './cloud.ts';
import type { SavedInventory } from './inventory.ts';

export interface FavouriteCloudOptions extends CloudOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** A file with its inventory, including passwords, for the next start. Default: the inventory is only in memory. */
  readonly dataFile?: string;
}

/** A running cloud. */
export interface FavouriteCloud extends Omit<Cloud, 'answer'>, LoopbackServer {
  [Symbol.asyncDispose](): Promise<void>;
}

const isSaved = (json: object): boolean => Array.isArray((json as SavedInventory).instances);

/** Serves a cloud's HTTP API (see `createCloud`) on loopback. Rejects if the port is in use or the file cannot be used. */
export async function startFavouriteCloud(options: FavouriteCloudOptions = {}): Promise<FavouriteCloud> {
  const { dataFile, port } = options;
  const { answer, ...inside } = createCloud({
    ...options,
    ...(dataFile !== undefined && inventoryFile<SavedInventory>(dataFile, { isSaved })),
  });
  const server = await startLoopbackServer({ port, answer });
  return { ...inside, ...server, [Symbol.asyncDispose]: server.stop };
}
