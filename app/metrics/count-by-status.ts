import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import { sinceOf } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Reporter } from '../../apis/core/v1alpha1/ready-reasons.ts';
import { waitsFor } from '../../apis/core/v1alpha1/ready-reasons.ts';
import { reasonOfError } from '../../controllers/error-class.ts';
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
}

/** The objects of a namespace that are not Ready for the same reason. */
interface Waiting {
  readonly labels: Pick<Group['labels'], 'ready_reason' | 'waits_for'>;
  /** Undefined: the objects have no namespace. */
  readonly namespace: string | undefined;
  /** Epoch ms: since when the oldest is not Ready. */
  sinceMs: number;
}

export interface Counts {
  readonly groups: readonly Group[];
  readonly waiting: readonly Waiting[];
}

export const stateLabels = [
  'phase',
  'ready',
  'ready_reason',
  'waits_for',
  'synced',
  'synced_reason',
] as const;

/** Counts objects by status at each scrape, so that no stored count can be out of date. */
export async function countByStatus<T extends Counted>(
  objects: readonly T[],
  reporterOf: (object: T) => Reporter,
  clock: Pick<Clock, 'nextTurn'>,
): Promise<Counts> {
  const groups = new Map<string, Group>();
  const waiting = new Map<string, Waiting>();
  await inSlices(objects, clock, (object) => {
    const { metadata, status } = object;
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const synced = status?.conditions?.find(({ type }) => type === 'Synced');
    // A managed resource reports the class of a failure in Synced. Ready of its claim has the reason of that class.
    const cause = reasonOfError(synced?.error) ?? ready?.reason ?? '';
    const why = {
      ready_reason: reasonLabel(ready?.reason),
      waits_for: waitsFor(cause, reporterOf(object)),
    };
    const labels = {
      phase: phaseLabel(status?.bindingPhase),
      ready: statusLabel(ready?.status),
      synced: statusLabel(synced?.status),
      ...why,
      synced_reason: reasonLabel(synced?.reason),
    };
    const key = Object.values(labels).join();
    const group = groups.get(key) ?? { labels, count: 0 };
    groups.set(key, group);
    group.count += 1;
    if (ready?.status === 'True') return;
    const { namespace } = metadata;
    const sinceMs = Date.parse((ready && sinceOf(ready)) ?? metadata.creationTimestamp ?? '');
    const place = [namespace, ...Object.values(why)].join();
    const same = waiting.get(place) ?? { labels: why, namespace, sinceMs };
    waiting.set(place, same);
    if (sinceMs < same.sinceMs) same.sinceMs = sinceMs;
  });
  return { groups: [...groups.values()], waiting: [...waiting.values()] };
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
