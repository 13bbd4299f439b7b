import { join } from 'node:path';
import { inParallel } from './in-parallel.ts';
import type { Violation } from './invariant.ts';
import type { Outcome } from './play.ts';

/** How one seed ended. */
export interface SeedReport {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly figures: Outcome['figures'];
  /** Of the process that played it. */
  readonly memoryBytes: number;
}

/** Plays seeds in several processes. `next` says which: undefined, none any more. */
export const playSeeds = (
  jobs: number,
  next: () => number | undefined,
  tell: (report: SeedReport) => void,
): Promise<void> =>
  inParallel<number, SeedReport>({ worker: join(import.meta.dirname, 'worker.ts'), jobs, next, tell });
