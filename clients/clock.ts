/** As much of a clock as clients need, and a timer for what takes too long. Whoever makes a client hands it over. */
export interface Clock {
  /** For dates that an answer names. */
  now(): Date;
  /** Resolves after so many milliseconds; rejects with the signal's reason when that aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** Nobody is told of it; without one, an error would be made for each. */
const calledOffReason = 'it was called off';

/** Does something in so many milliseconds, unless it is called off by what this returns. */
export function later(clock: Pick<Clock, 'sleep'>, delayMs: number, act: () => void): () => void {
  const calledOff = new AbortController();
  const actUnlessCalledOff = (): void => {
    if (!calledOff.signal.aborted) act(); // it may be called off when it is awake already
  };
  clock.sleep(delayMs, calledOff.signal).then(actUnlessCalledOff, () => {});
  return () => calledOff.abort(calledOffReason);
}
