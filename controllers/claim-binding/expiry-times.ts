import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { boundedCache } from '../../runtime/bounded-cache.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import { isToExpire } from '../retention.ts';

/** How long a date must be past before it counts: a clock that jumped ahead may be corrected in that time. */
const confirmMs = 60_000;
/** After this time the date is compared with the clock again: someone may have set the clock. */
const longestMs = 86_400_000;
const maxRemembered = 10_000;

/** When kept resources are deleted. After a restart, a date that is past counts a minute later. */
export function expiryTimes({ now, elapsedMs }: Pick<Clock, 'now' | 'elapsedMs'>) {
  /** By UID and date: since when the date is past, on a clock that no one sets. */
  const pastSince = boundedCache<{ readonly ms: number }>(maxRemembered);

  return {
    /** Milliseconds until the date counts, or must be compared again; 0: it counts now. Undefined: there is no date. */
    remainingMs(managed: Managed): number | undefined {
      const { metadata, status: { deleteAt = '' } = {} } = managed;
      const untilMs = isToExpire(managed) ? Date.parse(deleteAt) - now().getTime() : Number.NaN;
      if (Number.isNaN(untilMs)) return undefined;
      const key = `${metadata.uid} ${deleteAt}`;
      if (untilMs > 0) {
        pastSince.delete(key);
        return Math.min(untilMs, longestMs);
      }
      const since = pastSince.get(key) ?? { ms: elapsedMs() };
      pastSince.set(key, since);
      return Math.max(0, since.ms + confirmMs - elapsedMs());
    },
  };
}
