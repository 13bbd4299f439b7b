import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems assign to connections: Linux from 32768 on, others from 49152 on. */
const [first, afterLast] = [10_240, 32_768];

/**
 * A free port of loopback, outside of the range that the system assigns to connections. A server that restarts could find
 * a port of that range in use by a connection, even by a connection of its own client to itself. Rejects if a hundred ports
 * are in use.
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
 * Starts a server at the wanted port, or at a free one. If another program takes the free port first, tries up to five
 * ports. Rejects with the error of `start`.
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
      const isTaken = /Address already in use/i.test(String(error));
      if (wanted !== undefined || attempt === 5 || !isTaken) throw error;
    }
  }
}
