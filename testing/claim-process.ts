import { NEVER } from 'rxjs';
import { composition } from '../app/composition.ts';
import type { Stack } from '../controllers/stack.ts';
import { createLogger } from '../runtime/log/log.ts';
import { run } from '../runtime/process/run.ts';
import type { Clock } from '../runtime/time/clock.ts';
import { seededRandom } from '../runtime/time/random.ts';
import { inProcessClient } from './in-process-client.ts';
import type { MemoryCluster } from './memory-cluster.ts';

/** As the flags have them, but a drift of a server is found within a second. */
const settings = {
  pollIntervalMs: 1_000,
  maxExternalCallsPerSecond: 200,
  concurrency: 10,
  syncPeriodMs: 3_600_000,
  drainTimeoutMs: 10_000,
} as const;

/** The whole process of a stack, over a cluster in memory, in real time. Returns the function that kills it. */
export function startClaimProcess(
  stack: Stack,
  {
    cluster,
    clock,
    output,
  }: { readonly cluster: MemoryCluster; readonly clock: Clock; readonly output: string[] },
): () => void {
  const life = new AbortController();
  const log = createLogger({ level: 'info', format: 'json', clock, write: (line) => output.push(line) });
  const client = inProcessClient(cluster, clock, async (_call, effect) => {
    life.signal.throwIfAborted();
    return effect();
  });
  const shared = { log, clock, random: seededRandom(1), ...settings };
  const { informers, events, backlog, controllers } = composition({
    ...shared,
    client,
    component: 'services-stack',
    stacks: [stack],
  });
  const running$ = run({
    ...shared,
    informers,
    backlog,
    controllers,
    background: [events.run$],
    stop$: NEVER,
  });
  const subscription = running$.subscribe();
  return () => {
    life.abort();
    subscription.unsubscribe();
  };
}
