import { randomUUID } from 'node:crypto';
import type { LoopbackReply, LoopbackRequest } from '../loopback-server.ts';
import { BadBody, maxBodyBytes } from '../loopback-server.ts';
import { rateLimit } from '../rate-limit.ts';
import type { Fault, Faults } from '../route-faults.ts';
import { createFaults } from '../route-faults.ts';
import type { Caller } from './access-tokens.ts';
import { createAccessTokens, TokenProblem } from './access-tokens.ts';
import type { StoredInstance } from './memorystore/instance.ts';
import type { OperationFault } from './memorystore/instance-operations.ts';
import type { Memorystore, SavedMemorystore } from './memorystore/memorystore.ts';
import { createMemorystore } from './memorystore/memorystore.ts';
import type { RedisBackend } from './memorystore/redis-backend.ts';
import { camelCase, parseBody } from './message.ts';
import { codeOfHttpStatus, errorInfo, invalid, Problem } from './problem.ts';
import { projectNumber } from './project-number.ts';
import type { StoredTopic } from './pubsub.ts';
import { createPubsub } from './pubsub.ts';
import type { Replica, SavedReplica } from './replica.ts';
import type { Route, Service } from './service.ts';
import type { NewAccount, ServiceAccountKey, ServiceAccounts, StoredAccount } from './service-accounts.ts';
import { createServiceAccounts } from './service-accounts.ts';

/** All that a cloud holds, as JSON can hold it. */
export interface SavedEstate {
  readonly accounts: readonly StoredAccount[];
  readonly tokenSecret: string;
  readonly memorystore: SavedMemorystore;
  readonly topics: SavedReplica<StoredTopic>;
}

export interface GoogleCloudOptions {
  /** Where it is reached, for key files; default `https://gcp.test`. */
  readonly origin?: () => string;
  /** How long an instance is CREATING; default 0. */
  readonly provisioningMs?: number;
  /** How long it is UPDATING; default 0. */
  readonly updateMs?: number;
  /** How long it is DELETING; default 0. */
  readonly deletionMs?: number;
  /** How long reads go on showing what was before a change; default 0. */
  readonly readDelayMs?: number;
  /** How long an access token is good for; default an hour. */
  readonly tokenLifetimeMs?: number;
  /** The share of requests that fail, from 0 to 1: half with 503 before and half with 500 after the work; default 0. */
  readonly failRate?: number;
  /** Requests per second, beyond which 429 is answered; default: no limit. */
  readonly rateLimit?: number;
  /** What a project may have of Memorystore in a region; default: no limit. */
  readonly quotas?: { readonly instances?: number; readonly memoryGb?: number };
  /** APIs that nobody has enabled, as `redis.googleapis.com`; default: none. */
  readonly disabled?: readonly string[];
  /** Where the Redis behind an instance comes from; default: nothing is behind it. */
  readonly backend?: RedisBackend;
  /** What a former cloud held; default: nothing. */
  readonly saved?: SavedEstate;
  /** Given all it holds whenever that may have changed, before the request is answered. */
  readonly save?: (estate: SavedEstate) => void;
  /** Clock in milliseconds. */
  readonly now?: () => number;
  /** The clock that its clients sign assertions by; default: the same. */
  readonly signersNow?: () => number;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  /** Makes AUTH strings and names of operations; default: UUIDs that are never the same again. */
  readonly newId?: () => string;
}

