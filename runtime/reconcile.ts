import type { Logger } from './log.ts';

/** Which object to reconcile: a key, never an event. `namespace` is absent for cluster-scoped objects. */
export interface Request {
  readonly namespace?: string;
  readonly name: string;
}

/**
 * What to do with a key after a run without error.
 * - `done`: forget its back-off; an event brings it back.
 * - `after`: forget its back-off and run again after a delay.
 * - `requeue`: run again through the back-off, which grows.
 */
export type Result =
  | { readonly type: 'done' }
  | { readonly type: 'after'; readonly delayMs: number }
  | { readonly type: 'requeue' };

export const done: Result = { type: 'done' };
export const requeue: Result = { type: 'requeue' };
export const after = (delayMs: number): Result => ({ type: 'after', delayMs });

/**
 * Brings one object closer to its desired state. Runs at most once at a time per key. A thrown error puts
 * the key back through the back-off and is logged; a thrown conflict (409) is put back silently. The signal
 * aborts when the run exceeds its time or the process stops in a hurry. The log names the run: controller, kind, object
 * and `reconcileID`.
 */
export type Reconciler = (request: Request, signal: AbortSignal, log: Logger) => Promise<Result>;

/** `namespace/name`, or `name` alone: one string per object of a kind. */
export const requestKey = ({ namespace, name }: Request): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** The request for an object or reference. */
export const requestFor = ({
  namespace,
  name,
}: {
  readonly namespace?: string;
  readonly name: string;
}): Request => (namespace === undefined ? { name } : { namespace, name });
