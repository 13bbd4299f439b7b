import { randomUUID } from 'node:crypto';
import type { Fault, Faults, LoopbackReply, LoopbackRequest } from '../../../package/testing.ts';
import { createFaults, rateLimit } from '../../../package/testing.ts';
import { createAccessTokens } from './access-tokens.ts';
import { frontEnd } from './front-end.ts';
import type { StoredInstance } from './memorystore/instance.ts';
import type { OperationFault } from './memorystore/instance-operations.ts';
import type { Memorystore, MemorystoreOptions, SavedMemorystore } from './memorystore/memorystore.ts';
import { createMemorystore } from './memorystore/memorystore.ts';
import type { RedisBackend } from './memorystore/redis-backend.ts';
import type { StoredTopic } from './pubsub.ts';
import { createPubsub } from './pubsub.ts';
import type { Replica, SavedReplica } from './replica.ts';
import { routeFinder } from './routes.ts';
import type { Service } from './service.ts';
import type { NewAccount, ServiceAccountKey, ServiceAccounts, StoredAccount } from './service-accounts.ts';
import { createServiceAccounts } from './service-accounts.ts';

/** The whole inventory, as JSON. */
export interface SavedInventory {
  readonly accounts: readonly StoredAccount[];
  readonly tokenSecret: string;
  readonly memorystore: SavedMemorystore;
  readonly topics: SavedReplica<StoredTopic>;
}

export interface GoogleCloudOptions {
  /** The URL of the emulator, for key files. Default `https://gcp.test`. */
  readonly origin?: () => string;
  /** How long an instance is CREATING; default 0. */
  readonly provisioningMs?: number;
  /** How long it is UPDATING; default 0. */
  readonly updateMs?: number;
  /** How long it is DELETING; default 0. */
  readonly deletionMs?: number;
  /** How long reads still show the state before a change. Default 0. */
  readonly readDelayMs?: number;
  /** How long an access token is valid. Default: an hour. */
  readonly tokenLifetimeMs?: number;
  /** The share of requests that fail, from 0 to 1: half with 503 before and half with 500 after the work; default 0. */
  readonly failRate?: number;
  /** Requests per second. A request beyond them gets 429. Default: no limit. */
  readonly rateLimit?: number;
  /** The quotas of Memorystore for a project in a region. Default: no limit. */
  readonly quotas?: { readonly instances?: number; readonly memoryGb?: number };
  /** APIs that are not enabled, for example `redis.googleapis.com`. Default: none. */
  readonly disabled?: readonly string[];
  /** Runs the Redis behind each instance. Default: instances have no Redis. */
  readonly backend?: RedisBackend;
  /** A saved inventory. Default: an empty one. */
  readonly saved?: SavedInventory;
  /** Called with the inventory whenever it may have changed, before the reply. */
  readonly save?: (inventory: SavedInventory) => void;
  /** Clock in milliseconds. */
  readonly now?: () => number;
  /** The clock by which clients sign assertions. Default: `now`. */
  readonly signersNow?: () => number;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  /** Creates AUTH strings and names of operations. Default: random UUIDs. */
  readonly newId?: () => string;
}

/** The emulator, with direct access to its inventory. */
export interface GoogleCloud {
  answer(request: LoopbackRequest): Promise<LoopbackReply>;
  /** Creates a key that the emulator accepts, and its service account if there is none. */
  createKey(account?: NewAccount): ServiceAccountKey;
  readonly accounts: Omit<ServiceAccounts, 'createKey' | 'saved'>;
  /** The current instances of Memorystore, with AUTH strings. */
  readonly instances: Pick<Replica<StoredInstance>, 'all' | 'get' | 'drift'>;
  readonly topics: Pick<Replica<StoredTopic>, 'all' | 'get' | 'drift'>;
  readonly operations: Memorystore['operations'];
  /** All methods, by HTTP method and path template, with the token endpoint. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** Requests so far by method and path template, for example `GET /v1/projects/{project}/topics`; refused ones count too. */
  calls(): Readonly<Record<string, number>>;
  /** Injects faults, by method and path template. */
  readonly faults: Pick<Faults, 'inject' | 'clear'>;
  /** The next operation with the verb of the fault is accepted and ends with an error. */
  failOperation(fault?: OperationFault): void;
  /** Resolves when no Redis is being started, changed or stopped. */
  idle(): Promise<void>;
}

const defaultTokenLifetimeMs = 3_600_000;

/**
 * The part of Google Cloud that the gcp stack uses: the token endpoint, Memorystore for Redis and Pub/Sub. Everything is
 * in memory, and saved where `save` says. The emulator also fails as a cloud does: operations take time and fail, reads
 * lag, requests fail before and after the work, responses are lost, and quotas, rate limits and permissions refuse.
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
    lifetimeMs: options.tokenLifetimeMs ?? defaultTokenLifetimeMs,
    ...(saved !== undefined && { secret: saved.tokenSecret }),
  });
  const memorystore = createMemorystore({ ...memorystoreOptions(options), now, newId, readDelayMs });
  const pubsub = createPubsub({ now, readDelayMs, ...(saved !== undefined && { saved: saved.topics }) });
  const services = [memorystore.service, pubsub.service];
  const faults = createFaults();
  const counts = new Map<string, number>();

  const save = (): void =>
    options.save?.({
      accounts: accounts.saved(),
      tokenSecret: tokens.secret,
      memorystore: memorystore.saved(),
      topics: pubsub.topics.saved(),
    });
  const settle = (): void => {
    if (memorystore.settle()) save();
  };
  /** Settles first, so that a reader sees the inventory of now and not of the last request. */
  const settled = <T extends object>(of: T): T => {
    settle();
    return of;
  };
  const saving = (change: () => void): void => {
    change();
    save();
  };

  return {
    answer: frontEnd({
      accounts,
      disabled,
      faults,
      save,
      settle,
      tokens,
      findRoute: routeFinder(services),
      randomFault: () => randomFault(failRate, random),
      waitSeconds: options.rateLimit === undefined ? () => 0 : rateLimit(options.rateLimit, now),
      count(method, template) {
        const key = `${method} ${template}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      },
    }),
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
    routes: routesOf(services),
    calls: () => Object.fromEntries(counts),
    faults,
    failOperation: (fault = {}) => memorystore.failOperation(fault),
    idle: memorystore.idle,
  };
}

const memorystoreOptions = ({
  provisioningMs = 0,
  updateMs = 0,
  deletionMs = 0,
  quotas = {},
  backend,
  saved,
}: GoogleCloudOptions): Omit<MemorystoreOptions, 'now' | 'newId' | 'readDelayMs'> => ({
  provisioningMs,
  updateMs,
  deletionMs,
  quotas,
  ...(backend !== undefined && { backend }),
  ...(saved !== undefined && { saved: saved.memorystore }),
});

const routesOf = (services: readonly Service[]): GoogleCloud['routes'] => [
  { method: 'POST', path: '/token' },
  ...services.flatMap(({ routes }) => routes.map(({ verb, template }) => ({ method: verb, path: template }))),
];

/** The fault of one request, by the failure rate. */
function randomFault(failRate: number, random: () => number): Fault | undefined {
  if (failRate === 0 || random() >= failRate) return undefined;
  return random() < 0.5 ? { kind: 'fail', status: 503 } : { kind: 'loseResponse', status: 500 };
}
