import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Clock } from '../../../runtime/time/clock.ts';
import { phaseLabel, reasonLabel, statusLabel } from './reasons.ts';

/** What is counted: a claim, a managed resource or a ProviderConfig. */
export interface Counted extends KubernetesObject {
  readonly status?:
    | { readonly bindingPhase?: string; readonly conditions?: readonly Condition[] }
    | undefined;
}

/** Objects that say the same. */
export interface Group {
  readonly phase: string;
  readonly ready: string;
  readonly readyReason: string;
  readonly synced: string;
  readonly syncedReason: string;
  count: number;
  /** Since when the one that has waited longest has not been Ready; milliseconds since 1970, undefined: nobody waits. */
  waitingSinceMs: number | undefined;
}

/** So many objects are looked at in one turn of the event loop. */
const slice = 2_000;

/**
 * Counts objects by what they say: one walk, at each scrape, which leaves the event loop to others now and then. Nothing is
 * kept, so that nothing can go out of step.
 */
export async function census(
  objects: readonly Counted[],
  clock: Pick<Clock, 'nextTurn'>,
): Promise<readonly Group[]> {
  const groups = new Map<string, Group>();
  for (let index = 0; index < objects.length; index += 1) {
    if (index > 0 && index % slice === 0) await clock.nextTurn();
    const { metadata, status } = objects[index]!;
    let ready: Condition | undefined;
    let synced: Condition | undefined;
    for (const condition of status?.conditions ?? []) {
      if (condition.type === 'Ready') ready = condition;
      else if (condition.type === 'Synced') synced = condition;
    }
    const labels = [
      phaseLabel(status?.bindingPhase),
      statusLabel(ready?.status),
      reasonLabel(ready?.reason),
      statusLabel(synced?.status),
      reasonLabel(synced?.reason),
    ] as const;
    const key = labels.join();
    let group = groups.get(key);
    if (group === undefined) {
      const [phase, readyIs, readyReason, syncedIs, syncedReason] = labels;
      group = {
        ...{ phase, ready: readyIs, readyReason, synced: syncedIs, syncedReason },
        ...{ count: 0, waitingSinceMs: undefined },
      };
      groups.set(key, group);
    }
    group.count += 1;
    if (ready?.status === 'True') continue;
    const sinceMs = Date.parse(ready?.lastTransitionTime ?? metadata.creationTimestamp ?? '');
    if (sinceMs < (group.waitingSinceMs ?? Number.POSITIVE_INFINITY)) group.waitingSinceMs = sinceMs;
  }
  return [...groups.values()];
}