/** A cloud, seen from the inside, and its one door. */
export interface GoogleCloud {
  answer(request: LoopbackRequest): Promise<LoopbackReply>;
  /** A key file that this cloud accepts, of an account that it makes if need be. */
  createKey(account?: NewAccount): ServiceAccountKey;
  readonly accounts: Omit<ServiceAccounts, 'createKey' | 'saved'>;
  /** Memorystore's instances as they are, AUTH strings included. */
  readonly instances: Pick<Replica<StoredInstance>, 'all' | 'get' | 'drift'>;
  readonly topics: Pick<Replica<StoredTopic>, 'all' | 'get' | 'drift'>;
  readonly operations: Memorystore['operations'];
  /** All that can be asked for, by method and path template; the token endpoint among it. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** Requests so far by method and path template, as `GET /v1/projects/{project}/topics`; refused ones count too. */
  calls(): Readonly<Record<string, number>>;
  /** What to have go wrong with requests, by method and path template. */
  readonly faults: Pick<Faults, 'inject' | 'clear'>;
  /** The next operation of that kind is accepted, and ends with an error. */
  failOperation(fault?: OperationFault): void;
  /** Resolves when no Redis is being started, changed or ended. */
  idle(): Promise<void>;
}

/** Of every method; see the APIs' discovery documents. */
const systemParameters = [
  ...['$.xgafv', '$alt', '$prettyPrint', 'accessToken', 'access_token', 'alt', 'callback', 'fields', 'key'],
  ...['oauth_token', 'prettyPrint', 'quotaUser', 'uploadType', 'upload_protocol'],
];

/**
 * The part of Google Cloud that the gcp stack speaks to, with everything kept in memory, and saved where it is told to:
 * the token endpoint, Memorystore for Redis, Pub/Sub. Beside the APIs it has a cloud's bad habits: operations that take
 * time and fail, reads that lag, failures before and after the work, lost answers, quotas, limits, permissions that are
 * missing.
 */
