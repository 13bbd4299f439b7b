import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port of loopback that nobody has taken at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/**
 * Starts a server at a port: the wanted one, or else a free one, and another, up to five, if somebody took that
 * meanwhile. Rejects with what `start` does.
 */
export async function startAtPort<T>(
  wanted: number | undefined,
  start: (port: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(wanted ?? (await freePort()));
    } catch (error) {
      const isTaken = /Address already in use/.test(String(error));
      if (wanted !== undefined || attempt === 5 || !isTaken) throw error;
    }
  }
}
