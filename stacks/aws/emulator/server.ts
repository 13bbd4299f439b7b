import isPlainObject from 'lodash/isPlainObject.js';
import {
  faultControls,
  inventoryFile,
  oneOf,
  startLoopbackServer,
  text,
  withControls,
} from '../../../package/testing.ts';
import type { Aws, AwsOptions } from './aws.ts';
import { createAws } from './aws.ts';
import type { SavedInventory } from './inventory.ts';
import { savedField } from './inventory.ts';
import { patternsOf } from './services.ts';

export interface LocalAwsOptions extends AwsOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** A file with its inventory, including passwords, for the next start. Default: the inventory is only in memory. */
  readonly dataFile?: string;
}

/** A running cloud. */
export interface LocalAws extends Omit<Aws, 'answer'> {
  readonly url: string;
  /** Ends all connections, and what stands behind its things. Idempotent. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const isSaved = (json: object): boolean =>
  Object.values(json).every(
    (one) => isPlainObject(one) && ['delays', savedField].every((name) => Object.hasOwn(one as object, name)),
  );

/** Serves AWS's API (see `createAws`) on loopback: all services on one port. Rejects if the port is taken or the file is of no use. */
export async function startAws(options: LocalAwsOptions = {}): Promise<LocalAws> {
  const { dataFile } = options;
  const { answer, ...inside } = createAws({
    ...options,
    ...(dataFile !== undefined && inventoryFile<SavedInventory>(dataFile, { isSaved })),
  });
  const server = await startLoopbackServer({
    port: options.port,
    answer: withControls(
      answer,
      faultControls(inside, { action: oneOf(patternsOf(inside.actions)), code: text, message: text }),
    ),
  });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= server.stop().then(inside.stop);
    return stopped;
  };
  return { ...inside, url: server.url, stop, [Symbol.asyncDispose]: stop };
}
