import { join } from 'node:path';
import { inParallel } from '../in-parallel.ts';
import type { ExampleName } from './examples.ts';

/** Some points of a reference. */
export interface PointsTask {
  readonly example: ExampleName;
  /** The reference's. */
  readonly name: string;
  /** The places of the points among all of it. */
  readonly numbers: readonly number[];
}

/** A point at which something went wrong that should not. */
export interface BrokenPoint {
  readonly number: number;
  readonly violations: readonly string[];
}

export interface PointsReport {
  /** The reference's. */
  readonly name: string;
  /** How many points were played. */
  readonly played: number;
  readonly broken: readonly BrokenPoint[];
  /** Of the process that played them. */
  readonly memoryBytes: number;
}

/** Plays points in several processes, in order. */
export function playPoints(
  jobs: number,
  tasks: readonly PointsTask[],
  tell: (report: PointsReport) => void,
): Promise<void> {
  let begun = 0;
  return inParallel<PointsTask, PointsReport>({
    worker: join(import.meta.dirname, 'worker.ts'),
    jobs,
    next: () => tasks[begun++],
    tell,
  });
}
