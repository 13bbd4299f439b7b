/* What travels between the process and the page. */

export type NodeSort = 'claim' | 'class' | 'managed' | 'provider';

/**
 * How an object fares, told by colour and shape.
 * - `ok`: ready.
 * - `troubled`: ready, and its last look failed.
 * - `waits`: on its way, or waiting for something.
 * - `broken`: somebody has to do something.
 * - `going`: being deleted.
 */
export type Health = 'ok' | 'troubled' | 'waits' | 'broken' | 'going';

/** What the page knows of an object. Never anything of a secret. */
export interface GraphNode {
  /** Of all kinds and names. */
  readonly id: string;
  readonly sort: NodeSort;
  readonly kind: string;
  /** `plural.group`, as `/trace` wants it. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  readonly health: Health;
  /** Bound, Unbound, Released; of a class or provider nothing. */
  readonly phase?: string;
  /** Of Ready; of Synced where it is ready and troubled all the same. */
  readonly reason?: string;
  readonly message?: string;
  /** The ids of what it leads to. */
  readonly to: readonly string[];
  readonly createdAt?: string;
}

/** Something that a controller told of an object. */
export interface ToldEvent {
  readonly at: string;
  readonly type: 'Normal' | 'Warning';
  readonly id: string;
  readonly object: string;
  readonly reason: string;
  readonly message: string;
}

/** What changed since the last message; the first ones tell of all there is. */
export interface Batch {
  readonly nodes: readonly GraphNode[];
  /** The ids of what is gone. */
  readonly gone: readonly string[];
  readonly told: readonly ToldEvent[];
}

/** The first message. */
export interface Greeting {
  readonly version: string;
  readonly stacks: readonly string[];
}
