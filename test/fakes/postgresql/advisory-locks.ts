import type { Clock } from '../../../clients/clock.ts';
import { later } from '../../../clients/clock.ts';
import type { ObservedSession } from './statement.ts';

/** Locks that have a number and no object, held until the session frees them or ends. */
export function advisoryLocks(clock: Pick<Clock, 'sleep'>) {
  const holders = new Map<string, { readonly session: ObservedSession; count: number }>();
  const waiting = new Map<string, { readonly session: ObservedSession; readonly admit: () => void }[]>();

  /** Whether it is the session's now. */
  const take = (key: string, session: ObservedSession): boolean => {
    const held = holders.get(key);
    if (held === undefined) holders.set(key, { session, count: 1 });
    else if (held.session === session) held.count += 1;
    else return false;
    return true;
  };
  const pass = (key: string): void => {
    holders.delete(key);
    const next = waiting.get(key)?.shift();
    if (next === undefined) return void waiting.delete(key);
    take(key, next.session);
    next.admit();
  };

  return {
    take,
    holder: (key: string) => holders.get(key)?.session,
    /** As `take`, waiting at most for the session's lock timeout. */
    wait(key: string, session: ObservedSession): Promise<boolean> {
      if (take(key, session)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const queue = waiting.get(key) ?? [];
        waiting.set(key, queue);
        const giveUp = (): void => {
          queue.splice(queue.indexOf(entry), 1);
          resolve(false);
        };
        const { lockTimeoutMs } = session;
        const callOff = lockTimeoutMs === undefined ? () => {} : later(clock, lockTimeoutMs, giveUp);
        const entry = {
          session,
          admit: () => {
            callOff();
            resolve(true);
          },
        };
        queue.push(entry);
      });
    },
    free(key: string): void {
      const held = holders.get(key);
      if (held === undefined) return;
      held.count -= 1;
      if (held.count === 0) pass(key);
    },
    /** Frees all of a session that ends. */
    freeAll(session: ObservedSession): void {
      for (const queue of waiting.values()) {
        const at = queue.findIndex((entry) => entry.session === session);
        if (at >= 0) queue.splice(at, 1);
      }
      for (const [key, held] of [...holders]) if (held.session === session) pass(key);
    },
  };
}
