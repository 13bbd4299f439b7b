/** The part of a clock that clients need, and a timer for timeouts. The caller that creates a client passes it in. */
export interface Clock {
  /** For the dates in answers. */
  now(): Date;
  /** Resolves after so many milliseconds; rejects with the signal's reason when the signal aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** No listener reads this reason. Without a reason, each abort would create an error. */
const calledOffReason = 'it was called off';

/** Calls a function after so many milliseconds. The returned function cancels it. */
export function later(clock: Pick<Clock, 'sleep'>, delayMs: number, act: () => void): () => void {
  const calledOff = new AbortController();
  const actUnlessCalledOff = (): void => {
    if (!calledOff.signal.aborted) act(); // the timer may be cancelled after it fired
  };
  clock.sleep(delayMs, calledOff.signal).then(actUnlessCalledOff, () => {});
  return () => calledOff.abort(calledOffReason);
}
