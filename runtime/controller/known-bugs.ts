import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { boundedCache } from '../bounded-cache.ts';
import type { Clock } from '../time/clock.ts';
import type { Request } from './reconcile.ts';

/** How long a bug that is met again and again is not news, in milliseconds. */
const quietMs = 3_600_000;
/** One that is forgotten is only told again. */
const maxObjects = 1_000;

/** What is remembered of the bugs that runs have met, so that the log tells of each once. */
export interface KnownBugs {
  /**
   * A run over an object has met this bug. Returns how often it has since it was told last, this time included, where it is
   * to be told: it differs from the last one in message or place, or that was told an hour ago. Undefined: it is known.
   */
  met(request: Request, bug: Error): number | undefined;
  /** A run over an object has met none. */
  over(request: Request): void;
}

interface Known {
  readonly what: string;
  readonly toldAtMs: number;
  readonly times: number;
}

/** No bugs yet: one for each controller. */
export function createKnownBugs(clock: Pick<Clock, 'elapsedMs'>): KnownBugs {
  const known = boundedCache<Known>(maxObjects);
  return {
    met(request, bug) {
      const key = objectKeyText(request);
      const what = textOf(bug);
      const last = known.get(key);
      const nowMs = clock.elapsedMs();
      const isSame = last?.what === what;
      const times = isSame ? last.times + 1 : 1;
      const isNews = !isSame || nowMs - last.toldAtMs >= quietMs;
      known.set(key, isNews ? { what, toldAtMs: nowMs, times: 0 } : { ...last, times });
      return isNews ? times : undefined;
    },
    over: (request) => void known.delete(objectKeyText(request)),
  };
}

/** What a bug says, and where it is. */
const textOf = ({ name, message, stack = '' }: Error): string => {
  const place = stack.split('\n').find((line) => /^ {4}at /.test(line)) ?? '';
  return `${name}: ${message}\n${place}`;
};
