import type { Observable } from 'rxjs';
import { map, merge } from 'rxjs';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import type { Trigger } from '../../../runtime/controller/triggers.ts';

/** Whom triggers wake. */
export const requestsOf = (...triggers: readonly Trigger[]): Observable<Request> =>
  merge(...triggers.map(({ wakes$ }) => wakes$)).pipe(map(({ request }) => request));
