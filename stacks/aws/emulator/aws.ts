import type { LoopbackReply, LoopbackRequest } from '../../../package/testing.ts';
import { BadBody, rateLimit } from '../../../package/testing.ts';
import type { Account } from './account.ts';
import { exampleAccount } from './account.ts';
import type { Fault, Faults } from './action-faults.ts';
import { createFaults } from './action-faults.ts';
import type { Collection } from './collection.ts';
import { badBodyReply, frontEnd } from './front-end.ts';
import type { Place, SavedInventory } from './inventory.ts';
import { createInventory } from './inventory.ts';
import type { QuotaName } from './quotas.ts';
import { defaultQuotas } from './quotas.ts';
import type { Service } from './service.ts';
import { actionsOf, allServices } from './services.ts';

export interface AwsOptions {
  /** The accounts with access. Default: the access key in the documentation of AWS. */
  readonly accounts?: readonly [Account, ...Account[]];
  readonly services?: readonly Service[];
  /** How long creation takes. Default 0. */
  readonly provisioningMs?: number;
  /** How long deletion takes. Default 0. */
  readonly deletionMs?: number;
  /** How long reads still show the state before a change. Default 0. */
  readonly readDelayMs?: number;
  /** The share of requests that fail, from 0 to 1: half with 503 before and half with 500 after the work; default 0. */
  readonly failRate?: number;
  /** Requests per second and account. Default: no limit. */
  readonly rateLimit?: number;
  /** Quotas of an account in a region: `{ vpc: 5 }`. Default: those of AWS. */
  readonly quotas?: Readonly<Partial<Record<QuotaName, number>>>;
  /** A saved inventory. Default: an empty one. */
  readonly saved?: SavedInventory;
  /** Called with the inventory after each request that may have changed it, before the reply. */
  readonly save?: (inventory: SavedInventory) => void;
  /** Clock in milliseconds. */
  readonly now?: () => number;
  /** The clock of the clients, which date their signatures. Default: the clock of this machine. */
  readonly date?: () => Date;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
}

/** The emulator, with direct access to its inventory. */
export interface Aws {
  answer(request: LoopbackRequest): Promise<LoopbackReply>;
  readonly accounts: readonly [Account, ...Account[]];
  /** The current resources of one sort (`ec2/vpc`), by account and region. */
  collections<T>(sort: string): readonly (readonly [place: Place, collection: Collection<T>])[];
  /** All actions, for example `ec2:CreateVpc`. */
  readonly actions: readonly string[];
  /** Requests so far by action, for example `ec2:CreateVpc`; refused ones count too. */
  calls(): Readonly<Record<string, number>>;
  readonly faults: Pick<Faults, 'inject' | 'clear'>;
  /** Stops the servers behind its resources. */
  stop(): Promise<void>;
}

/** AWS's API. The inventory is in memory, and saved where `save` says. The emulator also fails as a cloud does. */
export function createAws(options: AwsOptions = {}): Aws {
  const { accounts = [exampleAccount], services = allServices(), quotas = {}, failRate = 0 } = options;
  const { now = Date.now, date = () => new Date(), random = Math.random } = options;
  const { provisioningMs = 0, deletionMs = 0, readDelayMs = 0 } = options;
  const inventory = createInventory(now, options.saved);
  const faults = createFaults();
  const counts = new Map<string, number>();
  const limits = new Map(
    accounts.map(({ accessKeyId }) => [
      accessKeyId,
      options.rateLimit === undefined ? () => 0 : rateLimit(options.rateLimit, now),
    ]),
  );
  const serve = frontEnd({
    accounts,
    services,
    inventory,
    faults,
    now,
    date,
    random,
    delays: { provisioningMs, deletionMs, readDelayMs },
    quota: (name) => quotas[name] ?? defaultQuotas[name],
    randomFault: () => randomFault(failRate, random),
    waitSeconds: ({ accessKeyId }) => limits.get(accessKeyId)?.() ?? 0,
    count: (action) => counts.set(action, (counts.get(action) ?? 0) + 1),
    save: () => options.save?.(inventory.saved()),
  });

  return {
    async answer(request) {
      const body = await request.body().catch((error: BadBody) => error);
      return body instanceof BadBody ? badBodyReply(body) : serve({ ...request, body });
    },
    accounts,
    collections: (sort) => inventory.everywhere(sort),
    actions: actionsOf(services),
    calls: () => Object.fromEntries(counts),
    faults,
    async stop() {
      for (const service of services) await service.stop?.();
    },
  };
}

/** The fault of one request, by the failure rate. */
function randomFault(failRate: number, random: () => number): Fault | undefined {
  if (failRate === 0 || random() >= failRate) return undefined;
  return random() < 0.5
    ? { kind: 'fail', status: 503, code: 'Unavailable' }
    : { kind: 'loseResponse', status: 500 };
}
