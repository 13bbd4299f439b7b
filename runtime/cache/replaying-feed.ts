import { Observable } from 'rxjs';
import type { Clock } from '../time/clock.ts';

/** How many items are replayed at a time. */
const replaySlice = 100;

/** Delivers items to its subscribers, each of whom first gets the present ones. */
export interface ReplayingFeed<T> {
  /** Queues the item for all subscribers before any gets it. An item that a subscriber causes is delivered after it. */
  publish(item: T): void;
  /** At subscription, emits `present()`, in slices if they are many. Then emits each published item. Never completes. */
  from(present: () => readonly T[]): Observable<T>;
}

/** One subscriber and its items that are not yet delivered, oldest first. */
interface Listener<T> {
  next: number;
  pending: T[];
  isDelivering: boolean;
  readonly deliver: (item: T) => void;
  readonly isClosed: () => boolean;
}

export function createReplayingFeed<T>(clock: Pick<Clock, 'turns'>): ReplayingFeed<T> {
  const listeners = new Set<Listener<T>>();
  return {
    publish(item) {
      for (const listener of listeners) listener.pending.push(item);
      for (const listener of [...listeners]) drain(listener);
    },
    from: (present) =>
      new Observable((subscriber) => {
        const listener: Listener<T> = {
          next: 0,
          pending: [...present()],
          isDelivering: false,
          deliver: (item) => subscriber.next(item),
          isClosed: () => subscriber.closed,
        };
        listeners.add(listener);
        subscriber.add(() => listeners.delete(listener));
        replay(listener, clock);
      }),
  };
}

/** Delivers the pending items before `end()`, which may grow. */
function deliverUntil<T>(listener: Listener<T>, end: () => number): void {
  while (listener.next < end() && !listener.isClosed()) {
    const item = listener.pending[listener.next]!;
    listener.next += 1;
    listener.deliver(item);
  }
}

/** Delivers all pending items, unless that is under way. */
function drain<T>(listener: Listener<T>): void {
  if (listener.isDelivering) return;
  listener.isDelivering = true;
  deliverUntil(listener, () => listener.pending.length);
  listener.pending = [];
  listener.next = 0;
  listener.isDelivering = false;
}

/** Delivers the present items: a few at once, many in slices. Items published during that time are delivered afterwards. */
function replay<T>(listener: Listener<T>, { turns }: Pick<Clock, 'turns'>): void {
  const count = listener.pending.length;
  if (count <= replaySlice) {
    drain(listener);
    return;
  }
  listener.isDelivering = true;
  const deliverSlice = (): void => {
    const end = Math.min(listener.next + replaySlice, count);
    deliverUntil(listener, () => end);
    if (listener.isClosed()) return;
    if (listener.next < count) {
      turns.run(deliverSlice);
      return;
    }
    listener.isDelivering = false;
    drain(listener);
  };
  turns.run(deliverSlice);
}
