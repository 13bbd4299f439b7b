import { inventoryFile, startLoopbackServer, withControls } from '../../../package/testing.ts';
import type { GoogleCloud, GoogleCloudOptions, SavedInventory } from './cloud.ts';
import { createGoogleCloud } from './cloud.ts';
import { controlsOf } from './control.ts';
import type { RedisServers } from './memorystore/redis-backend.ts';

export interface LocalGoogleCloudOptions extends Omit<GoogleCloudOptions, 'origin' | 'backend'> {
  /** Default: a free one. */
  readonly port?: number;
  /** A file with its inventory, including AUTH strings, for the next start. Default: the inventory is only in memory. */
  readonly dataFile?: string;
  /** The Redis servers behind the instances; default: nothing is behind them. They end with the cloud. */
  readonly redis?: RedisServers;
}

/** A running cloud. */
export interface LocalGoogleCloud extends Omit<GoogleCloud, 'answer'> {
  /** Where all its APIs are, and its token endpoint. */
  readonly url: string;
  /** Ends all connections, and every Redis. Idempotent. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const isSaved = (json: object): boolean =>
  Array.isArray((json as SavedInventory).accounts) && Object.hasOwn(json, 'memorystore');

/** Serves Google Cloud's APIs (see `createGoogleCloud`) on loopback, all on one port. Rejects if the port is taken or the file is of no use. */
export async function startGoogleCloud(options: LocalGoogleCloudOptions = {}): Promise<LocalGoogleCloud> {
  const { dataFile, port, redis } = options;
  const cloud = createGoogleCloud({
    ...options,
    origin: () => server.url,
    ...(redis !== undefined && { backend: redis }),
    ...(dataFile !== undefined && inventoryFile<SavedInventory>(dataFile, { isSaved })),
  });
  const server = await startLoopbackServer({
    port,
    answer: withControls(cloud.answer, controlsOf(cloud)),
  });
  const { answer: _door, ...inside } = cloud;
  const stop = async (): Promise<void> => {
    await server.stop();
    await redis?.stop();
  };
  return { ...inside, url: server.url, stop, [Symbol.asyncDispose]: stop };
}
