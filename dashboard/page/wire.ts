/* The data that the process sends to the page. */

export type NodeSort = 'claim' | 'class' | 'managed' | 'provider';

/**
 * The health of an object, shown by colour and shape.
 * - `ok`: ready.
 * - `troubled`: ready, but the last observation failed.
 * - `waits`: in progress, or waiting for something.
 * - `broken`: a user or an administrator has to act.
 * - `going`: being deleted.
 */
export type Health = 'ok' | 'troubled' | 'waits' | 'broken' | 'going';

/** The facts about an object that the page shows. Never any part of a Secret. */
export interface GraphNode {
  /** Unique among all kinds and names. */
  readonly id: string;
  readonly sort: NodeSort;
  readonly kind: string;
  /** `plural.group`, as `/trace` expects it. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  readonly health: Health;
  /** Bound, Unbound or Released; absent for a class or provider. */
  readonly phase?: string;
  /** When a kept managed resource is deleted. */
  readonly deleteAt?: string;
  /** The reason of Ready; the reason of Synced if the object is ready and Synced is False. */
  readonly reason?: string;
  readonly message?: string;
  /** The ids of the objects that it refers to. */
  readonly to: readonly string[];
  readonly createdAt?: string;
}

/** An Event that a controller recorded. */
export interface RecordedEvent {
  readonly at: string;
  readonly type: 'Normal' | 'Warning';
  readonly id: string;
  readonly object: string;
  readonly reason: string;
  readonly message: string;
}

/** The changes since the last message; the first messages hold all present objects. */
export interface Batch {
  readonly nodes: readonly GraphNode[];
  /** The ids of deleted objects. */
  readonly deleted: readonly string[];
  readonly events: readonly RecordedEvent[];
}

/** The first message to a reader. */
export interface Greeting {
  readonly version: string;
  readonly stacks: readonly string[];
}
