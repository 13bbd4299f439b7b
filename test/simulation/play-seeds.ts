import { join } from 'node:path';
import type { WorldName } from './generate.ts';
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

/** The seeds that a process is asked to play. */
export interface SeedTask {
  readonly seed: number;
  readonly world: WorldName;
}

export interface PlaySeedsOptions {
  readonly jobs: number;
  /** Default: `demo`. */
  readonly world?: WorldName;
  /** The next seed; undefined: there are none any more. */
  next(): number | undefined;
  tell(report: SeedReport): void;
}

/** Plays seeds in several processes. */
export const playSeeds = ({ jobs, world = 'demo', next, tell }: PlaySeedsOptions): Promise<void> =>
  inParallel<SeedTask, SeedReport>({
    worker: join(import.meta.dirname, 'worker.ts'),
    jobs,
    tell,
    next() {
      const seed = next();
      return seed === undefined ? undefined : { seed, world };
    },
  });
