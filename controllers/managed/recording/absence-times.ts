import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import type { Clock } from '../../../runtime/time/clock.ts';

/** For how long the observations of each managed resource have found nothing. A restart of the process clears this. */
export interface AbsenceTimes {
  /**
   * Records an observation that began at `begunMs`. Returns for how many ms nothing was found: from the end of the
   * first observation that found nothing, until `begunMs`. The time after `begunMs` does not count, because the
   * resource may have appeared.
   */
  note(managed: Managed, exists: boolean, begunMs: number): number;
  forget(request: Request): void;
}

export function createAbsenceTimes(clock: Pick<Clock, 'elapsedMs'>): AbsenceTimes {
  const since = new Map<string, { readonly uid: string | undefined; readonly atMs: number }>();
  return {
    note({ metadata }, exists, begunMs) {
      const key = objectKeyText(metadata);
      if (exists) {
        since.delete(key);
        return 0;
      }
      const first = since.get(key);
      // guard: otherwise the duration of a slow observation counts as a time of absence
      if (first !== undefined && first.uid === metadata.uid) return begunMs - first.atMs;
      since.set(key, { uid: metadata.uid, atMs: clock.elapsedMs() });
      return 0;
    },
    forget: (request) => void since.delete(objectKeyText(request)),
  };
}
