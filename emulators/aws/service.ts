import type { Account } from './account.ts';
import type { Collection, Delays } from './collection.ts';
import type { Estate } from './inventory.ts';
import type { AwsProblem } from './problem.ts';
import type { QuotaName } from './quotas.ts';
import type { WireReply, WireRequest } from './wire.ts';

/** What a request asks for: a tree as JSON has it, whatever the protocol; numbers of the query protocol are texts. */
export type Params = Readonly<Record<string, unknown>>;

/** How requests and answers look on the wire. */
export interface Protocol {
  readonly name: 'ec2' | 'query' | 'json' | 'rest';
  /** Undefined: the request is not of this protocol. Throws AwsProblem for one that cannot be read. */
  read(request: WireRequest): { readonly action: string; readonly params: Params } | undefined;
  answer(action: string, output: object, requestId: string): WireReply;
  refusal(problem: AwsProblem, requestId: string): WireReply;
}

/** One call of one action. */
export interface Call {
  readonly params: Params;
  readonly protocol: Protocol['name'];
  readonly account: Account;
  readonly region: string;
  readonly estate: Estate;
  /** The things of a sort (`ec2/vpc`) in the caller's account and region. `delays` are laid over the cloud's. */
  things<T>(sort: string, delays?: Partial<Delays>): Collection<T>;
  /** How long what takes time takes in this cloud. */
  readonly delays: Delays;
  /** How many there may be of something, as `vpc`. */
  quota(name: QuotaName): number;
  /** An id that was never given out: `vpc-0a1b…`, of 17 digits after the prefix. */
  newId(prefix: string): string;
  /** Clock in milliseconds. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
}

/** Does the work. What it returns is what the protocol shows; where that is XML, an array is an element for each. Throws AwsProblem. */
export type Action = (call: Call) => object | Promise<object>;

/** How a service refuses what it did not even begin. */
export interface Refusals {
  /** Nobody has this access key. */
  unknownKey(): AwsProblem;
  /** The signature is not that of the key's secret. */
  wrongSignature(why: string): AwsProblem;
  denied(who: string, action: string): AwsProblem;
  throttled(): AwsProblem;
  unknownAction(action: string): AwsProblem;
  failed(): AwsProblem;
}

/** One service of the cloud. */
export interface Service {
  /** As in the scope of a signature: `ec2`. */
  readonly name: string;
  /** The first that can read a request answers it. */
  readonly protocols: readonly [Protocol, ...Protocol[]];
  readonly actions: Readonly<Record<string, Action>>;
  readonly refusals: Refusals;
  /** Ends what stands behind its things. */
  stop?(): Promise<void>;
}
