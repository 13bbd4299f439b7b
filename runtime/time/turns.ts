/** Divides the process's own work, so that no turn of the event loop lasts long. */
export interface Turns {
  /**
   * Runs a task at once if nobody waits and this turn still has time, else in a later turn, oldest first. Answers with
   * what takes it back, should it still wait.
   */
  run(task: () => void): () => void;
}

/** What it takes of a clock. */
export interface TurnsClock {
  elapsedMs(): number;
  nextTurn(): Promise<void>;
}

/** How long the tasks of a turn, and the promises they settle, may take before the rest waits. */
const budgetMs = 10;
/** What tasks do after their first await is not seen until the next one asks, so that their number is bounded, too. */
const mostPerTurn = 16;

/** Turns of one event loop; no task runs yet. */
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
      const start = (): void => task(); // one of its own, should a task be given twice
      waiting.add(start);
      return () => void waiting.delete(start);
    },
  };
}
