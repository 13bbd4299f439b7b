import type { Observable } from 'rxjs';
import type { Reconciler, Request } from './reconcile.ts';

/** A controller before it runs: what wakes it and what it does. */
export interface ControllerSpec {
  readonly name: string;
  readonly triggers: readonly Observable<Request>[];
  readonly reconcile: Reconciler;
  /** Delays after errors and `requeue`, per key, doubling. */
  readonly backoff?: { readonly baseMs: number; readonly maxMs: number };
}
