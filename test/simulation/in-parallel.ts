import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';

/** The answer of a process. */
export interface Report {
  /** Of that process. */
  readonly memoryBytes: number;
}

/** A process that has grown so large makes room for another. */
const mostMemoryBytes = 2.5 * 2 ** 30;

/**
 * Objects of one run live longer than a young generation of the usual 16 MiB takes to fill. They would be
 * copied to the old generation, and collected there, again and again. That is a third of all the time.
 */
const roomForARun: readonly string[] = ['--min-semi-space-size=256', '--max-semi-space-size=256'];

export interface InParallelOptions<Task, R extends Report> {
  /** The file that each process runs: it is sent tasks, and sends a report of each. */
  readonly worker: string;
  /** How many processes. */
  readonly jobs: number;
  /** The next task, JSON; undefined: there are none any more. */
  next(): Task | undefined;
  tell(report: R): void;
}

/** Has tasks done in several processes, each taking the next as soon as it is free. Rejects if a process dies. */
export async function inParallel<Task extends number | object, R extends Report>({
  worker,
  jobs,
  next,
  tell,
}: InParallelOptions<Task, R>): Promise<void> {
  const running = new Set<ChildProcess>();

  /** Until there is no task left, or the process is too large: answers whether to go on with another. */
  const life = (): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const child = fork(worker, {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        execArgv: [...process.execArgv, ...roomForARun],
      });
      running.add(child);
      let current: Task | undefined;
      const leave = (hasMore: boolean): void => {
        current = undefined;
        running.delete(child);
        child.disconnect();
        resolve(hasMore);
      };
      const give = (): void => {
        current = next();
        if (current === undefined) leave(false);
        else child.send(current);
      };
      child.on('message', (report: R) => {
        tell(report);
        if (report.memoryBytes > mostMemoryBytes) leave(true);
        else give();
      });
      child.on('error', reject);
      child.on('exit', (code, signal) => {
        if (current !== undefined)
          reject(new Error(`a process ended with ${signal ?? code} at ${JSON.stringify(current)}`));
      });
      give();
    });

  async function job(): Promise<void> {
    while (await life());
  }
  try {
    await Promise.all(Array.from({ length: jobs }, job));
  } finally {
    for (const child of running) child.kill();
  }
}
