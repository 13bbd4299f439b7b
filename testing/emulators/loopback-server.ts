import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request over HTTP, or from a test in the same process. */
export interface LoopbackRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's text. Throws BadBody. */
  body(): Promise<string>;
}

/** The reply. `never`: no reply. `cut`: the connection is closed without a reply. */
export type LoopbackReply =
  | 'never'
  | 'cut'
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly text: string };

/** A body that is refused, with its HTTP status. */
export class BadBody extends Error {
  override readonly name = 'BadBody';
  readonly status: 400 | 413;

  constructor(status: 400 | 413, message: string) {
    super(message);
    this.status = status;
  }
}

export interface LoopbackServerOptions {
  /** Default: a free one. */
  readonly port?: number | undefined;
  /** Must not reject. */
  readonly answer: (request: LoopbackRequest) => LoopbackReply | Promise<LoopbackReply>;
}

/** A server for one machine. */
export interface LoopbackServer {
  readonly url: string;
  /** Ends all connections. Idempotent. */
  stop(): Promise<void>;
}

/** The maximum size of a body. */
export const maxBodyBytes = 1_000_000;

/** Serves HTTP on 127.0.0.1. Rejects if the port is in use. */
export async function startLoopbackServer({
  port = 0,
  answer,
}: LoopbackServerOptions): Promise<LoopbackServer> {
  const server = createServer((request, response) => void serve(request, response));
  // Clients reuse connections. The default of 5 s can close one while the next request is sent.
  server.keepAliveTimeout = 60_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  let stopped: Promise<unknown> | undefined;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: target = '/' } = request;
    const headers = inOne(request.headers);
    const reply = await answer({ method, target, headers, body: () => bodyOf(request) });
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

/** Joins the values of a repeated header. */
const inOne = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(',')]],
    ),
  );

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // A body that is too large is read to its end: a client that is still sending does not read a reply.
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= maxBodyBytes) chunks.push(chunk);
    }
  } catch {
    throw new BadBody(400, 'the body did not come to its end');
  }
  if (bytes > maxBodyBytes) throw new BadBody(413, `the body is over ${maxBodyBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new BadBody(400, 'the body is not UTF-8');
  }
}
