import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** `never`: nothing, `cut`: the end of the connection. */
export type LoopbackReply =
  | 'never'
  | 'cut'
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly text: string };

export interface LoopbackServerOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** Must not reject. */
  readonly answer: (request: LoopbackRequest) => LoopbackReply | Promise<LoopbackReply>;
}

/** A server for one machine. */
export interface LoopbackServer {
  readonly url: string;
  /** Ends all connections. Idempotent. */
  stop(): Promise<void>;
}

const maxBodyBytes = 1_000_000;

/** Serves HTTP on 127.0.0.1; a body of over a megabyte, or that is no UTF-8, ends its connection. Rejects if the port is taken. */
export async function startLoopbackServer({
  port = 0,
  answer,
}: LoopbackServerOptions): Promise<LoopbackServer> {
  const server = createServer((request, response) => void serve(request, response));
  // Clients keep connections for later; the default of 5 s closes them under the feet of the next request.
  server.keepAliveTimeout = 60_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  let stopped: Promise<unknown> | undefined;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request).catch(() => undefined);
    if (body === undefined) return void request.socket.destroy();
    const { method = 'GET', url: target = '/', headers } = request;
    const reply = await answer({ method, target, headers, body });
    if (reply === 'never' || response.destroyed) return;
    if (reply === 'cut') return void request.socket.destroy();
    const length = reply.text === '' ? {} : { 'content-length': Buffer.byteLength(reply.text) };
    response.writeHead(reply.status, { ...reply.headers, ...length }).end(reply.text);
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      if (stopped === undefined) {
        stopped = once(server, 'close');
        server.close();
        server.closeAllConnections();
      }
      await stopped;
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error(`the body is over ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}
