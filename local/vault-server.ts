import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Vault, VaultRefusal } from './vault.ts';

const maxBodyBytes = 1_000_000;

/** A Vault (see there) that is served on loopback. */
export class VaultServer extends Vault {
  #server: Server | undefined;

  async start(port = 0): Promise<this> {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  get url(): string {
    const { port } = (this.#server?.address() ?? { port: 0 }) as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, text } = await this.answer({
      method: request.method ?? 'GET',
      target: request.url ?? '/',
      token: request.headers['x-vault-token']?.toString(),
      body: () => bodyOf(request),
    });
    response.writeHead(status, text === '' ? {} : { 'content-type': 'application/json' }).end(text);
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new VaultRefusal(413, 'request body too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
