import type { ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Logger } from '../log/log.ts';

/** The object to reconcile: a key, never an event. */
export type Request = ObjectKey;

/**
 * The next run of a key after a run without error.
 * - `done`: its back-off is reset; an event brings it back.
 * - `after`: its back-off is reset, and it runs again after a delay. With `keepsBackOff` the back-off stays, because the run
 *   has settled nothing.
 * - `requeue`: it runs again through the back-off, which grows.
 */
export type Result = (
  | { readonly type: 'done' }
  | { readonly type: 'after'; readonly delayMs: number; readonly keepsBackOff?: boolean }
  | { readonly type: 'requeue' }
) & {
  /** The decision of the run, as in docs/decision-tables.md, for the log. */
  readonly decision?: string;
  /**
   * Why the run failed, in the words of the object's condition. The run counts as an error, also if a user has to fix it. It is
   * logged at growing intervals while the failure lasts.
   */
  readonly failure?: string;
  /** A programming error that the run has reported on the object. It is logged with its stack, and counted. */
  readonly bug?: Error;
};

export const done: Result = { type: 'done' };
export const requeue: Result = { type: 'requeue' };
export const after = (delayMs: number): Result => ({ type: 'after', delayMs });
/** `after` for a run that has settled nothing: the back-off keeps growing. */
export const unsettled = (delayMs: number): Result => ({ type: 'after', delayMs, keepsBackOff: true });

/**
 * Brings one object closer to its desired state. Runs at most once at a time per key. A thrown error requeues the key
 * through the back-off and is logged. A thrown conflict (409) requeues it without a log line. The signal aborts when the
 * run takes too long or the process stops without draining. The log has the fields of the run: controller, kind, object
 * and `reconcileID`.
 *
 *     const reconcile: Reconciler = async (request, signal) => {
 *       const claim = claims.get(request);
 *       if (claim === undefined) return done; // its creation wakes this controller
 *       const { name, desired } = decide(claim);
 *       await claims.update(claim, desired, signal); // no request if nothing differs
 *       return { ...after(60_000), decision: name };
 *     };
 */
export type Reconciler = (request: Request, signal: AbortSignal, log: Logger) => Promise<Result>;
