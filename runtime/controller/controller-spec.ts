import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Store } from '../cache/store.ts';
import type { Reconciler, Request } from './reconcile.ts';
import type { StackNeeds } from './stack-needs.ts';
import type { Trigger } from './triggers.ts';
import type { Stage } from './urgency.ts';

/** A controller before it runs: what wakes it and what it does. */
export interface ControllerSpec {
  readonly name: string;
  readonly triggers: readonly Trigger[];
  readonly reconcile: Reconciler;
  /** What it reconciles: looked over again every sync period, in case an event was missed. */
  readonly objects?: Pick<Store<KubernetesObject>, 'all' | 'kind'>;
  /** How far an object has come: what was begun goes first. Absent: all are treated alike. */
  readonly stageOf?: (request: Request) => Stage;
  /** What has to be there before it runs; absent: every kind that the process asks for. */
  readonly stack?: StackNeeds;
  /**
   * What lines of the log say of an object beside its kind and key: whose it is, for one. Asked only where a line is written;
   * nothing for an object that is not there.
   */
  readonly about?: (request: Request) => Readonly<Record<string, unknown>>;
  /** Delays after errors and `requeue`, per key, doubling. */
  readonly backoff?: { readonly baseMs: number; readonly maxMs: number };
}
