import type { Urgency } from './urgency.ts';
import { isMoreUrgent, urgencies } from './urgency.ts';

/** Keys that wait, each once: the most urgent first, and of equal urgency the oldest first. */
export interface WaitingLine {
  /** Adds a key. A key that already waits moves up if it is more urgent now; otherwise it keeps its place. */
  add(key: string, urgency: Urgency): void;
  /** Removes and returns the next key; undefined: no key waits. */
  take(): string | undefined;
  clear(): void;
}

/** Every so many turns the oldest key is next, whatever its urgency, so that no key waits forever. */
const turnsOfUrgency = 8;

interface Place {
  readonly key: string;
  readonly urgency: Urgency;
  /** Counts up; the smaller number is older. */
  readonly number: number;
}

/** An empty line. The cost of adding and taking does not depend on its length. */
export function createWaitingLine(): WaitingLine {
  const places = new Map<string, Place>();
  /** A place that was replaced by a better one stays in its queue and is skipped. */
  const queues = urgencies.map(() => createQueue<Place>((place) => places.get(place.key) === place));
  const queueOf = (urgency: Urgency) => queues[urgencies.indexOf(urgency)]!;
  let nextNumber = 0;
  let turns = 0;

  function next(): Place | undefined {
    const heads = queues.flatMap((queue) => queue.first() ?? []);
    if (turns % turnsOfUrgency !== 0) return heads[0];
    return heads.reduce<Place | undefined>(
      (oldest, head) => (oldest !== undefined && oldest.number < head.number ? oldest : head),
      undefined,
    );
  }

  return {
    add(key, urgency) {
      const known = places.get(key);
      if (known !== undefined && !isMoreUrgent(urgency, known.urgency)) return;
      const place = { key, urgency, number: nextNumber };
      nextNumber += 1;
      places.set(key, place);
      queueOf(urgency).push(place);
    },
    take() {
      if (places.size === 0) return undefined;
      turns += 1;
      const place = next();
      if (place === undefined) return undefined;
      places.delete(place.key);
      return place.key;
    },
    clear() {
      places.clear();
      for (const queue of queues) queue.clear();
    },
  };
}

/** A first-in, first-out queue that skips items which are no longer valid. */
function createQueue<T>(isValid: (item: T) => boolean) {
  let items: T[] = [];
  let head = 0;
  return {
    push: (item: T): void => void items.push(item),
    first(): T | undefined {
      while (head < items.length && !isValid(items[head]!)) head += 1;
      if (head > 1024 && head * 2 > items.length) {
        items = items.slice(head);
        head = 0;
      }
      return items[head];
    },
    clear(): void {
      items = [];
      head = 0;
    },
  };
}
