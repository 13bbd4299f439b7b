import type { Request, Result } from './reconcile.ts';
import type { Asking } from './urgency.ts';

/** The end of a run of a key: the reconciler's result, or a conflict or interruption, which share a back-off. */
export type Next =
  | Exclude<Result, { readonly type: 'requeue' }>
  /** `atLeastMs`: a minimum delay, for example from Retry-After. */
  | { readonly type: 'requeue'; readonly atLeastMs?: number }
  | { readonly type: 'conflict' }
  | { readonly type: 'interrupted' };

/** A request and its reason, which completes "reconciled because …". */
export interface Wake {
  readonly request: Request;
  readonly because: string;
  readonly asking: Asking;
  /** The version of an object that was written. If the key's own run wrote it, no other run is needed. */
  readonly version?: string;
}

/** Why a key runs again without an event. */
export const returnReasons = {
  after: 'the delay that its last run asked for is over',
  requeue: 'the last attempt failed',
  conflict: 'it changed while it was reconciled',
  interrupted: 'the leadership was interrupted',
} as const;
