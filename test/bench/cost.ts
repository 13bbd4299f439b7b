import type { Figure } from './figures.ts';
import { figure } from './figures.ts';
import type { Usage } from './meter.ts';
import { startMeter } from './meter.ts';
import { bytesOf } from './process-usage.ts';
import type { Scene, Stack } from './scene.ts';
import { sum } from './statistics.ts';

/** The CPU, runs, requests and bytes of a phase. */
export interface Cost extends Usage {
  /** By `controller: because`. A run with several reasons counts for each. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly runs: number;
  /** By `METHOD resource code`, Events included. */
  readonly requests: Readonly<Record<string, number>>;
  /** Bytes that the process read and wrote: of its connections, and little else. */
  readonly received: number;
  readonly sent: number;
}

/** Begins to count. Answers with the function that returns the cost since then, once no write has come in for a while. */
export async function startCost(scene: Scene, stack: Stack): Promise<() => Promise<Cost>> {
  const { pid } = stack.process.child;
  const read = async () => ({ counts: countsIn(await stack.metrics()), bytes: bytesOf(pid) });
  const before = await read();
  const used = await startMeter(scene, pid);
  return async () => {
    await scene.settledRequests();
    const usage = used();
    const now = await read();
    const since = (of: keyof Counts): Readonly<Record<string, number>> =>
      Object.fromEntries(
        Object.entries(now.counts[of])
          .map(([name, count]) => [name, count - (before.counts[of][name] ?? 0)] as const)
          .filter(([, count]) => count > 0),
      );
    return {
      ...usage,
      reasons: since('reasons'),
      runs: sum(Object.values(since('runs'))),
      requests: since('requests'),
      received: now.bytes.read - before.bytes.read,
      sent: now.bytes.written - before.bytes.written,
    };
  };
}

/** The figures of a phase, for each of `count` objects or changes. */
export function costFigures(phase: string, count: number, cost: Cost): readonly Figure[] {
  const each = (value: number): number => value / count;
  return [
    figure(`${phase}: process CPU for each`, each(cost.stackSeconds) * 1000, 'ms'),
    figure(`${phase}: API server CPU for each`, each(cost.apiServerSeconds) * 1000, 'ms'),
    figure(`${phase}: runs for each`, each(cost.runs), 'count', { note: listed(cost.reasons, count) }),
    figure(`${phase}: requests for each`, each(sum(Object.values(cost.requests))), 'count', {
      note: listed(cost.requests, count),
    }),
    figure(`${phase}: received for each`, each(cost.received) / 1024, 'KiB'),
    figure(`${phase}: sent for each`, each(cost.sent) / 1024, 'KiB'),
  ];
}

/** Counts for each of `count` in Markdown, the greatest first. Those that round to nothing are left out. */
export const listed = (counts: Readonly<Record<string, number>>, count: number): string =>
  Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, value]) => `\`${name}\` ${Number((value / count).toFixed(2))}`)
    .filter((text) => !text.endsWith(' 0'))
    .join(', ');

interface Counts {
  readonly reasons: Readonly<Record<string, number>>;
  readonly runs: Readonly<Record<string, number>>;
  readonly requests: Readonly<Record<string, number>>;
}

/** Counts in the text of the process's `/metrics`. */
export function countsIn(metrics: string): Counts {
  const counted = (metric: string, ...labels: readonly string[]): Readonly<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const [, text = '', value] of metrics.matchAll(new RegExp(`^${metric}\\{(.*)\\} (\\S+)$`, 'gm'))) {
      const name = labels
        .map((label) => new RegExp(`(?:^|,)${label}="((?:[^"\\\\]|\\\\.)*)"`).exec(text)?.[1] ?? '')
        .join(' ');
      counts[name] = (counts[name] ?? 0) + Number(value);
    }
    return counts;
  };
  return {
    reasons: counted('services_stack_reconcile_reasons_total', 'controller', 'because'),
    runs: counted('controller_runtime_reconcile_total', 'controller', 'result'),
    requests: counted('rest_client_requests_total', 'method', 'resource', 'code'),
  };
}
