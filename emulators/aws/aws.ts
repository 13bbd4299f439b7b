/*
 *   request ──▶ whose signature? ──▶ of what service? ──▶ how does it ask? ──▶ may it? ──▶ action ──▶ estate
 *              signature.ts          service.ts           *-protocol.ts        account.ts  <service>/  estate.ts
 */

import { gatewayReply } from '../gateway-reply.ts';
import type { LoopbackReply, LoopbackRequest } from '../loopback-server.ts';
import { BadBody, maxBodyBytes } from '../loopback-server.ts';
import { rateLimit } from '../rate-limit.ts';
import type { Account } from './account.ts';
import { arnOf, exampleAccount, isDenied } from './account.ts';
import type { Fault, Faults } from './action-faults.ts';
import { createFaults } from './action-faults.ts';
import type { Collection, Delays } from './collection.ts';
import type { Place, SavedEstate } from './inventory.ts';
import { createEstate } from './inventory.ts';
import { AwsProblem } from './problem.ts';
import type { QuotaName } from './quotas.ts';
import { usualQuotas } from './quotas.ts';
import { regions } from './regions.ts';
import type { Call, Protocol, Service } from './service.ts';
import { actionsOf, allServices } from './services.ts';
import { signatureOf, signatureProblem } from './signature.ts';
import type { WireReply, WireRequest } from './wire.ts';

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

/** AWS's API, with everything kept in memory, and saved where it is told to; bad habits included. */
export function createAws(options: AwsOptions = {}): Aws {
  const { accounts = [exampleAccount], services = allServices(), quotas = {}, failRate = 0 } = options;
  const { now = Date.now, date = () => new Date(), random = Math.random } = options;
  const delays: Delays = {
    provisioningMs: options.provisioningMs ?? 0,
    deletionMs: options.deletionMs ?? 0,
    readDelayMs: options.readDelayMs ?? 0,
  };
  const estate = createEstate(now, options.saved);
  const faults = createFaults();
  const counts = new Map<string, number>();
  const limits = new Map(
    accounts.map(({ accessKeyId }) => [
      accessKeyId,
      options.rateLimit === undefined ? () => 0 : rateLimit(options.rateLimit, now),
    ]),
  );

  /** As in `vpc-0a1b2c3d4e5f67890`. */
  const digits = (length: number): string =>
    Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
  const requestId = (): string => [8, 4, 4, 4, 12].map((length) => digits(length)).join('-');

  async function serve(request: WireRequest): Promise<LoopbackReply> {
    const id = requestId();
    const signature = signatureOf(request);
    const service = services.find(({ name }) => name === signature?.service);
    if (signature === undefined || service === undefined) {
      const why = signature === undefined ? 'Request is missing Authentication Token' : 'no such service';
      return plainReply(403, why);
    }
    const [first] = service.protocols;
    let protocol: Protocol = first;
    const refusal = (problem: AwsProblem): WireReply => withId(protocol.refusal(problem, id), id);
    try {
      const asked = readBy(service, request);
      protocol = asked.protocol;
      const name = `${service.name}:${asked.action}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const fault = faults.take(name) ?? mishap();
      if (fault?.kind === 'hang') return 'never';
      if (fault?.kind === 'cut') return 'cut';
      if (fault?.kind === 'gateway') return gatewayReply(fault.status ?? 502);
      if (fault?.kind === 'fail') throw problemOf(fault, service);

      const { refusals, actions } = service;
      const account = accounts.find(({ accessKeyId }) => accessKeyId === signature.accessKeyId);
      if (account === undefined) throw refusals.unknownKey();
      if (!regions.has(signature.region)) {
        throw refusals.wrongSignature('Credential should be scoped to a valid region.');
      }
      const wrong = await signatureProblem(request, signature, account, date());
      if (wrong !== undefined) throw refusals.wrongSignature(wrong);
      if ((limits.get(account.accessKeyId)?.() ?? 0) > 0) throw refusals.throttled();
      const act = Object.hasOwn(actions, asked.action) ? actions[asked.action] : undefined;
      if (act === undefined) throw refusals.unknownAction(asked.action);
      if (isDenied(account, name)) throw refusals.denied(arnOf(account), name);

      const place: Place = { account: account.id, region: signature.region };
      const call: Call = {
        ...{
          params: asked.params,
          protocol: protocol.name,
          account,
          region: place.region,
          estate,
          delays,
          now,
          random,
        },
        things: (sort, own) => estate.collection(place, sort, { ...delays, ...own }),
        quota: (what) => quotas[what] ?? usualQuotas[what],
        newId: (prefix) => `${prefix}-0${digits(16)}`,
      };
      const output = await act(call);
      if (!/^(Describe|Get|List)/.test(asked.action)) options.save?.(estate.saved());
      if (fault?.kind === 'stall') return 'never';
      if (fault?.kind === 'loseResponse') {
        if (fault.code === undefined && fault.status === undefined) return 'cut';
        throw problemOf(fault, service);
      }
      return withId(protocol.answer(asked.action, output, id), id);
    } catch (error) {
      if (error instanceof AwsProblem) return refusal(error);
      return refusal(service.refusals.failed());
    }
  }

  /** What the fail rate has in store for a request. */
  function mishap(): Fault | undefined {
    if (failRate === 0 || random() >= failRate) return undefined;
    return random() < 0.5
      ? { kind: 'fail', status: 503, code: 'Unavailable' }
      : { kind: 'loseResponse', status: 500 };
  }

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

function readBy({ protocols, refusals }: Service, request: WireRequest) {
  for (const protocol of protocols) {
    const read = protocol.read(request);
    if (read !== undefined) return { ...read, protocol };
  }
  throw refusals.unknownAction(`${request.method} ${new URL(request.target, 'http://aws').pathname}`);
}

function problemOf({ code, message, status, retryAfter }: Fault, { refusals }: Service): AwsProblem {
  const usual = refusals.failed();
  return new AwsProblem(code ?? usual.code, message ?? usual.message, {
    status: status ?? usual.status,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  });
}

const withId = (reply: WireReply, id: string): WireReply => ({
  ...reply,
  headers: { ...reply.headers, 'x-amzn-requestid': id },
});

/** What is told before anybody has looked what a request is for. */
const plainReply = (status: number, text: string): WireReply => ({
  status,
  headers: { 'content-type': 'text/plain' },
  text: `${text}\n`,
});

const badBodyReply = ({ status, message }: BadBody): WireReply =>
  plainReply(status, status === 413 ? `HTTP content length exceeded ${maxBodyBytes} bytes.` : message);
