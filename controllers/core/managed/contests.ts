import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { boundedCache } from '../../../runtime/bounded-cache.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Backoff } from '../../../runtime/time/backoff.ts';
import { createBackoff } from '../../../runtime/time/backoff.ts';

/**
 * Two processes that run by mistake and set credentials at a time disown each other's (docs/decisions/0027). Were both to
 * set others at once, each would find those of the other one published, over and over, for as long as both run. Who came
 * second, and has put that on record, leaves it to the other one for a while, which is longer each time; nobody else does
 * it where that has ended.
 */
export interface Contests {
  /** Another process has published meanwhile, and it is on record that nobody knows whose credentials count. */
  lost(managed: Managed): void;
  /** For how long the other one is to be left alone, in ms; 0: nobody is. */
  awaitedMs(managed: Managed): number;
}

interface Contest {
  /** How long it takes, each time that it comes soon after the last. */
  readonly backoff: Backoff;
  readonly untilMs: number;
}

/** The first is longer than another process takes to be told, mostly, and to set and publish others. */
const waits = { baseMs: 3_000, maxMs: 120_000, jitter: 1, resetAfterMs: 600_000 } as const;

/** Two processes run seldom, and one that is forgotten begins with a short wait again. */
const maxContests = 1_000;

export function createContests({ clock, random }: Pick<Environment, 'clock' | 'random'>): Contests {
  /** The last one of each managed resource, by its UID. */
  const last = boundedCache<Contest>(maxContests);

  return {
    lost({ metadata: { uid = '' } }) {
      const { backoff } = last.get(uid) ?? { backoff: createBackoff(clock, { ...waits, random }) };
      last.set(uid, { backoff, untilMs: clock.elapsedMs() + backoff.next() });
    },
    awaitedMs({ metadata: { uid = '' } }) {
      const { untilMs = 0 } = last.get(uid) ?? {};
      return Math.max(0, untilMs - clock.elapsedMs());
    },
  };
}
