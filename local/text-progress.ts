import type { Progress } from '../tools/offline/progress.ts';

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

export type TextProgress = Progress;

/** Progress as lines of text on standard error, so that standard output stays free for results. */
export function textProgress(options: ProgressOptions = {}): TextProgress {
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
