import type { ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Logger } from '../log/log.ts';

/** Which object to reconcile: a key, never an event. */
export type Request = ObjectKey;

/**
 * What to do with a key after a run without error.
 * - `done`: forget its back-off; an event brings it back.
 * - `after`: forget its back-off and run again after a delay; with `keepsBackOff` it is left as it is, because the run has
 *   settled nothing.
 * - `requeue`: run again through the back-off, which grows.
 */
export type Result = (
  | { readonly type: 'done' }
  | { readonly type: 'after'; readonly delayMs: number; readonly keepsBackOff?: boolean }
  | { readonly type: 'requeue' }
) & {
  /** The decision that the run took, as in docs/decision-tables.md: it is in the log. */
  readonly decision?: string;
  /**
   * Why the run came to nothing, as it says on the object: it counts as an error, whoever's it is, and is logged for as
   * long as it lasts, less and less often.
   */
  readonly failure?: string;
  /** A programming error that the run met and told of on the object: it is logged with its stack, and counted. */
  readonly bug?: Error;
};

export const done: Result = { type: 'done' };
export const requeue: Result = { type: 'requeue' };
export const after = (delayMs: number): Result => ({ type: 'after', delayMs });
/** `after` for a run that has settled nothing: a back-off goes on growing. */
export const unsettled = (delayMs: number): Result => ({ type: 'after', delayMs, keepsBackOff: true });

/**
 * Brings one object closer to its desired state. Runs at most once at a time per key. A thrown error puts
 * the key back through the back-off and is logged; a thrown conflict (409) is put back silently. The signal
 * aborts when the run exceeds its time or the process stops in a hurry. The log names the run: controller, kind, object
 * and `reconcileID`.
 *
 *     const reconcile: Reconciler = async (request, signal) => {
 *       const claim = claims.get(request);
 *       if (claim === undefined) return done; // should it appear, that wakes us
 *       const { name, desired } = decide(claim);
 *       await claims.update(claim, desired, signal); // no request if nothing differs
 *       return { ...after(60_000), decision: name };
 *     };
 */
export type Reconciler = (request: Request, signal: AbortSignal, log: Logger) => Promise<Result>;
