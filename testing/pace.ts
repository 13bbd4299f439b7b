import { realMoment } from './real-moment.ts';
import type { Conformance } from './scenario.ts';
import type { TestClock } from './test-clock.ts';
import { expect } from './verdict.ts';

/** How often the clock follows real time, in ms. */
const stepMs = 5;
/** How many times faster the clock is while a request is running to a world without its own time: deadlines stay far away. */
const networkSpeed = 10;
/** How long work without a timer may take if there is no network, in ms. */
const patienceMs = 20;

/** Moves a clock while work is awaited. */
export interface Pace {
  /** The result of work. Throws Broken if it has not ended after `limitMs`, default 10 min. */
  settled<T>(work: Promise<T>, what: string, limitMs?: number): Promise<T>;
  /** Lets this much time pass without waiting for work. */
  pass(ms: number): Promise<void>;
}

/** A pace for a world with this sort of time. After an abort of the signal, whatever waits for it rejects with its reason. */
export function createPace(
  clock: TestClock,
  signal: AbortSignal,
  time: Conformance['time'] = 'virtual',
): Pace {
  const follow = async (speed: number): Promise<void> => {
    await realMoment(stepMs);
    await clock.advance(stepMs * speed);
  };

  /** Moves to the next event. In virtual time that is a timer, unless work without a timer is running. */
  async function moment(isDone: () => boolean): Promise<void> {
    if (time !== 'virtual') return follow(time === 'real' ? 1 : networkSpeed);
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 1) {
      await realMoment(1);
      await clock.settle();
      if (isDone()) return;
    }
    await clock.advance(clock.dueInMs ?? 60_000);
  }

  return {
    async settled(work, what, limitMs = 600_000) {
      let isDone = false;
      const done = (): void => {
        isDone = true;
      };
      work.then(done, done);
      const endMs = clock.elapsedMs() + limitMs;
      await clock.settle();
      while (!isDone) {
        signal.throwIfAborted();
        const isOver = clock.elapsedMs() > endMs;
        expect(!isOver, `${what} did not end`, 'give each request to the external system a deadline');
        await moment(() => isDone);
      }
      return work;
    },
    async pass(ms) {
      if (time !== 'real') return clock.advance(ms);
      const endMs = clock.elapsedMs() + ms;
      while (clock.elapsedMs() < endMs) {
        signal.throwIfAborted();
        await follow(1);
      }
    },
  };
}
