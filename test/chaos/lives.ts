import { readFileSync } from 'node:fs';
import type { Life } from './replica.ts';
import type { LifeRecord } from './report.ts';

/**
 * The fault in the end of a process, if any. A process may end with 0 after SIGTERM, or because it lost its
 * Lease.
 */
export function wrongEnd({
  end,
  wasEnded,
  process,
}: Pick<Life, 'end' | 'wasEnded' | 'process'>): string | undefined {
  if (end === undefined || (wasEnded && end.signal === 'SIGKILL')) return undefined;
  const how = end.code ?? end.signal;
  if (wasEnded) return end.code === 0 ? undefined : `SIGTERM ended it with ${how}`;
  const hasLostLease = readFileSync(process.logFile, 'utf8').includes(
    '"msg":"lost the Lease: this process exits, so that it can be restarted"',
  );
  return hasLostLease && end.code === 1 ? undefined : `it ended by itself with ${how}`;
}

export function lifeRecord({ user, startedMs, end, usage }: Life): LifeRecord {
  const [first, last] = [usage[0], usage.at(-1)];
  return {
    user,
    seconds: ((end?.atMs ?? Date.now()) - startedMs) / 1000,
    end: end === undefined ? 'was running at the end' : `ended with ${end.code ?? end.signal}`,
    ...(first && { first }),
    ...(last && { last }),
  };
}
