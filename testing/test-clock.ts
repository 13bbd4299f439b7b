import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../runtime/time/clock.ts';
import type { Later } from '../runtime/time/scheduler.ts';
import { schedulerBy, sleepBy } from '../runtime/time/scheduler.ts';
import { createTurns } from '../runtime/time/turns.ts';

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  /** Runs each timer whose time has come, and its immediate results: promises, turns and timers without a delay. */
  settle(): Promise<void>;
  /** Moves on by this many milliseconds, from timer to timer, and settles at each. */
  advance(byMs: number): Promise<void>;
  /**
   * The same until `isSo` returns true; it is called after each timer. Returns the milliseconds that passed; rejects if the
   * limit is reached.
   */
  advanceUntil(isSo: () => boolean, limitMs?: number): Promise<number>;
  /** Lets time pass without running anything, as if the process were suspended; timers of that time are late. */
  stall(byMs: number): void;
  /** Sets the wall clock. */
  setWall(to: Date | string): void;
  /** How many timers and sleeps wait. */
  readonly waitingCount: number;
  /** The milliseconds until the first of them fires; undefined if none waits. */
  readonly dueInMs: number | undefined;
}

export interface TestClockOptions {
  /**
   * Waits for promises and this clock's turns only, not for work of libraries in later turns of the event loop. So real
   * turns are used only if code waits for one: they would take most of the time of tests in which little happens at each
   * moment.
   */
  readonly isAlone?: boolean;
}

/** The start of elapsed time. Not 0: caches treat 0 as no time. */
const longAgoMs = 1_000_000;

/** Resolves when no promise has work left: the next tick comes after all of them. */
const afterPromises = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/** The number of steps at one moment after which the work counts as endless. */
const mostPerMoment = 100_000;

/**
 * A clock for tests with a fixed order: timers by due time, then by the time they were set, and after each timer all work
 * that follows from it at once. Awaited work must not depend on other machines, files or threads: the clock does not wait
 * for those.
 *
 * Its scheduler is not RxJS's `VirtualTimeScheduler`: that one links each tick of a periodic timer to the one before, so
 * that a day of ticks cannot be unsubscribed, and it sorts all timers again for each new one.
 */
export function testClock(
  startAt: Date | string = '2026-01-02T03:04:05Z',
  { isAlone = false }: TestClockOptions = {},
): TestClock {
  let wallMs = new Date(startAt).getTime();
  let nowMs = 0;
  let turns = 0;
  let isMoving = false;
  /** Sorted by due time, then by the time they were set. */
  const timers: { readonly dueMs: number; readonly act: () => void }[] = [];

  const later: Later = (delayMs, act) => {
    if (Number.isNaN(delayMs)) throw new Error('the delay of a timer is not a number');
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
      if (count > mostPerMoment) throw new Error('the clock does not settle: turns without end');
      if (isAlone) await afterPromises();
      if (!isAlone || turns > 0) await nextTurn();
    }
  }

  /** Moves from timer to timer until `untilMs`, or until `isSo` is true. Returns whether it is. */
  async function run(untilMs: number, isSo: () => boolean): Promise<boolean> {
    if (isMoving) throw new Error('the clock is already moving: await the earlier call first');
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
      if (count > mostPerMoment) throw new Error('the clock does not settle: timers without end');
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
      throw new Error(`not true within ${limitMs} ms: ${isSo}`);
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
