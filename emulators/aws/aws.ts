import type { LoopbackReply, LoopbackRequest } from '../loopback-server.ts';
import { BadBody } from '../loopback-server.ts';
import { rateLimit } from '../rate-limit.ts';
import type { Account } from './account.ts';
import { exampleAccount } from './account.ts';
import type { Fault, Faults } from './action-faults.ts';
import { createFaults } from './action-faults.ts';
import type { Collection } from './collection.ts';
import { badBodyReply, frontEnd } from './front-end.ts';
import type { Place, SavedEstate } from './inventory.ts';
import { createEstate } from './inventory.ts';
import type { QuotaName } from './quotas.ts';
import { defaultQuotas } from './quotas.ts';
import type { Service } from './service.ts';
import { actionsOf, allServices } from './services.ts';

export interface AwsOptions {
  /** Who may use it; default: the key of AWS's own examples. */
  readonly accounts?: readonly [Account, ...Account[]];
  readonly services?: readonly Service[];
  /** How long what takes time takes to be there; default 0. */
  readonly provisioningMs?: number;
  /** How long it takes to be gone; default 0. */
  readonly deletionMs?: number;
  /** How long reads go on showing what was before a change; default 0. */
  readonly readDelayMs?: number;
  /** The share of requests that fail, from 0 to 1: half with 503 before and half with 500 after the work; default 0. */
  readonly failRate?: number;
  /** Requests per second and account, beyond which it limits them; default: no limit. */
  readonly rateLimit?: number;
  /** How many there may be of something in an account and region, by its name: `{ vpc: 5 }`. Default: as AWS has it. */
  readonly quotas?: Readonly<Partial<Record<QuotaName, number>>>;
  /** What a former cloud held; default: nothing. */
  readonly saved?: SavedEstate;
  /** Given all it holds after each request that may have changed something, before that is answered. */
  readonly save?: (estate: SavedEstate) => void;
  /** Clock in milliseconds. */
  readonly now?: () => number;
  /** What signatures are dated by: that of those who sign. Default: the date of the machine. */
  readonly date?: () => Date;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
}

/** A cloud, seen from the inside, and its one door. */
export interface Aws {
  answer(request: LoopbackRequest): Promise<LoopbackReply>;
  readonly accounts: readonly [Account, ...Account[]];
  /** The things of a sort (`ec2/vpc`) everywhere, as they are, by account and region. */
  things<T>(sort: string): readonly (readonly [place: Place, things: Collection<T>])[];
  /** All that can be asked for, as `ec2:CreateVpc`. */
  readonly actions: readonly string[];
  /** Requests so far by action, as `ec2:CreateVpc`; refused ones count too. */
  calls(): Readonly<Record<string, number>>;
  readonly faults: Pick<Faults, 'inject' | 'clear'>;
  /** Ends what stands behind its things. */
  stop(): Promise<void>;
}

/** AWS's API. The inventory is in memory, and saved where `save` says. The emulator also fails as a cloud does. */
export function createAws(options: AwsOptions = {}): Aws {
  const { accounts = [exampleAccount], services = allServices(), quotas = {}, failRate = 0 } = options;
  const { now = Date.now, date = () => new Date(), random = Math.random } = options;
  const { provisioningMs = 0, deletionMs = 0, readDelayMs = 0 } = options;
  const estate = createEstate(now, options.saved);
  const faults = createFaults();
  const counts = new Map<string, number>();
  const limits = new Map(
    accounts.map(({ accessKeyId }) => [
      accessKeyId,
      options.rateLimit === undefined ? () => 0 : rateLimit(options.rateLimit, now),
    ]),
  );
  const serve = frontEnd({
    ...{ accounts, services, estate, faults, now, date, random },
    delays: { provisioningMs, deletionMs, readDelayMs },
    quota: (name) => quotas[name] ?? defaultQuotas[name],
    randomFault: () => randomFault(failRate, random),
    waitSeconds: ({ accessKeyId }) => limits.get(accessKeyId)?.() ?? 0,
    count: (action) => counts.set(action, (counts.get(action) ?? 0) + 1),
    save: () => options.save?.(estate.saved()),
  });

  return {
    async answer(request) {
      const body = await request.body().catch((error: BadBody) => error);
      return body instanceof BadBody ? badBodyReply(body) : serve({ ...request, body });
    },
    accounts,
    things: (sort) => estate.everywhere(sort),
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
