import type { Clock } from '../time/clock.ts';
import type { CorrelatedEvent } from './event-correlator.ts';

/** The longest time that a Normal Event waits because runs wait. */
const patienceMs = 60_000;

/** An Event that waits since this moment of the clock, in milliseconds. */
interface WaitingEvent extends CorrelatedEvent {
  readonly sinceMs: number;
}

interface EventQueueOptions {
  readonly clock: Pick<Clock, 'elapsedMs'>;
  /** Whether runs wait for their turn. */
  readonly isBusy: () => boolean;
  /** How many Events may wait. */
  readonly capacity: number;
}

/**
 * The Events that wait, each once. Warnings are sent first, and at once: a user may be looking for them. While runs wait,
 * Normal Events wait for them, for a minute at most: an Event tells what was done, and the runs of a burst need the API
 * server. If there are too many, an Event with a newer one of the same object and reason is dropped first, then the oldest
 * Normal Event, then the oldest Warning.
 */
export function createEventQueue({ clock, isBusy, capacity }: EventQueueOptions) {
  /** Oldest first. */
  const byType = { Normal: new Map<string, WaitingEvent>(), Warning: new Map<string, WaitingEvent>() };
  /** By source, object, type and reason: the name of the newest Event that waits. */
  const newest = new Map<string, string>();
  /** Waiting Events with a newer one of the same source, object, type and reason: the first to drop. */
  const outdated = new Map<string, CorrelatedEvent>();

  const waiting = ({ type, name }: Pick<CorrelatedEvent, 'type' | 'name'>): WaitingEvent | undefined =>
    byType[type].get(name);

  function keep(event: CorrelatedEvent): void {
    const { type, name, similar } = event;
    const before = byType[type].get(newest.get(similar) ?? '');
    if (before !== undefined && before.name !== name) outdated.set(before.name, before);
    outdated.delete(name);
    newest.set(similar, name);
    const { sinceMs = clock.elapsedMs() } = waiting(event) ?? {};
    byType[type].set(name, { ...event, sinceMs });
  }

  function remove({ type, name, similar }: CorrelatedEvent): void {
    byType[type].delete(name);
    outdated.delete(name);
    if (newest.get(similar) === name) newest.delete(similar);
  }

  const isDelayed = ({ sinceMs }: WaitingEvent): boolean =>
    isBusy() && clock.elapsedMs() - sinceMs < patienceMs;
  const [warnings, normals] = [byType.Warning, byType.Normal];

  return {
    /** The waiting Event of this name. */
    waiting,
    /** Adds an Event, or replaces the waiting one of its name. */
    keep,
    remove,
    isEmpty: (): boolean => warnings.size + normals.size === 0,
    /** Drops an Event if there are too many. Returns whether it did. */
    shorten(): boolean {
      if (warnings.size + normals.size <= capacity) return false;
      const first = outdated.values().next().value ?? normals.values().next().value;
      remove(first ?? warnings.values().next().value!); // the queue has more than `capacity` Events
      return true;
    },
    /** The next Event to send. `isPatient`: not one that waits for runs. */
    next(isPatient: boolean): CorrelatedEvent | undefined {
      const normal = normals.values().next().value;
      const ready = isPatient && normal !== undefined && isDelayed(normal) ? undefined : normal;
      return warnings.values().next().value ?? ready;
    },
  };
}
