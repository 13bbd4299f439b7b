import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Violation } from './invariant.ts';
import type { Outcome } from './play.ts';

/** How one seed ended. */
export interface Report {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly figures: Outcome['figures'];
  /** Of the process that played it. */
  readonly memoryBytes: number;
}

/** A process that has grown so large makes room for another. */
const mostMemoryBytes = 1.5 * 2 ** 30;

/**
 * Plays seeds in several processes, each taking the next as soon as it is free. `next` says which: undefined, none any
 * more. Rejects if a process dies.
 */
export async function inParallel(
  jobs: number,
  next: () => number | undefined,
  tell: (report: Report) => void,
): Promise<void> {
  const running = new Set<ChildProcess>();

  /** Until there is no seed left, or the process is too large: answers whether to go on with another. */
  const life = (): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const child = fork(join(import.meta.dirname, 'worker.ts'), {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      running.add(child);
      let current: number | undefined;
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
      child.on('message', (report: Report) => {
        tell(report);
        if (report.memoryBytes > mostMemoryBytes) leave(true);
        else give();
      });
      child.on('error', reject);
      child.on('exit', (code, signal) => {
        if (current !== undefined)
          reject(new Error(`a process ended with ${signal ?? code} at seed ${current}`));
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
