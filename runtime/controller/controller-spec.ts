import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Store } from '../cache/store.ts';
import type { BackoffOptions } from '../time/backoff.ts';
import type { Reconciler, Request } from './reconcile.ts';
import type { ControllerNeeds } from './stack-needs.ts';
import type { Trigger } from './triggers.ts';
import type { Stage } from './urgency.ts';

/** A controller before it runs: its triggers and its reconciler. */
export interface ControllerSpec {
  readonly name: string;
  /** The sort of controller, for the log, such as `claim binding`. */
  readonly sort?: string;
  readonly triggers: readonly Trigger[];
  readonly reconcile: Reconciler;
  /** The objects that it reconciles. Each is also reconciled every sync period, in case an event was missed. */
  readonly objects?: Pick<Store<KubernetesObject>, 'all' | 'kind'>;
  /** The progress of an object; started work goes first. Absent: all objects have the same urgency. */
  readonly stageOf?: (request: Request) => Stage;
  /** The namespace that an object counts for: namespaces take turns. Absent: that of the object; '' if it has none. */
  readonly groupOf?: (request: Request) => string;
  /**
   * How long an object at rest may wait for its first run in this process, in ms. Undefined: it is not at rest, so its
   * appearance, or that of an object to which it refers, starts a run at once. Absent: no object is at rest.
   */
  readonly restMsOf?: (request: Request) => number | undefined;
  /** The most runs at a time. Few if they wait only for the API server, so that its bursts delay others less. */
  readonly mostWorkers?: number;
  /** The kinds that must be listed before it runs; absent: every kind that the process requests. */
  readonly needs?: ControllerNeeds;
  /**
   * Fields for the log lines about an object besides its kind and key, such as the owning claim. Called only when a line is
   * written; returns no fields for an object that does not exist.
   */
  readonly about?: (request: Request) => Readonly<Record<string, unknown>>;
  /** A run's signal aborts after this long; milliseconds, default 90 000. */
  readonly timeoutMs?: number;
  /** Delays after errors and `requeue`, per key; they double. */
  readonly backoff?: BackoffOptions;
}
