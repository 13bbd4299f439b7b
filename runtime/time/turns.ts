/** Splits the process's own work, so that no turn of the event loop lasts long. */
export interface Turns {
  /**
   * Runs a task at once if no task waits and this turn has time left. Otherwise runs it in a later turn, oldest first.
   * Returns the function that withdraws a task that still waits.
   */
  run(task: () => void): () => void;
}

/** The functions of a clock that turns need. */
export interface TurnsClock {
  elapsedMs(): number;
  nextTurn(): Promise<void>;
}

/** How long the tasks of one turn may take, together with the promises that they settle. */
const budgetMs = 10;
/** Work after a task's first await is only measured when the next task starts, so the number of tasks is limited, too. */
const mostPerTurn = 16;

/** The turns of one event loop, without tasks. */
export function createTurns({ elapsedMs, nextTurn }: TurnsClock): Turns {
  const waiting = new Set<() => void>();
  let startedAtMs: number | undefined;

  const hasTime = (): boolean => startedAtMs === undefined || elapsedMs() - startedAtMs < budgetMs;

  function begin(): void {
    startedAtMs = elapsedMs();
    void nextTurn().then(end);
  }

  function end(): void {
    startedAtMs = undefined;
    if (waiting.size === 0) return;
    begin();
    let count = 0;
    for (const start of waiting) {
      if (count === mostPerTurn || !hasTime()) return;
      count += 1;
      waiting.delete(start);
      start();
    }
  }

  return {
    run(task) {
      if (waiting.size === 0 && hasTime()) {
        if (startedAtMs === undefined) begin();
        task();
        return () => {};
      }
      const start = (): void => task(); // a new function, because the same task may be given twice
      waiting.add(start);
      return () => void waiting.delete(start);
    },
  };
}
