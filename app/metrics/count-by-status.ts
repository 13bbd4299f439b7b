import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import { sinceOf } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import { phaseLabel, reasonLabel, statusLabel } from './reasons.ts';

export interface Counted extends KubernetesObject {
  readonly status?:
    | { readonly bindingPhase?: string; readonly conditions?: readonly Condition[] }
    | undefined;
}

export interface Group {
  readonly labels: Readonly<Record<(typeof stateLabels)[number], string>>;
  count: number;
  /** Epoch ms: since when the oldest is not Ready. Undefined: all are Ready. */
  waitingSinceMs: number | undefined;
}

export const stateLabels = ['phase', 'ready', 'ready_reason', 'synced', 'synced_reason'] as const;

/** Counts objects by status at each scrape, so that no stored count can be out of date. */
export async function countByStatus(
  objects: readonly Counted[],
  clock: Pick<Clock, 'nextTurn'>,
): Promise<readonly Group[]> {
  const groups = new Map<string, Group>();
  await inSlices(objects, clock, ({ metadata, status }) => {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const synced = status?.conditions?.find(({ type }) => type === 'Synced');
    const labels = {
      phase: phaseLabel(status?.bindingPhase),
      ready: statusLabel(ready?.status),
      synced: statusLabel(synced?.status),
      ready_reason: reasonLabel(ready?.reason),
      synced_reason: reasonLabel(synced?.reason),
    };
    const key = Object.values(labels).join();
    const group = groups.get(key) ?? { labels, count: 0, waitingSinceMs: undefined };
    groups.set(key, group);
    group.count += 1;
    if (ready?.status === 'True') return;
    const sinceMs = Date.parse((ready && sinceOf(ready)) ?? metadata.creationTimestamp ?? '');
    if (sinceMs < (group.waitingSinceMs ?? Number.POSITIVE_INFINITY)) group.waitingSinceMs = sinceMs;
  });
  return [...groups.values()];
}

const sliceLength = 1_000;

/** Visits all items, and yields the event loop after each slice. */
export async function inSlices<T>(
  items: readonly T[],
  clock: Pick<Clock, 'nextTurn'>,
  visit: (item: T) => void,
): Promise<void> {
  for (let start = 0; start < items.length; start += sliceLength) {
    if (start > 0) await clock.nextTurn();
    items.slice(start, start + sliceLength).forEach(visit);
  }
}
