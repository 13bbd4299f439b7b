import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Snapshot } from './collection.ts';
import type { StoredInstance, StoredNetwork } from './estate.ts';
import { createEstate } from './estate.ts';
import type { Fault, Faults } from './faults.ts';
import { createFaults } from './faults.ts';
import { favouriteFlavour } from './favourite-flavour.ts';
import { otherFlavour } from './other-flavour.ts';
import { notFound, Problem } from './problem.ts';
import { rateLimit } from './rate-limit.ts';
import { requestBody } from './request-body.ts';
import type { Answer, Methods } from './routes.ts';

export const flavours = { favourite: favouriteFlavour, other: otherFlavour } as const;
export type FlavourName = keyof typeof flavours;

export interface FavouriteCloudOptions {
  /** Default `favourite`. */
  readonly flavour?: FlavourName;
  /** Default: a free one. */
  readonly port?: number;
  /** The bearer token that is asked for; default `<flavour>-token`. */
  readonly token?: string;
  /** How long an instance or network is CREATING; default 0. */
  readonly provisioningMs?: number;
  /** How long it is DELETING; default 0. */
  readonly deletionMs?: number;
  /** How long reads go on showing what was before a change; default 0. */
  readonly readDelayMs?: number;
  /** The share of requests that fail, from 0 to 1: half with 503 before and half with 500 after the work; default 0. */
  readonly failRate?: number;
  /** Requests per second, beyond which 429 is answered; default: no limit. */
  readonly rateLimit?: number;
  /** Clock in milliseconds. */
  readonly now?: () => number;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
}

/** A running cloud, seen from the inside. */
export interface FavouriteCloud {
  readonly url: string;
  readonly token: string;
  /** All instances as they are, passwords included. */
  instances(): readonly Snapshot<StoredInstance>[];
  networks(): readonly Snapshot<StoredNetwork>[];
  /** Requests so far by method and path template, as `GET /v1/instances/{name}`; refused ones count too. */
  calls(): Readonly<Record<string, number>>;
  readonly faults: Pick<Faults, 'inject' | 'clear'>;
  /** Changes an instance outside of the API. Throws if there is none of that name. */
  drift(
    name: string,
    fields: Partial<Pick<StoredInstance, 'level' | 'version' | 'hostname' | 'port' | 'tags' | 'networkId'>>,
  ): void;
  /** Ends all connections. Idempotent. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const maxBodyBytes = 1_000_000;

/**
 * Serves a cloud's HTTP API on loopback, with everything kept in memory. Beside the API it has clouds' bad
 * habits: creation that takes time, reads that lag, failures before and after the work, lost answers, limits.
 * Rejects if the port is taken.
 */
export async function startFavouriteCloud(options: FavouriteCloudOptions = {}): Promise<FavouriteCloud> {
  const { flavour: flavourName = 'favourite', failRate = 0, now = Date.now, random = Math.random } = options;
  const { token = `${flavourName}-token` } = options;
  const flavour = flavours[flavourName];
  const estate = createEstate({
    noun: flavour.noun,
    domain: flavour.domain,
    now,
    provisioningMs: options.provisioningMs ?? 0,
    deletionMs: options.deletionMs ?? 0,
    readDelayMs: options.readDelayMs ?? 0,
  });
  const route = router(flavour.routes);
  const faults = createFaults();
  const secondsToWait = options.rateLimit === undefined ? () => 0 : rateLimit(options.rateLimit, now);
  const counts = new Map<string, number>();

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => respond(response, answerTo(error)));
  });
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
    const method = request.method ?? 'GET';
    const url = new URL(request.url ?? '/', 'http://cloud');
    const { template, methods, name } = route(url.pathname);
    const key = `${method} ${template}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const json = await bodyOf(request);

    const fault = faults.take(method, template) ?? mishap();
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'cut') return void request.socket.destroy();
    if (fault?.kind === 'fail') throw failure(fault);
    if (fault?.kind === 'gateway') return void respondAsGateway(response, fault.status ?? 502);
    if (request.headers.authorization !== `Bearer ${token}`) {
      throw new Problem(401, 'Unauthenticated', 'the token is missing or not valid', {
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    const seconds = secondsToWait();
    if (seconds > 0) {
      throw new Problem(429, 'RateLimited', 'too many requests', {
        headers: { 'retry-after': String(seconds) },
      });
    }
    const act = methods[method as keyof Methods];
    if (act === undefined) throw notAllowed(method, url.pathname, methods);
    const answer = act({ estate, name, query: url.searchParams, body: () => requestBody(json) });
    if (fault?.kind === 'stall') return;
    if (fault?.kind === 'loseResponse') {
      if (fault.status !== undefined) throw failure(fault);
      return void request.socket.destroy();
    }
    respond(response, answer);
  }

  /** What the fail rate has in store for a request. */
  function mishap(): Fault | undefined {
    if (failRate === 0 || random() >= failRate) return undefined;
    return random() < 0.5 ? { kind: 'fail', status: 503 } : { kind: 'loseResponse', status: 500 };
  }

  return {
    url: `http://127.0.0.1:${port}`,
    token,
    instances: () => estate.instances.all(),
    networks: () => estate.networks.all(),
    calls: () => Object.fromEntries(counts),
    faults,
    drift: (name, fields) => estate.instances.drift(name, (item) => ({ ...item, ...fields })),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface Route {
  readonly template: string;
  readonly methods: Methods;
  readonly name: string;
}

