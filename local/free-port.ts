import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems give to those that connect: Linux from 32768 on, others from 49152 on. */
const [first, afterLast] = [10_240, 32_768];

/**
 * A port of loopback that nobody has taken at this moment, and that no connection is given by chance: a server that is
 * started again might find its own taken by one, even by that of a client that asked for it meanwhile, and so reached itself.
 * Rejects where a hundred are taken.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    const port = randomInt(first, afterLast);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port among those from ${first} to ${afterLast - 1}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/**
 * Starts a server at a port: the wanted one, or else a free one, and another, up to five, if somebody took that
 * meanwhile. Rejects with what `start` does.
 */
export async function startAtPort<T>(
  wanted: number | undefined,
  start: (port: number) => Promise<T>,
  findFree: () => Promise<number> = freePort,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(wanted ?? (await findFree()));
    } catch (error) {
      const isTaken = /Address already in use/.test(String(error));
      if (wanted !== undefined || attempt === 5 || !isTaken) throw error;
    }
  }
}
