import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';

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
  /** How many there were, one soon after the other. */
  readonly times: number;
  readonly atMs: number;
  readonly waitMs: number;
}

/** Longer than another process takes to be told, mostly, and to set and publish others. */
const firstWaitMs = 3_000;
const mostWaitMs = 60_000;
/** One that comes so late is not the same one. */
const forgottenAfterMs = 600_000;

export function createContests({ clock, random }: Pick<Environment, 'clock' | 'random'>): Contests {
  /** The last one of each managed resource, by its UID. */
  const last = new Map<string | undefined, Contest>();

  return {
    lost({ metadata: { uid } }) {
      const atMs = clock.elapsedMs();
      for (const [key, contest] of last) {
        if (atMs - contest.atMs > forgottenAfterMs) last.delete(key);
      }
      const times = (last.get(uid)?.times ?? 0) + 1;
      const waitMs = Math.min(firstWaitMs * 2 ** (times - 1), mostWaitMs) * (1 + random());
      last.set(uid, { times, atMs, waitMs });
    },
    awaitedMs({ metadata: { uid } }) {
      const contest = last.get(uid);
      return contest === undefined ? 0 : Math.max(0, contest.atMs + contest.waitMs - clock.elapsedMs());
    },
  };
}