/** Templates are of a fixed path, at most with `{name}` at the end. */
function router(routes: Readonly<Record<string, Methods>>): (path: string) => Route {
  return (path) => {
    if (Object.hasOwn(routes, path)) return { template: path, methods: routes[path] ?? {}, name: '' };
    const slash = path.lastIndexOf('/');
    const template = `${path.slice(0, slash)}/{name}`;
    const methods = Object.hasOwn(routes, template) ? routes[template] : undefined;
    const name = decoded(path.slice(slash + 1));
    if (methods === undefined || name === '') return { template: '(unknown)', methods: {}, name: '' };
    return { template, methods, name };
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Problem(413, 'TooLarge', `the body is over ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failure({ status = 500, retryAfter }: Fault): Problem {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const [code, message] = failures[status] ?? ['Internal', 'internal error'];
  return new Problem(status, code, message, { headers });
}

const failures: Readonly<Record<number, readonly [code: string, message: string]>> = {
  401: ['Unauthenticated', 'the token is missing or not valid'],
  403: ['Forbidden', 'the token does not allow this'],
  429: ['RateLimited', 'too many requests'],
  503: ['Unavailable', 'the service is unavailable'],
};

function notAllowed(method: string, path: string, methods: Methods): Problem {
  const allowed = Object.keys(methods);
  if (allowed.length === 0) return notFound('path', path);
  return new Problem(405, 'MethodNotAllowed', `${method} is not allowed here`, {
    headers: { allow: allowed.join(', ') },
  });
}

/** A problem as the API says it, with an id of its own for the request, as clouds have it. */
function answerTo(error: unknown): Answer & { readonly headers?: Readonly<Record<string, string>> } {
  const problem = error instanceof Problem ? error : new Problem(500, 'Internal', 'internal error');
  const { status, code, message, field, headers } = problem;
  const body = {
    error: { code, message, ...(field === undefined ? {} : { field }), request_id: randomUUID() },
  };
  return { status, headers, body };
}

/** What a proxy in front of the cloud says of itself. */
function respondAsGateway(response: ServerResponse, status: number): void {
  const page = `<html><head><title>${status}</title></head><body><h1>${status}</h1><hr>nginx</body></html>\n`;
  response.writeHead(status, { 'content-type': 'text/html' }).end(page);
}

function respond(
  response: ServerResponse,
  { status, body, headers = {} }: Answer & { readonly headers?: Readonly<Record<string, string>> },
): void {
  if (response.headersSent || response.destroyed) return;
  if (body === undefined) return void response.writeHead(status, headers).end();
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    })
    .end(text);
}
