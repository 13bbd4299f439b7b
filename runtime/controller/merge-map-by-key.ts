import type { ObservableInput, OperatorFunction } from 'rxjs';
import { from, NEVER, Observable, Subscription } from 'rxjs';
import type { Urgency } from './urgency.ts';
import { createWaitingLine, isMoreUrgent } from './urgency.ts';

export interface ByKeyOptions<T> {
  readonly keyOf: (item: T) => string;
  /** The urgency of an item; default: the same for all. */
  readonly urgencyOf?: (item: T) => Urgency;
  /** The group of an item: groups take turns. Default: one group. */
  readonly groupOf?: (item: T) => string;
  /** How many items are projected at a time. */
  readonly concurrency: number;
  /** Once it emits, the source is unsubscribed, waiting items are dropped, and the result completes with the last run. */
  readonly drain$?: Observable<unknown>;
  /** Called when a key starts to wait, but not when an item replaces a waiting one. */
  readonly onWaiting?: (key: string) => void;
  /** Called for each key whose waiting item `drain$` dropped. */
  readonly onDropped?: (key: string) => void;
}

/** The waiting item of a key. */
interface Slot<T> {
  /** The newest item. */
  readonly item: T;
  /** The most urgent item since the last run began, and its urgency at that time. */
  readonly mostUrgent: T;
  readonly urgency: Urgency;
}

/**
 * Projects items, one at a time per key and at most `concurrency` at a time, in the order of `createWaitingLine`.
 *
 * - Each key has one slot. A newer item replaces the waiting one, so that a burst costs one run, as urgent as its most
 *   urgent item. An item that arrives during a run waits for its end; its urgency is computed again then.
 * - Completes when the source has completed and no key waits or runs.
 * - An error of the source, of `keyOf`, `urgencyOf`, `groupOf`, `project` or of a run ends the stream: convert errors to values first.
 * - Unsubscribing unsubscribes from every run.
 */
export function mergeMapByKey<T, R>(
  project: (item: T) => ObservableInput<R>,
  options: ByKeyOptions<T>,
): OperatorFunction<T, R> {
  const { keyOf, urgencyOf = () => 'normal', groupOf = () => '' } = options;
  const { concurrency, drain$ = NEVER, onWaiting, onDropped } = options;
  return (source) =>
    new Observable((subscriber) => {
      /** The waiting items by key. */
      const slots = new Map<string, Slot<T>>();
      const running = new Set<string>();
      /** The keys that wait and do not run. */
      const ready = createWaitingLine();
      let isEnded = false;
      let isStarting = false;

      const completeIfIdle = (): void => {
        if (isEnded && running.size === 0 && slots.size === 0) subscriber.complete();
      };

      function run(key: string): void {
        const { item } = slots.get(key)!;
        slots.delete(key);
        running.add(key);
        const subscription = new Subscription();
        subscriber.add(subscription);
        let projected: Observable<R>;
        try {
          projected = from(project(item));
        } catch (error) {
          subscriber.error(error);
          return;
        }
        subscription.add(
          projected.subscribe({
            next: (value) => subscriber.next(value),
            error: (error: unknown) => subscriber.error(error),
            complete() {
              running.delete(key);
              subscriber.remove(subscription);
              const waiting = slots.get(key);
              // The run may have done the urgent work.
              // guard: otherwise an item that arrives during a run is lost
              if (waiting !== undefined) ready.add(key, urgencyOf(waiting.mostUrgent), groupOf(waiting.item));
              startReady();
            },
          }),
        );
      }

      /** A loop and not a recursion: runs may end synchronously. */
      function startReady(): void {
        if (isStarting) return;
        isStarting = true;
        while (running.size < concurrency && !subscriber.closed) {
          const key = ready.take();
          if (key === undefined) break;
          run(key);
        }
        isStarting = false;
        completeIfIdle();
      }

      const arrivals = new Subscription();
      subscriber.add(arrivals);
      arrivals.add(
        drain$.subscribe({
          next() {
            arrivals.unsubscribe();
            const dropped = [...slots.keys()];
            slots.clear();
            ready.clear();
            isEnded = true;
            for (const key of dropped) onDropped?.(key);
            completeIfIdle();
          },
          error: (error: unknown) => subscriber.error(error),
        }),
      );
      if (arrivals.closed) return;
      arrivals.add(
        source.subscribe({
          next(item) {
            let key: string;
            let urgency: Urgency;
            try {
              key = keyOf(item);
              urgency = urgencyOf(item);
            } catch (error) {
              subscriber.error(error);
              return;
            }
            const replaced = slots.get(key);
            const isUrged = replaced === undefined || isMoreUrgent(urgency, replaced.urgency);
            slots.set(key, isUrged ? { item, mostUrgent: item, urgency } : { ...replaced, item });
            if (replaced === undefined) onWaiting?.(key);
            if (running.has(key)) return; // guard: otherwise two runs of one key overlap
            ready.add(key, urgency, groupOf(item));
            startReady();
          },
          error: (error: unknown) => subscriber.error(error),
          complete() {
            isEnded = true;
            completeIfIdle();
          },
        }),
      );
    });
}
