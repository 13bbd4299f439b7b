import type { ObservableInput, OperatorFunction } from 'rxjs';
import { from, NEVER, Observable, Subscription } from 'rxjs';
import type { Urgency } from './urgency.ts';
import { isMoreUrgent } from './urgency.ts';
import { createWaitingLine } from './waiting-line.ts';

export interface ByKeyOptions<T> {
  readonly keyOf: (item: T) => string;
  /** How soon an item has its turn; default: all the same. */
  readonly urgencyOf?: (item: T) => Urgency;
  /** How many items are projected at a time. */
  readonly concurrency: number;
  /** Once it emits, the source is left, what waits is dropped, and the result completes with the last run. */
  readonly drain$?: Observable<unknown>;
  /** Told of an item that takes a free slot of its key (not of one that replaces another). */
  readonly onWaiting?: (key: string) => void;
  /** Told of items that `drain$` dropped. */
  readonly onDropped?: (key: string) => void;
}

/** What a key is still to run with. */
interface Slot<T> {
  /** The newest. */
  readonly item: T;
  /** The most urgent of those that came since the last run began, and how urgent it was then. */
  readonly mostUrgent: T;
  readonly urgency: Urgency;
}

/**
 * Projects items one at a time per key, at most `concurrency` at a time, in the order of `waiting-line.ts`. Each key has
 * one slot: a newer item replaces the one that waits, so a burst costs one run, as urgent as the most urgent of them; and
 * one that arrives during a run has its turn after it, as urgent as it is by then. Completes when the source has and nothing
 * waits or runs. An error of the source, of `keyOf`, `urgencyOf`, `project` or of what that returns ends the stream: make
 * errors values first. Unsubscribing unsubscribes from every run.
 */
export function mergeMapByKey<T, R>(
  project: (item: T) => ObservableInput<R>,
  options: ByKeyOptions<T>,
): OperatorFunction<T, R> {
  const { keyOf, urgencyOf = () => 'normal', concurrency, drain$ = NEVER, onWaiting, onDropped } = options;
  return (source) =>
    new Observable((subscriber) => {
      /** The newest item of each key that is still to run. */
      const slots = new Map<string, Slot<T>>();
      const running = new Set<string>();
      /** Keys with an item and no run. */
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
              // The run may have done what was urgent about it.
              if (waiting !== undefined) ready.add(key, urgencyOf(waiting.mostUrgent));
              startReady();
            },
          }),
        );
      }

      /** A loop, not a recursion: runs may end at once. */
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
            if (running.has(key)) return;
            ready.add(key, urgency);
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
