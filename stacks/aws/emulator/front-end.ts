/*
 *   request ──▶ signature ──▶ service ──▶ protocol ──▶ permission ──▶ action ──▶ inventory
 *            signature.ts  service.ts  *-protocol.ts  account.ts   <service>/  inventory.ts
 */

import type { BadBody, LoopbackReply } from '../../../package/testing.ts';
import { gatewayReply, maxBodyBytes } from '../../../package/testing.ts';
import type { Account } from './account.ts';
import { arnOf, isDenied } from './account.ts';
import type { Fault, Faults } from './action-faults.ts';
import type { Delays } from './collection.ts';
import type { Inventory, Place } from './inventory.ts';
import { AwsProblem } from './problem.ts';
import type { QuotaName } from './quotas.ts';
import { regions } from './regions.ts';
import type { Action, Call, Params, Protocol, Service } from './service.ts';
import type { Signature } from './signature.ts';
import { signatureOf, signatureProblem } from './signature.ts';
import type { WireReply, WireRequest } from './wire.ts';

export interface FrontEndOptions {
  readonly accounts: readonly Account[];
  readonly services: readonly Service[];
  readonly inventory: Inventory;
  readonly delays: Delays;
  readonly quota: (name: QuotaName) => number;
  readonly faults: Pick<Faults, 'take'>;
  /** The fault of a request by the failure rate. */
  readonly randomFault: () => Fault | undefined;
  /** How many seconds the account must wait; 0: the request may pass. */
  readonly waitSeconds: (account: Account) => number;
  /** Counts a request, for example for `ec2:CreateVpc`. */
  readonly count: (action: string) => void;
  readonly save: () => void;
  /** Clock in milliseconds. */
  readonly now: () => number;
  /** The clock that dates signatures. */
  readonly date: () => Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** A request that was read: the action that it calls, and of whom. */
interface ApiRequest {
  /** The id of the request, for the reply. */
  readonly id: string;
  readonly wire: WireRequest;
  readonly signature: Signature;
  readonly service: Service;
  readonly protocol: Protocol;
  readonly action: string;
  /** For example `ec2:CreateVpc`. */
  readonly name: string;
  readonly params: Params;
}

/** Answers every request: reads it, injects faults, checks the signature and the permission, and calls the action. */
export function frontEnd(options: FrontEndOptions): (wire: WireRequest) => Promise<LoopbackReply> {
  return async (wire) => {
    const id = requestId(options.random);
    const signature = signatureOf(wire);
    if (signature === undefined) return plainReply(403, 'Request is missing Authentication Token');
    const service = options.services.find(({ name }) => name === signature.service);
    if (service === undefined) return plainReply(403, 'no such service');
    let protocol: Protocol = service.protocols[0];
    try {
      const read = readRequest(service, wire);
      protocol = read.protocol;
      return await answer(options, { ...read, id, wire, signature, service });
    } catch (error) {
      const problem = error instanceof AwsProblem ? error : service.refusals.failed();
      return withId(protocol.refusal(problem, id), id);
    }
  };
}

async function answer(options: FrontEndOptions, request: ApiRequest): Promise<LoopbackReply> {
  const { id, service, protocol, action, name } = request;
  options.count(name);
  const fault = options.faults.take(name) ?? options.randomFault();
  if (fault?.kind === 'hang') return 'never';
  if (fault?.kind === 'cut') return 'cut';
  if (fault?.kind === 'gateway') return gatewayReply(fault);
  if (fault?.kind === 'fail') throw problemOf(fault, service);

  const account = await authenticated(options, request);
  const act = authorized(options, request, account);
  const output = await act(callOf(options, request, account));
  if (!/^(Describe|Get|List)/.test(action)) options.save();
  if (fault?.kind === 'stall') return 'never';
  if (fault?.kind === 'loseResponse') {
    if (fault.code === undefined && fault.status === undefined) return 'cut';
    throw problemOf(fault, service);
  }
  return withId(protocol.answer(action, output, id), id);
}

/** The account that signed the request. Throws AwsProblem. */
async function authenticated(
  { accounts, date }: FrontEndOptions,
  { wire, signature, service: { refusals } }: ApiRequest,
): Promise<Account> {
  const account = accounts.find(({ accessKeyId }) => accessKeyId === signature.accessKeyId);
  if (account === undefined) throw refusals.unknownKey();
  if (!regions.has(signature.region)) {
    throw refusals.wrongSignature('Credential should be scoped to a valid region.');
  }
  const problem = await signatureProblem(wire, signature, account, date());
  if (problem !== undefined) throw refusals.wrongSignature(problem);
  return account;
}

/** The action of the request. Throws AwsProblem unless the account may call it now. */
function authorized(
  { waitSeconds }: FrontEndOptions,
  { service: { refusals, actions }, action, name }: ApiRequest,
  account: Account,
): Action {
  if (waitSeconds(account) > 0) throw refusals.throttled();
  const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (act === undefined) throw refusals.unknownAction(action);
  if (isDenied(account, name)) throw refusals.denied(arnOf(account), name);
  return act;
}

function callOf(
  { inventory, delays, now, random, quota }: FrontEndOptions,
  { params, protocol, signature: { region } }: ApiRequest,
  account: Account,
): Call {
  const place: Place = { account: account.id, region };
  return {
    params,
    protocol: protocol.name,
    account,
    region,
    inventory,
    delays,
    now,
    random,
    quota,
    collection: (sort, own) => inventory.collection(place, sort, { ...delays, ...own }),
    newId: (prefix) => `${prefix}-0${hexDigits(16, random)}`,
  };
}

/** Reads a request by the first protocol of the service that understands it. Throws AwsProblem. */
function readRequest({ name, protocols, refusals }: Service, wire: WireRequest) {
  for (const protocol of protocols) {
    const read = protocol.read(wire);
    if (read !== undefined) return { ...read, name: `${name}:${read.action}`, protocol };
  }
  throw refusals.unknownAction(`${wire.method} ${new URL(wire.target, 'http://aws').pathname}`);
}

function problemOf({ code, message, status, retryAfter }: Fault, { refusals }: Service): AwsProblem {
  const failed = refusals.failed();
  return new AwsProblem(code ?? failed.code, message ?? failed.message, {
    status: status ?? failed.status,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  });
}

/** For example the digits of `vpc-0a1b2c3d4e5f67890`. */
const hexDigits = (length: number, random: () => number): string =>
  Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');

const requestId = (random: () => number): string =>
  [8, 4, 4, 4, 12].map((length) => hexDigits(length, random)).join('-');

const withId = (reply: WireReply, id: string): WireReply => ({
  ...reply,
  headers: { ...reply.headers, 'x-amzn-requestid': id },
});

/** A reply before the service of the request is known. */
const plainReply = (status: number, text: string): WireReply => ({
  status,
  headers: { 'content-type': 'text/plain' },
  text: `${text}\n`,
});

export const badBodyReply = ({ status, message }: BadBody): WireReply =>
  plainReply(status, status === 413 ? `HTTP content length exceeded ${maxBodyBytes} bytes.` : message);
