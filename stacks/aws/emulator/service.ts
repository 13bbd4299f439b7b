import type { Account } from './account.ts';
import type { Collection, Delays } from './collection.ts';
import type { Inventory } from './inventory.ts';
import type { AwsProblem } from './problem.ts';
import type { QuotaName } from './quotas.ts';
import type { WireReply, WireRequest } from './wire.ts';

/** The parameters of a request, as JSON for every protocol. In the query protocol numbers are texts. */
export type Params = Readonly<Record<string, unknown>>;

/** The format of requests and replies. */
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
  readonly inventory: Inventory;
  /** The resources of one sort (`ec2/vpc`) in the caller's account and region. `delays` override those of the cloud. */
  collection<T>(sort: string, delays?: Partial<Delays>): Collection<T>;
  /** How long creation and deletion take. */
  readonly delays: Delays;
  /** A quota, for example of `vpc`. */
  quota(name: QuotaName): number;
  /** A new id: `vpc-0a1b…`, with 17 digits after the prefix. */
  newId(prefix: string): string;
  /** Clock in milliseconds. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
}

/** An action. Returns the output for the protocol; in XML an array becomes repeated elements. Throws AwsProblem. */
export type Action = (call: Call) => object | Promise<object>;

/** The errors of a service before it runs an action. */
export interface Refusals {
  /** No account has this access key. */
  unknownKey(): AwsProblem;
  /** The signature does not match the secret of the access key. */
  wrongSignature(why: string): AwsProblem;
  denied(who: string, action: string): AwsProblem;
  throttled(): AwsProblem;
  unknownAction(action: string): AwsProblem;
  failed(): AwsProblem;
}

/** One service of the cloud. */
export interface Service {
  /** The name in the scope of a signature: `ec2`. */
  readonly name: string;
  /** The first that can read a request answers it. */
  readonly protocols: readonly [Protocol, ...Protocol[]];
  readonly actions: Readonly<Record<string, Action>>;
  readonly refusals: Refusals;
  /** Stops the servers behind its resources. */
  stop?(): Promise<void>;
}
