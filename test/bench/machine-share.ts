import { availableParallelism } from 'node:os';
import { cpuSeconds, machineCpuSeconds } from './process-usage.ts';
import { sum } from './statistics.ts';

/**
 * Begins to watch: all CPU time that none of these processes uses is others'. They must outlive the measurement. The
 * returned function answers how much of the machine others used since, from 0 to 1; NaN where the system does not tell.
 */
export function othersShare(pids: readonly (number | undefined)[]): () => number {
  const read = () => ({ atMs: performance.now(), ours: sum(pids.map(cpuSeconds)), all: machineCpuSeconds() });
  const before = read();
  return () => {
    const now = read();
    const seconds = (now.atMs - before.atMs) / 1000;
    const others = now.all - before.all - (now.ours - before.ours);
    return Math.max(0, others) / (seconds * availableParallelism());
  };
}
