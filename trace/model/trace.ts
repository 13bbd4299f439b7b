import type { Condition } from '../../apis/core/v1alpha1/condition.ts';

/** The parts of the chain from a claim to its server, each of which may be the one that is broken. */
export type LinkName =
  | 'claim'
  | 'choice'
  | 'class'
  | 'resource'
  | 'references'
  | 'external'
  | 'provider'
  | 'credentials'
  | 'server'
  | 'resource secret'
  | 'claim secret'
  | 'users'
  | 'controllers';

/**
 * How a link fares.
 * - `broken`: the cause lies here.
 * - `waits`: it is not as it should be, for a reason that lies elsewhere, or because it is on its way.
 * - `unknown`: it could not be read, or nobody can tell.
 * - `none`: there is none, and none is wanted.
 */
export type LinkState = 'ok' | 'broken' | 'waits' | 'unknown' | 'none';

export interface Link {
  readonly name: LinkName;
  /** `FancySQLInstance team-shop/orders`. */
  readonly title: string;
  readonly state: LinkState;
  /** What is known of it, a sentence each. */
  readonly says: readonly string[];
  readonly conditions: readonly Condition[];
  /** The line of docs/decision-tables.md that its controller takes, as things are. */
  readonly decision?: string;
  readonly links: readonly Link[];
}

/** What is wrong, where, and what mends it. */
export interface Fault {
  /** `no match`, `provider down`, …: a line of the table in docs/trace.md. */
  readonly name: string;
  readonly link: LinkName;
  /** One sentence. */
  readonly cause: string;
  /** What to do, where a command does not say it all. */
  readonly advice?: string;
  /** Commands; words in capitals, as `FILE`, are for the reader to fill in. */
  readonly mend: readonly string[];
}

/** Something that was told of one of the objects. */
export interface Told {
  readonly at: string;
  readonly type: string;
  readonly object: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly from: string;
}

/**
 * - `usable`: it can be used.
 * - `usable, but`: it can be used, and something is wrong all the same.
 * - `on its way`: nothing is wrong, and it is not ready yet.
 * - `going`: it is being deleted, and nothing stands in the way.
 * - `broken`: it cannot be used, or does not go, and somebody has to do something.
 * - `absent`, `withheld`: there is none, or it may not be read.
 */
export type Verdict = 'usable' | 'usable, but' | 'on its way' | 'going' | 'broken' | 'absent' | 'withheld';

/** All that can be told of one object. */
export interface Trace {
  readonly subject: string;
  readonly verdict: Verdict;
  readonly isUsable: boolean;
  readonly fault?: Fault;
  readonly links: readonly Link[];
  /** Oldest first. */
  readonly timeline: readonly Told[];
  /** What could not be read, and why that may matter. */
  readonly gaps: readonly string[];
  /** Of what is absent: what may have been meant. */
  readonly hints?: readonly string[];
}