export function createGoogleCloud(options: GoogleCloudOptions = {}): GoogleCloud {
  const { now = Date.now, signersNow = now, failRate = 0, saved } = options;
  const { random = Math.random, newId = randomUUID } = options;
  const { origin = () => 'https://gcp.test', readDelayMs = 0, disabled = [] } = options;
  const accounts = createServiceAccounts(saved?.accounts);
  const tokens = createAccessTokens({
    accounts,
    origin,
    now,
    signersNow,
    lifetimeMs: options.tokenLifetimeMs ?? 3_600_000,
    ...(saved !== undefined && { secret: saved.tokenSecret }),
  });
  const memorystore = createMemorystore({
    now,
    newId,
    readDelayMs,
    provisioningMs: options.provisioningMs ?? 0,
    updateMs: options.updateMs ?? 0,
    deletionMs: options.deletionMs ?? 0,
    quotas: options.quotas ?? {},
    ...(options.backend !== undefined && { backend: options.backend }),
    ...(saved !== undefined && { saved: saved.memorystore }),
  });
  const pubsub = createPubsub({ now, readDelayMs, ...(saved !== undefined && { saved: saved.topics }) });
  const services = [memorystore.service, pubsub.service];
  const find = router(services);
  const faults = createFaults();
  const isTooFast = options.rateLimit === undefined ? () => 0 : rateLimit(options.rateLimit, now);
  const counts = new Map<string, number>();

  const save = (): void =>
    options.save?.({
      accounts: accounts.saved(),
      tokenSecret: tokens.secret,
      memorystore: memorystore.saved(),
      topics: pubsub.topics.saved(),
    });

  async function serve({ method, target, headers, body }: LoopbackRequest): Promise<LoopbackReply> {
    const url = new URL(target, 'http://cloud');
    const isToken = url.pathname === '/token';
    const found = find(method, url.pathname);
    const template = isToken ? '/token' : (found?.route.template ?? '(unknown)');
    const key = `${method} ${template}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const text = await body();
    if (memorystore.settle()) save();

    const fault = faults.take(method, template) ?? mishap();
    if (fault?.kind === 'hang') return 'never';
    if (fault?.kind === 'cut') return 'cut';
    if (fault?.kind === 'fail') throw failure(fault);
    if (fault?.kind === 'gateway') return pageReply(fault.status ?? 502);
    const answer = isToken ? exchange(method, text) : carryOut(found);
    if (answer === undefined) return pageReply(404, url.pathname);
    if (!isToken && method !== 'GET') save();
    if (fault?.kind === 'stall') return 'never';
    if (fault?.kind === 'loseResponse') {
      if (fault.status !== undefined) throw failure(fault);
      return 'cut';
    }
    return reply(200, answer);

    function carryOut(matched: Match | undefined): object | undefined {
      if (matched === undefined) return undefined;
      const { service, route, path } = matched;
      const caller = tokens.authenticate(headers.authorization);
      check(caller, matched);
      if (isTooFast() > 0)
        throw tooFast(service, { project: String(path.project), isRead: method === 'GET' });
      for (const name of url.searchParams.keys()) {
        if (systemParameters.includes(name) || route.query?.includes(camelCase(name))) continue;
        const said = `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. Field '${name}' could not be found in request message.`;
        throw invalid('', said);
      }
      const query = new URLSearchParams(
        [...url.searchParams].map(([name, value]): [string, string] => [camelCase(name), value]),
      );
      return route.act({ path, query, json: () => parseBody(text) });
    }
  }

  /** Throws Problem if the API is off, the token is for something else, or the account may not do this. */
  function check({ email, scopes }: Caller, { service, route, path }: Match): void {
    const project = String(path.project);
    const wanted = route.verb === 'GET' ? service.scopes.read : service.scopes.write;
    const has = (scope: string): boolean =>
      scopes?.includes(`https://www.googleapis.com/auth/${scope}`) ?? true;
    if (!wanted.some(has)) throw outOfScope(service);
    if (!accounts.isProject(project)) throw service.noProject(project);
    if (disabled.includes(service.name)) throw notEnabled(service, project);
    if (!accounts.may(email, route.permission, project)) {
      // Who may see or add to a collection is decided by what it is in.
      const named = route.template.replace(/^\/v1\//, '').replace(/[:/][a-zA-Z]+$/, '');
      const resource = Object.entries(path).reduce(
        (text, [name, value]) => text.replace(`{${name}}`, value),
        named,
      );
      throw service.denied(route.permission, resource);
    }
  }

  function exchange(method: string, text: string): object | undefined {
    return method === 'POST' ? tokens.exchange(new URLSearchParams(text)) : undefined;
  }

  /** What the fail rate has in store for a request. */
  function mishap(): Fault | undefined {
    if (failRate === 0 || random() >= failRate) return undefined;
    return random() < 0.5 ? { kind: 'fail', status: 503 } : { kind: 'loseResponse', status: 500 };
  }

  return {
    answer: (request) => serve(request).catch(answerTo),
    createKey(account = {}) {
      const key = accounts.createKey(account, origin());
      save();
      return key;
    },
    accounts: {
      ...accounts,
      acceptKey: (...given) => saving(() => accounts.acceptKey(...given)),
      deleteKey: (...given) => saving(() => accounts.deleteKey(...given)),
      grant: (...given) => saving(() => accounts.grant(...given)),
    },
    instances: {
      all: () => settled(memorystore.instances).all(),
      get: (name) => settled(memorystore.instances).get(name),
      drift: (name, value) => saving(() => settled(memorystore.instances).drift(name, value)),
    },
    topics: {
      ...pubsub.topics,
      drift: (name, value) => saving(() => pubsub.topics.drift(name, value)),
    },
    operations: () => settled(memorystore).operations(),
    routes: [
      { method: 'POST', path: '/token' },
      ...services.flatMap(({ routes }) =>
        routes.map(({ verb, template }) => ({ method: verb, path: template })),
      ),
    ],
    calls: () => Object.fromEntries(counts),
    faults,
    failOperation: (fault = {}) => memorystore.failOperation(fault),
    idle: memorystore.idle,
  };

  /** As it is now, and not as at the last request. */
  function settled<T extends object>(of: T): T {
    if (memorystore.settle()) save();
    return of;
  }

  function saving(act: () => void): void {
    act();
    save();
  }
}

interface Match {
  readonly service: Service;
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
}

/** Finds the method that a request is for. */
function router(services: readonly Service[]): (verb: string, path: string) => Match | undefined {
  const all = services.flatMap((service) =>
    service.routes.map((route) => {
      const pattern = route.template.replace(/\{(\w+)\}/g, '(?<$1>[^/:]+)');
      return { service, route, pattern: new RegExp(`^${pattern}$`) };
    }),
  );
  return (verb, path) => {
    for (const { service, route, pattern } of all) {
      const groups = route.verb === verb ? pattern.exec(path)?.groups : undefined;
      if (groups === undefined) continue;
      const decoded = Object.entries(groups).map(([name, value]) => [name, decodedSegment(value)]);
      return { service, route, path: Object.fromEntries(decoded) };
    }
    return undefined;
  };
}

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function failure({ status = 500, retryAfter }: Fault): Problem {
  const code = codeOfHttpStatus(status);
  const messages: Readonly<Record<string, string>> = {
    UNAUTHENTICATED: 'Request had invalid authentication credentials.',
    PERMISSION_DENIED: 'The caller does not have permission',
    RESOURCE_EXHAUSTED: 'Resource has been exhausted (e.g. check quota).',
    UNAVAILABLE: 'The service is currently unavailable.',
  };
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return new Problem(code, messages[code] ?? 'Internal error encountered.', { headers });
}

const outOfScope = ({ name }: Service): Problem =>
  new Problem('PERMISSION_DENIED', 'Request had insufficient authentication scopes.', {
    details: [errorInfo('ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'googleapis.com', { service: name })],
  });

function notEnabled({ name, title }: Service, project: string): Problem {
  const activationUrl = `https://console.developers.google.com/apis/api/${name}/overview?project=${project}`;
  const message = `${title} has not been used in project ${project} before or it is disabled. Enable it by visiting ${activationUrl} then retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and retry.`;
  return new Problem('PERMISSION_DENIED', message, {
    details: [
      errorInfo('SERVICE_DISABLED', 'googleapis.com', {
        service: name,
        serviceTitle: title,
        consumer: `projects/${project}`,
        activationUrl,
      }),
    ],
  });
}

function tooFast(
  { name }: Service,
  { project, isRead }: { readonly project: string; readonly isRead: boolean },
): Problem {
  const metric = isRead ? 'Read requests' : 'Mutate requests';
  const consumer = `projects/${projectNumber(project)}`;
  const message = `Quota exceeded for quota metric '${metric}' and limit '${metric} per minute' of service '${name}' for consumer '${consumer.replace('projects/', 'project_number:')}'.`;
  return new Problem('RESOURCE_EXHAUSTED', message, {
    details: [errorInfo('RATE_LIMIT_EXCEEDED', 'googleapis.com', { consumer, service: name })],
  });
}

/** A refusal as the API says it. */
function answerTo(error: unknown): LoopbackReply {
  if (error instanceof TokenProblem) return reply(400, error.body());
  const problem = problemOf(error);
  return reply(problem.httpStatus, problem.body(), problem.headers);
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof BadBody) return new Problem('INVALID_ARGUMENT', badBodies[error.status]);
  return new Problem('INTERNAL', 'Internal error encountered.');
}

const badBodies = {
  400: 'Invalid JSON payload received. Unexpected token.',
  413: `Request payload size exceeds the limit: ${maxBodyBytes} bytes.`,
} as const;

/** What Google's front end says of itself. */
function pageReply(status: number, path?: string): LoopbackReply {
  const what =
    path === undefined
      ? 'The server encountered a temporary error.'
      : 'The requested URL was not found on this server.';
  const text = `<!DOCTYPE html>\n<html lang=en>\n<title>Error ${status}</title>\n<p><b>${status}.</b> <ins>That’s an error.</ins>\n<p>${what}\n`;
  return { status, headers: { 'content-type': 'text/html; charset=UTF-8' }, text };
}

function reply(status: number, body: object, headers: Readonly<Record<string, string>> = {}): LoopbackReply {
  const text = `${JSON.stringify(body, null, 2)}\n`;
  return { status, headers: { ...headers, 'content-type': 'application/json; charset=UTF-8' }, text };
}
