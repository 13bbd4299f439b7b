import type { Line } from '../time/turns-by-group.ts';
import { firstInFirstOut, turnsByGroup } from '../time/turns-by-group.ts';

/*
 *   the progress of the object ────┐
 *                                  ├──▶ urgency ──┐
 *   the source of the request ─────┘              ├──▶ when its key runs
 *   the namespace that it counts for ─────────────┘
 */

/** The urgency of a key, the most urgent first. */
export const urgencies = ['urgent', 'normal', 'routine'] as const;
export type Urgency = (typeof urgencies)[number];

/**
 * The progress of an object.
 * - `new`: no work was done for it yet.
 * - `begun`: some work was done, and the rest can be done now.
 * - `waiting`: some work was done, and the rest depends on another event.
 * - `settled`: as far as is known, it is in its desired state.
 */
export type Stage = 'new' | 'begun' | 'waiting' | 'settled';

/**
 * The source of a request.
 * - `change`: the object, or an object that it refers to, changed.
 * - `shared change`: the same, for an object that many others refer to.
 * - `appearance`: an object is seen for the first time. For settled objects that means that the process has started.
 * - `return`: the key comes back after a delay, to be observed or tried again.
 * - `sync period`: the sync period is over.
 */
export type Asking = 'change' | 'shared change' | 'appearance' | 'return' | 'sync period';

/**
 * Started work is finished before new work is begun, so that of many objects that arrive together some are ready soon. An
 * edit of a settled object is also answered at once. Periodic observations come last. Objects that wait take turns with new
 * ones: observing them first would delay the new ones, and would find nothing to do. `WaitingLine` says
 * what an urgency means between namespaces.
 */
const table: Readonly<Record<Asking, Readonly<Record<Stage, Urgency>>>> = {
  change: { new: 'normal', begun: 'urgent', waiting: 'normal', settled: 'urgent' },
  'shared change': { new: 'normal', begun: 'normal', waiting: 'normal', settled: 'normal' },
  appearance: { new: 'normal', begun: 'urgent', waiting: 'normal', settled: 'routine' },
  return: { new: 'normal', begun: 'normal', waiting: 'normal', settled: 'routine' },
  'sync period': { new: 'routine', begun: 'routine', waiting: 'routine', settled: 'routine' },
};

export const urgencyOf = (asking: Asking, stage: Stage): Urgency => table[asking][stage];

export const isMoreUrgent = (one: Urgency, other: Urgency): boolean =>
  urgencies.indexOf(one) < urgencies.indexOf(other);

/** Keys that wait, each once. */
export interface WaitingLine {
  /** Adds a key. A key that already waits moves up if it is more urgent now; otherwise it keeps its place. */
  add(key: string, urgency: Urgency, group?: string): void;
  /** Removes and returns the next key; undefined: no key waits. */
  take(): string | undefined;
  clear(): void;
}

interface Place {
  readonly key: string;
  readonly urgency: Urgency;
}

/** Every so many turns a less urgent key is next, so that no key waits forever. */
const turnsOfUrgency = 8;

/**
 * An empty line. The cost of adding and taking does not depend on its length.
 *
 * - Urgent and normal keys: the groups take turns. A group's own urgent keys come before its normal ones. They do not
 *   come before the normal keys of another group: a team that began much must not delay another team's first claim.
 * - Routine keys of all groups come after these, and their groups take turns, too.
 * - Every eighth turn is for a less urgent key: a routine key; and of a group's own turns, a normal key.
 * - Keys of one group and urgency come in their order.
 */
export function createWaitingLine(): WaitingLine {
  const places = new Map<string, Place>();
  /** A place that was replaced by a better one stays in its line, and is skipped. */
  const inOrder = () => firstInFirstOut<Place>((place) => places.get(place.key) === place);
  const empty = () => {
    const prompt = turnsByGroup(() => withinGroup(inOrder(), inOrder()));
    const routine = turnsByGroup(inOrder);
    return { prompt, routine, take: preferring(prompt, routine) };
  };
  let lines = empty();

  return {
    add(key, urgency, group = '') {
      const known = places.get(key);
      if (known !== undefined && !isMoreUrgent(urgency, known.urgency)) return;
      const place = { key, urgency };
      places.set(key, place);
      (urgency === 'routine' ? lines.routine : lines.prompt).add(group, place);
    },
    take() {
      const place = lines.take();
      if (place !== undefined) places.delete(place.key);
      return place?.key;
    },
    clear() {
      places.clear();
      lines = empty();
    },
  };
}

const withinGroup = (urgent: Line<Place>, normal: Line<Place>): Line<Place> => ({
  add: (place) => (place.urgency === 'urgent' ? urgent : normal).add(place),
  take: preferring(urgent, normal),
});

/** Takes from the first line while it has items, and every eighth time from the other. */
function preferring<T>(first: Pick<Line<T>, 'take'>, other: Pick<Line<T>, 'take'>): () => T | undefined {
  let turns = 0;
  return () => {
    turns += 1;
    const isOthers = turns % turnsOfUrgency === 0; // guard: otherwise a less urgent key waits forever
    return isOthers ? (other.take() ?? first.take()) : (first.take() ?? other.take());
  };
}
