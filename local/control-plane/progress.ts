/** Where long work says what it is doing; titles are short clauses such as "build kube-apiserver". */
export interface Progress {
  /**
   * Runs one step and reports its beginning, a heartbeat while it lasts, and its end with the elapsed time.
   * The answer of `act` passes through; its error is thrown as the cause of one that names the step.
   */
  step<T>(title: string, act: () => Promise<T>): Promise<T>;
  /** Reports one line. */
  note(message: string): void;
}

/** The dependencies of reporting. */
export interface ProgressOptions {
  /** The beginning of each line. Default `control plane:`. */
  readonly prefix?: string;
  /** Takes one line without its line end; default: standard error. */
  readonly write?: (line: string) => void;
  /** Milliseconds since any fixed moment; default: the monotonic clock. */
  readonly now?: () => number;
  /** Milliseconds between two signs of life of one step; default 15 000. */
  readonly heartbeatMs?: number;
}

/** Progress as lines of text on standard error, so that standard output stays free for results. */
export function textProgress(options: ProgressOptions = {}): Progress {
  const {
    write = (line) => void process.stderr.write(`${line}\n`),
    now = () => performance.now(),
    heartbeatMs = 15_000,
    prefix = 'control plane:',
  } = options;
  const note = (message: string) => write(`${prefix} ${message}`);
  return {
    note,
    async step(title, act) {
      const began = now();
      const elapsed = () => `${((now() - began) / 1000).toFixed(1)} s`;
      note(`${title} ...`);
      const heartbeat = setInterval(() => note(`${title}: still working (${elapsed()})`), heartbeatMs);
      try {
        const answer = await act();
        note(`${title}: done (${elapsed()})`);
        return answer;
      } catch (error) {
        note(`${title}: failed (${elapsed()})`);
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`cannot ${title}: ${reason}`, { cause: error });
      } finally {
        clearInterval(heartbeat);
      }
    },
  };
}
