import type { ObservableInput, OperatorFunction } from 'rxjs';
import { from, NEVER, Observable, Subscription } from 'rxjs';

export interface ByKeyOptions<T> {
  readonly keyOf: (item: T) => string;
  /** How many items are projected at a time. */
  readonly concurrency: number;
  /** Once it emits, the source is left, what waits is dropped, and the result completes with the last run. */
  readonly drain$?: Observable<unknown>;
  /** Told of an item that takes a free slot of its key (not of one that replaces another). */
  readonly onWaiting?: (key: string) => void;
  /** Told of items that `drain$` dropped. */
  readonly onDropped?: (key: string) => void;
}

/**
 * Projects items one at a time per key, at most `concurrency` at a time, oldest first. Each key has one slot: a
 * newer item replaces the one that waits, so a burst costs one run, and one that arrives during a run has its
 * turn after it. Completes when the source has and nothing waits or runs. An error of the source, of `keyOf`,
 * of `project` or of what it returns ends the stream: make errors values first. Unsubscribing unsubscribes from every run.
 */
export function mergeMapByKey<T, R>(
  project: (item: T) => ObservableInput<R>,
  options: ByKeyOptions<T>,
): OperatorFunction<T, R> {
  const { keyOf, concurrency, drain$ = NEVER, onWaiting, onDropped } = options;
  return (source) =>
    new Observable((subscriber) => {
      /** The newest item of each key that is still to run. */
      const slots = new Map<string, T>();
      const running = new Set<string>();
      /** Keys with an item and no run, oldest first, from `head` on. */
      let ready: string[] = [];
      let head = 0;
      let isEnded = false;
      let isStarting = false;

      const completeIfIdle = (): void => {
        if (isEnded && running.size === 0 && slots.size === 0) subscriber.complete();
      };

      const take = (): string => {
        const key = ready[head]!;
        head += 1;
        if (head > 1024 && head * 2 > ready.length) {
          ready = ready.slice(head);
          head = 0;
        }
        return key;
      };

      function run(key: string): void {
        const item = slots.get(key)!;
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
              if (slots.has(key)) ready.push(key);
              startReady();
            },
          }),
        );
      }

      /** A loop, not a recursion: runs may end at once. */
      function startReady(): void {
        if (isStarting) return;
        isStarting = true;
        while (head < ready.length && running.size < concurrency && !subscriber.closed) run(take());
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
            ready = [];
            head = 0;
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
            try {
              key = keyOf(item);
            } catch (error) {
              subscriber.error(error);
              return;
            }
            const isNew = !slots.has(key);
            slots.set(key, item);
            if (!isNew) return;
            onWaiting?.(key);
            if (running.has(key)) return;
            ready.push(key);
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
