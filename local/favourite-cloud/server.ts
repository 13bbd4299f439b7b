import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { estateFile } from '../estate-file.ts';
import type { Cloud, CloudOptions } from './cloud.ts';
import { createCloud } from './cloud.ts';
import type { SavedEstate } from './estate.ts';
import { Problem } from './problem.ts';

export interface FavouriteCloudOptions extends CloudOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** A file in which it keeps what it holds, passwords included, beyond its end; default: nowhere. */
  readonly dataFile?: string;
}

/** A running cloud. */
export interface FavouriteCloud extends Omit<Cloud, 'answer'> {
  readonly url: string;
  /** Ends all connections. Idempotent. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const maxBodyBytes = 1_000_000;

/** Serves a cloud's HTTP API (see `createCloud`) on loopback. Rejects if the port is taken. */
export async function startFavouriteCloud(options: FavouriteCloudOptions = {}): Promise<FavouriteCloud> {
  const { dataFile } = options;
  const { answer, ...inside } = createCloud({
    ...options,
    ...(dataFile !== undefined && estateFile<SavedEstate>(dataFile)),
  });
  const server = createServer((request, response) => void serve(request, response));
  // Clients keep connections for later; the default of 5 s closes them under the feet of the next request.
  server.keepAliveTimeout = 60_000;
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let stopped: Promise<unknown> | undefined;
  const stop = async (): Promise<void> => {
    if (stopped === undefined) {
      stopped = once(server, 'close');
      server.close();
      server.closeAllConnections();
    }
    await stopped;
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await answer({
      method: request.method ?? 'GET',
      target: request.url ?? '/',
      authorization: request.headers.authorization,
      body: () => bodyOf(request),
    });
    if (reply === 'never' || response.destroyed) return;
    if (reply === 'cut') return void request.socket.destroy();
    const { status, headers, text } = reply;
    const length = text === '' ? {} : { 'content-length': Buffer.byteLength(text) };
    response.writeHead(status, { ...headers, ...length }).end(text);
  }

  return { ...inside, url: `http://127.0.0.1:${port}`, stop, [Symbol.asyncDispose]: stop };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Problem(413, 'TooLarge', `the body is over ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Problem(400, 'BadRequest', 'the body is not UTF-8');
  }
}
