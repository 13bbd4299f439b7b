import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../runtime/time/clock.ts';
import type { Later } from '../runtime/time/scheduler.ts';
import { schedulerBy, sleepBy } from '../runtime/time/scheduler.ts';
import { createTurns } from '../runtime/time/turns.ts';

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  /** Runs what is due now, and whatever that leads to now: promises, turns and timers without a delay. */
  settle(): Promise<void>;
  /** Moves on by so many milliseconds, from one due timer to the next, and settles at each. */
  advance(byMs: number): Promise<void>;
  /**
   * The same until something is true, which is asked after each timer. Answers how long that took; rejects if it was
   * not so within the limit.
   */
  advanceUntil(isSo: () => boolean, limitMs?: number): Promise<number>;
  /** Time goes by and nothing runs, as if the process were stopped; what was due meanwhile is late. */
  stall(byMs: number): void;
  /** Somebody sets the clock on the wall. */
  setWall(to: Date | string): void;
  /** How many timers and sleeps wait. */
  readonly waitingCount: number;
  /** In how many milliseconds the first of them is due; undefined if none waits. */
  readonly dueInMs: number | undefined;
}

export interface TestClockOptions {
  /**
   * Nothing but promises and this clock's own turns is to be waited for, not even what a library does in a later turn of
   * the event loop. So none of those is taken unless somebody waits for one: most of the time is theirs where little
   * happens at each moment.
   */
  readonly isAlone?: boolean;
}

/** Elapsed time begins anywhere, but not at 0, which caches take for no time at all. */
const longAgoMs = 1_000_000;

/** Resolves once no promise has anything left to do: what is due in the next tick comes after all of them. */
const afterPromises = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/** What may run at one moment, before it counts as never ending. */
const mostPerMoment = 100_000;

/**
 * A clock for tests, in the same order each time: timers by the time they are due, then by when they were set, and
 * after each of them everything it leads to at once. Whatever is awaited must not depend on other machines, files or
 * threads: it would not be waited for.
 *
 * Its scheduler is no `VirtualTimeScheduler` of RxJS: that one links each tick of a periodic timer to the one before,
 * so that a day of them cannot be unsubscribed from, and sorts all timers again for each new one.
 */
export function testClock(
  startAt: Date | string = '2026-01-02T03:04:05Z',
  { isAlone = false }: TestClockOptions = {},
): TestClock {
  let wallMs = new Date(startAt).getTime();
  let nowMs = 0;
  let turns = 0;
  let isMoving = false;
  /** By the time they are due, then by when they were set. */
  const timers: { readonly dueMs: number; readonly act: () => void }[] = [];

  const later: Later = (delayMs, act) => {
    if (Number.isNaN(delayMs)) throw new Error('a delay that is no number');
    const timer = { dueMs: nowMs + delayMs, act };
    let [low, high] = [0, timers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (timers[middle]!.dueMs <= timer.dueMs) low = middle + 1;
      else high = middle;
    }
    timers.splice(low, 0, timer);
    return () => {
      const index = timers.indexOf(timer);
      if (index >= 0) timers.splice(index, 1);
    };
  };

  const elapsedMs = (): number => longAgoMs + nowMs;

  async function nextOwnTurn(): Promise<void> {
    turns += 1;
    await nextTurn();
    turns -= 1;
  }

  /** All promises, and all turns. */
  async function drain(): Promise<void> {
    for (let count = 0; count === 0 || turns > 0; count += 1) {
      if (count > mostPerMoment) throw new Error('does not settle: turns without end');
      if (isAlone) await afterPromises();
      if (!isAlone || turns > 0) await nextTurn();
    }
  }

  /** From timer to timer until `untilMs`, or until it is so. Answers whether it is. */
  async function run(untilMs: number, isSo: () => boolean): Promise<boolean> {
    if (isMoving) throw new Error('the clock is being moved already: await that first');
    isMoving = true;
    try {
      return await move(untilMs, isSo);
    } finally {
      isMoving = false;
    }
  }

  async function move(untilMs: number, isSo: () => boolean): Promise<boolean> {
    await drain();
    let count = 0;
    while (!isSo()) {
      const timer = timers[0];
      if (timer === undefined || timer.dueMs > untilMs) {
        nowMs = Math.max(nowMs, untilMs);
        return isSo();
      }
      count = timer.dueMs > nowMs ? 0 : count + 1;
      if (count > mostPerMoment) throw new Error('does not settle: timers without end');
      nowMs = Math.max(nowMs, timer.dueMs);
      timers.shift();
      timer.act();
      await drain();
    }
    return true;
  }

  return {
    now: () => new Date(wallMs + nowMs),
    elapsedMs,
    sleep: sleepBy(later),
    scheduler: schedulerBy(later, () => wallMs + nowMs),
    nextTurn: nextOwnTurn,
    turns: createTurns({ elapsedMs, nextTurn: nextOwnTurn }),
    async settle() {
      await run(nowMs, () => false);
    },
    async advance(byMs) {
      await run(nowMs + byMs, () => false);
    },
    async advanceUntil(isSo, limitMs = 3_600_000) {
      const startedMs = nowMs;
      if (await run(nowMs + limitMs, isSo)) return nowMs - startedMs;
      throw new Error(`was not so within ${limitMs} ms: ${isSo}`);
    },
    stall(byMs) {
      nowMs += byMs;
    },
    setWall(to) {
      wallMs = new Date(to).getTime() - nowMs;
    },
    get waitingCount() {
      return timers.length;
    },
    get dueInMs() {
      const [timer] = timers;
      return timer && Math.max(0, timer.dueMs - nowMs);
    },
  };
}
