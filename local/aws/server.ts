import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Aws, AwsOptions, AwsReply } from './aws.ts';
import { createAws } from './aws.ts';
import type { SavedEstate } from './estate.ts';
import type { Fault } from './faults.ts';

export interface LocalAwsOptions extends AwsOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** A file in which it keeps what it holds, passwords included, beyond its end; default: nowhere. */
  readonly dataFile?: string;
}

/** A running cloud. */
export interface LocalAws extends Omit<Aws, 'answer'> {
  readonly url: string;
  /** Ends all connections, and what stands behind its things. Idempotent. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const maxBodyBytes = 1_000_000;

/** Serves AWS's API (see `createAws`) on loopback: all services on one port. Rejects if the port is taken. */
export async function startAws(options: LocalAwsOptions = {}): Promise<LocalAws> {
  const { dataFile } = options;
  const { answer, ...inside } = createAws({ ...options, ...(dataFile !== undefined && kept(dataFile)) });
  const server = createServer((request, response) => void serve(request, response));
  // Clients keep connections for later; the default of 5 s closes them under the feet of the next request.
  server.keepAliveTimeout = 60_000;
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let stopped: Promise<unknown> | undefined;
  const stop = async (): Promise<void> => {
    if (stopped === undefined) {
      stopped = once(server, 'close').then(inside.stop);
      server.close();
      server.closeAllConnections();
    }
    await stopped;
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request).catch(() => undefined);
    if (body === undefined) return void request.socket.destroy();
    const { method = 'GET', url: target = '/' } = request;
    const reply = target.startsWith('/_')
      ? control(inside, method, target, body)
      : await answer({ method, target, headers: plain(request.headers), body });
    if (reply === 'never' || response.destroyed) return;
    if (reply === 'cut') return void request.socket.destroy();
    const { status, headers, text } = reply;
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
  }

  return { ...inside, url: `http://127.0.0.1:${port}`, stop, [Symbol.asyncDispose]: stop };
}

/** What is no part of AWS, for whoever tests with this: faults to come, and what was called. */
function control(
  { faults, calls }: Pick<Aws, 'faults' | 'calls'>,
  method: string,
  target: string,
  body: string,
): AwsReply {
  const json = (status: number, value: unknown): AwsReply => ({
    status,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify(value),
  });
  if (method === 'GET' && target === '/_calls') return json(200, calls());
  if (method === 'DELETE' && target === '/_faults') {
    faults.clear();
    return json(200, {});
  }
  if (method === 'POST' && target === '/_faults') {
    try {
      faults.inject(JSON.parse(body) as Fault);
      return json(200, {});
    } catch {
      return json(400, { message: 'the body is not JSON' });
    }
  }
  return json(404, { message: 'GET /_calls, POST /_faults and DELETE /_faults are all there is' });
}

/** What the file holds, and how to change that: whole or not at all, whenever this process ends. */
function kept(file: string): Pick<AwsOptions, 'saved' | 'save'> {
  return {
    ...(existsSync(file) && { saved: JSON.parse(readFileSync(file, 'utf8')) as SavedEstate }),
    save(estate) {
      writeFileSync(`${file}.new`, JSON.stringify(estate), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

const plain = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(',')]],
    ),
  );

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
