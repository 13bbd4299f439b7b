import type { Condition } from '../../apis/core/v1alpha1/condition.ts';

/** The parts of the chain from a claim to its external system. */
export type LinkName =
  | 'claim'
  | 'class'
  | 'resource'
  | 'external'
  | 'provider'
  | 'credentials'
  | 'server'
  | 'resource secret'
  | 'claim secret'
  | 'users'
  | 'controllers';

/**
 * - `broken`: it is the cause.
 * - `waits`: it is not ready because of another link, or because it is in progress.
 * - `unknown`: it could not be read, or its state cannot be known.
 * - `none`: it does not exist and is not wanted.
 */
export type LinkState = 'ok' | 'broken' | 'waits' | 'unknown' | 'none';

export interface Link {
  readonly name: LinkName;
  /** `FancySQLInstance team-shop/orders`. */
  readonly title: string;
  readonly state: LinkState;
  /** The known facts, a sentence each. */
  readonly says: readonly string[];
  readonly conditions: readonly Condition[];
  /** The last decision of its controller, if it is known: a row of docs/decision-tables.md. */
  readonly decision?: string;
  readonly links: readonly Link[];
}

export interface Fault {
  /** For example `no match`: a row of the table in docs/trace.md. */
  readonly name: string;
  readonly link: LinkName;
  /** One sentence. */
  readonly cause: string;
  /** The part of the fix that is not a command. */
  readonly advice?: string;
  /** Commands. The user replaces words in capitals, such as `FILE`. */
  readonly commands: readonly string[];
}

/** An Event of one of the objects. */
export interface TraceEvent {
  readonly at: string;
  readonly type: string;
  readonly object: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/**
 * - `usable, but`: it can be used, and it has a fault.
 * - `in progress`: it is not ready yet, and has no fault.
 * - `being deleted`: it is being deleted, and has no fault.
 * - `broken`: it cannot be used or deleted until a user fixes the fault.
 * - `absent`, `withheld`: it does not exist, or the user may not read it.
 */
export type Verdict =
  | 'usable'
  | 'usable, but'
  | 'in progress'
  | 'being deleted'
  | 'broken'
  | 'absent'
  | 'withheld';

export interface Trace {
  readonly subject: string;
  readonly verdict: Verdict;
  readonly isUsable: boolean;
  readonly fault?: Fault;
  readonly links: readonly Link[];
  /** Oldest first. */
  readonly timeline: readonly TraceEvent[];
  /** The objects that the user may not read. */
  readonly gaps: readonly string[];
  /** Similar names of existing objects, if the object is absent. */
  readonly hints?: readonly string[];
}
