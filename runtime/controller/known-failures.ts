import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { boundedCache } from '../bounded-cache.ts';
import type { Clock } from '../time/clock.ts';
import type { TokenBucket, TokenRate } from '../time/token-bucket.ts';
import { fullBucket, refilled } from '../time/token-bucket.ts';
import type { Request } from './reconcile.ts';

/** For so long a failure that stays the same is no news; then for twice as long, and so on, up to an hour. Milliseconds. */
const firstQuietMs = 600_000;
const longestQuietMs = 3_600_000;
/** What says something else at every attempt is told this often. */
const newsOfObject: TokenRate = { perSecond: 1 / 600, burst: 10 };
/** One that is forgotten is only told again: as many as objects fail when a provider of many is down. */
const maxObjects = 20_000;

/** What is remembered of the failures of runs, so that the log tells of each once, and then less and less often. */
export interface KnownFailures {
  /**
   * A run over an object has failed. Returns how often it has done so since that was told last, this time included, where it
   * is to be told: it failed otherwise the last time, or that was told a while ago. Undefined: it is known.
   */
  met(request: Request, what: string): number | undefined;
  /** A run over an object has not failed. */
  over(request: Request): void;
}

interface Known {
  readonly what: string;
  readonly toldAtMs: number;
  readonly quietMs: number;
  readonly times: number;
  readonly news: TokenBucket;
}

/** No failures yet: one for each controller. */
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
      const isTold = isSame ? nowMs - last.toldAtMs >= last.quietMs : news.tokens >= 1;
      if (!isTold) {
        known.set(key, { ...(last ?? { toldAtMs: nowMs, quietMs: firstQuietMs }), what, times, news });
        return undefined;
      }
      const quietMs = isSame ? Math.min(2 * last.quietMs, longestQuietMs) : firstQuietMs;
      const left = isSame ? news : { ...news, tokens: news.tokens - 1 };
      known.set(key, { what, toldAtMs: nowMs, quietMs, times: 0, news: left });
      return times;
    },
    over: (request) => void known.delete(objectKeyText(request)),
  };
}

/** What a programming error says, and where it is. */
export const textOfBug = ({ name, message, stack = '' }: Error): string => {
  const place = stack.split('\n').find((line) => /^ {4}at /.test(line)) ?? '';
  return `${name}: ${message}\n${place}`;
};
