import { setTimeout as sleep } from 'node:timers/promises';

/** Lets real time pass, so that running I/O can continue. */
export const realMoment = (ms: number): Promise<void> => sleep(ms);

/** The result of work. Rejects with an error of `late` if it takes longer than this in real time. */
export async function withinLimit<T>(work: Promise<T>, limitMs: number, late: () => Error): Promise<T> {
  const ended = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: ended.signal }).then(() => {
    throw late();
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    ended.abort();
  }
}
