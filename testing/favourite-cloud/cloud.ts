import { randomUUID } from 'node:crypto';
import { gatewayReply } from '../emulators/gateway-reply.ts';
import type { LoopbackReply, LoopbackRequest } from '../emulators/loopback-server.ts';
import { BadBody } from '../emulators/loopback-server.ts';
import { rateLimit } from '../emulators/rate-limit.ts';
import type { Fault, Faults } from '../emulators/route-faults.ts';
import { createFaults } from '../emulators/route-faults.ts';
import type { Snapshot } from './collection.ts';
import { favouriteFlavour } from './favourite-flavour.ts';
import type { SavedInventory, StoredInstance, StoredNetwork } from './inventory.ts';
import { createInventory } from './inventory.ts';
import { otherFlavour } from './other-flavour.ts';
import { notFound, Problem } from './problem.ts';
import { requestBody } from './request-body.ts';
import type { Answer, Methods } from './routes.ts';

const flavours = { favourite: favouriteFlavour, other: otherFlavour } as const;
export type FlavourName = keyof typeof flavours;

export interface CloudOptions {
  /** Default `favourite`. */
  readonly flavour?: FlavourName;
  /** The bearer token that is asked for; default `<flavour>-token`. */
  readonly token?: string;
  /** How long an instance or network is CREATING; default 0. */
  readonly provisioningMs?: number;
  /** How long it is DELETING; default 0. */
  readonly deletionMs?: number;
  /** How long reads still show the state before a change; default 0. */
  readonly readDelayMs?: number;
  /** The share of requests that fail, from 0 to 1: half with 503 before and half with 500 after the work; default 0. */
  readonly failRate?: number;
  /** Requests per second, beyond which 429 is answered; default: no limit. */
  readonly rateLimit?: number;
  /** A saved inventory. Default: an empty one. */
  readonly saved?: SavedInventory;
  /** Receives the whole inventory after each request that may have changed it, before the answer is sent. */
  readonly save?: (inventory: SavedInventory) => void;
  /** Clock in milliseconds. */
  readonly now?: () => number;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  /** Creates ids; default: random UUIDs. */
  readonly newId?: () => string;
}

/** A cloud, seen from the inside, and its one door. */
export interface Cloud {
  answer(request: LoopbackRequest): Promise<LoopbackReply>;
  readonly token: string;
  /** All instances as they are, passwords included. */
  instances(): readonly Snapshot<StoredInstance>[];
  networks(): readonly Snapshot<StoredNetwork>[];
  /** Requests so far by method and path template, for example `GET /v1/instances/{name}`; refused ones count too. */
  calls(): Readonly<Record<string, number>>;
  readonly faults: Pick<Faults, 'inject' | 'clear'>;
  /** Changes an instance outside of the API. Throws if none has that name. */
  drift(
    name: string,
    fields: Partial<Pick<StoredInstance, 'level' | 'version' | 'hostname' | 'port' | 'tags' | 'networkId'>>,
  ): void;
  /** Removes an instance outside of the API. Nothing of it remains. */
  lose(name: string): void;
}

/**
 * The API of Favourite Cloud. The inventory is in memory, and saved where `save` says. The emulator also fails as a cloud
 * does: creation takes time, reads lag, requests fail before and after the work, responses are lost, and rates are limited.
 */
export function createCloud(options: CloudOptions = {}): Cloud {
  const { flavour: flavourName = 'favourite', failRate = 0, now = Date.now, random = Math.random } = options;
  const { newId = randomUUID, token = `${flavourName}-token` } = options;
  const flavour = flavours[flavourName];
  const inventory = createInventory(
    {
      noun: flavour.noun,
      domain: flavour.domain,
      now,
      provisioningMs: options.provisioningMs ?? 0,
      deletionMs: options.deletionMs ?? 0,
      readDelayMs: options.readDelayMs ?? 0,
      newId,
    },
    options.saved,
  );
  const route = router(flavour.routes);
  const faults = createFaults();
  const secondsToWait = options.rateLimit === undefined ? () => 0 : rateLimit(options.rateLimit, now);
  const counts = new Map<string, number>();

  async function serve({ method, target, headers, body }: LoopbackRequest): Promise<LoopbackReply> {
    const url = new URL(target, 'http://cloud');
    const { template, methods, name } = route(url.pathname);
    const key = `${method} ${template}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const json = await body();

    const fault = faults.take(method, template) ?? randomFault();
    if (fault?.kind === 'hang') return 'never';
    if (fault?.kind === 'cut') return 'cut';
    if (fault?.kind === 'fail') throw failure(fault);
    if (fault?.kind === 'gateway') return gatewayReply(fault);
    if (headers.authorization !== `Bearer ${token}`) {
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
    const answer = act({ inventory, name, query: url.searchParams, body: () => requestBody(json) });
    if (method !== 'GET') options.save?.(inventory.saved());
    if (fault?.kind === 'stall') return 'never';
    if (fault?.kind === 'loseResponse') {
      if (fault.status !== undefined) throw failure(fault);
      return 'cut';
    }
    return reply(answer);
  }

  /** The fault of one request, by the failure rate. */
  function randomFault(): Fault | undefined {
    if (failRate === 0 || random() >= failRate) return undefined;
    return random() < 0.5 ? { kind: 'fail', status: 503 } : { kind: 'loseResponse', status: 500 };
  }

  return {
    answer: (request) => serve(request).catch((error: unknown) => reply(answerTo(error, newId()))),
    token,
    instances: () => inventory.instances.all(),
    networks: () => inventory.networks.all(),
    calls: () => Object.fromEntries(counts),
    faults,
    drift: (name, fields) => inventory.instances.drift(name, (item) => ({ ...item, ...fields })),
    lose: (name) => inventory.instances.lose(name),
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

/** A problem in the form of the API, with an id of the request, as in real clouds. */
function answerTo(
  error: unknown,
  requestId: string,
): Answer & { readonly headers?: Readonly<Record<string, string>> } {
  const { status, code, message, field, headers } = problemOf(error);
  const body = {
    error: { code, message, ...(field === undefined ? {} : { field }), request_id: requestId },
  };
  return { status, headers, body };
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof BadBody) return new Problem(error.status, badBodies[error.status], error.message);
  return new Problem(500, 'Internal', 'internal error');
}

const badBodies = { 400: 'BadRequest', 413: 'TooLarge' } as const;

function reply({
  status,
  body,
  headers = {},
}: Answer & { readonly headers?: Readonly<Record<string, string>> }): LoopbackReply {
  if (body === undefined) return { status, headers, text: '' };
  return { status, headers: { ...headers, 'content-type': 'application/json' }, text: JSON.stringify(body) };
}
