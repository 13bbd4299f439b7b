import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { boundedCache } from '../bounded-cache.ts';
import type { Clock } from '../time/clock.ts';
import type { TokenBucket, TokenRate } from '../time/token-bucket.ts';
import { fullBucket, refilled } from '../time/token-bucket.ts';
import type { Request } from './reconcile.ts';

/** How long an unchanged failure is not logged again. The time doubles, up to an hour. Milliseconds. */
const firstQuietMs = 600_000;
const longestQuietMs = 3_600_000;
/** The rate of log lines about an object whose failure is different at every attempt. */
const newsOfObject: TokenRate = { perSecond: 1 / 600, burst: 10 };
/** A failure that is forgotten is logged again. The limit covers the objects of a large provider that is down. */
const maxObjects = 20_000;

/** The failures of runs that were logged, so that each is logged once, and then less and less often. */
export interface KnownFailures {
  /**
   * Call it after a failed run. Returns how many runs have failed in this way since the last logged one, including this
   * run, if it is to be logged: the failure is new, or the last line is long enough ago. Otherwise undefined.
   */
  met(request: Request, what: string): number | undefined;
  /** Call it after a run without failure. */
  over(request: Request): void;
}

interface Known {
  readonly what: string;
  readonly loggedAtMs: number;
  readonly quietMs: number;
  readonly times: number;
  readonly news: TokenBucket;
}

/** Creates an empty set of known failures. Each controller has its own. */
export function createKnownFailures(clock: Pick<Clock, 'elapsedMs'>): KnownFailures {
  const known = boundedCache<Known>(maxObjects);
  return {
    met(request, what) {
      const key = objectKeyText(request);
      const last = known.get(key);
      const nowMs = clock.elapsedMs();
      const news = refilled(last?.news ?? fullBucket(newsOfObject, nowMs), newsOfObject, nowMs);
      const isSame = last?.what === what;
      const times = isSame ? last.times + 1 : 1;
      const isLogged = isSame ? nowMs - last.loggedAtMs >= last.quietMs : news.tokens >= 1;
      if (!isLogged) {
        known.set(key, { ...(last ?? { loggedAtMs: nowMs, quietMs: firstQuietMs }), what, times, news });
        return undefined;
      }
      const quietMs = isSame ? Math.min(2 * last.quietMs, longestQuietMs) : firstQuietMs;
      const remaining = isSame ? news : { ...news, tokens: news.tokens - 1 };
      known.set(key, { what, loggedAtMs: nowMs, quietMs, times: 0, news: remaining });
      return times;
    },
    over: (request) => void known.delete(objectKeyText(request)),
  };
}

/** The message of a programming error, and the first frame of its stack. */
export const textOfBug = ({ name, message, stack = '' }: Error): string => {
  const place = stack.split('\n').find((line) => /^ {4}at /.test(line)) ?? '';
  return `${name}: ${message}\n${place}`;
};
