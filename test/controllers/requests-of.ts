import type { Observable } from 'rxjs';
import { map, merge } from 'rxjs';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { Request } from '../../runtime/controller/reconcile.ts';
import type { Trigger } from '../../runtime/controller/triggers.ts';
import type { FakeProcess } from './environment-fake.ts';

/** Whom triggers wake. */
export const requestsOf = (...triggers: readonly Trigger[]): Observable<Request> =>
  merge(...triggers.map(({ wakes$ }) => wakes$)).pipe(map(({ request }) => request));

/** The keys that triggers wake for a change, in their order. */
export async function wokenBy(
  process: FakeProcess,
  triggers: readonly Trigger[],
  change: () => unknown,
): Promise<readonly string[]> {
  await process.synced();
  const woken: string[] = [];
  const subscription = requestsOf(...triggers).subscribe((request) => woken.push(objectKeyText(request)));
  woken.length = 0; // what is there when it begins
  await change();
  subscription.unsubscribe();
  return woken;
}
