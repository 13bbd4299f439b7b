import type { Registry } from 'prom-client';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { WorkQueueObserver } from '../controller/work-queue.ts';
import type { Clock } from '../time/clock.ts';

/** controller-runtime's, in seconds (pkg/metrics/workqueue.go). */
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** Observes the queue of one controller. */
export type QueueMetrics = (controller: string, concurrency: number) => Omit<WorkQueueObserver, 'due'>;

/** How many keys wait and run, and for how long. */
export function queueMetrics(registers: Registry[], clock: Pick<Clock, 'elapsedMs'>): QueueMetrics {
  const maxWorkers = new Gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Maximum number of concurrent reconciles, per controller.',
    labelNames: ['controller'],
    registers,
  });
  const activeWorkers = new Gauge({
    name: 'controller_runtime_active_workers',
    help: 'Number of running reconciles, per controller.',
    labelNames: ['controller'],
    registers,
  });
  const depth = new Gauge({
    name: 'workqueue_depth',
    help: 'Number of keys that wait in the queue.',
    labelNames: ['name'],
    registers,
  });
  const adds = new Counter({
    name: 'workqueue_adds_total',
    help: 'Number of keys added to the queue.',
    labelNames: ['name'],
    registers,
  });
  const retries = new Counter({
    name: 'workqueue_retries_total',
    help: 'Number of keys requeued through a back-off.',
    labelNames: ['name'],
    registers,
  });
  const waitTime = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'Time that a key waited in the queue.',
    labelNames: ['name'],
    buckets: queueBuckets,
    registers,
  });
  const workTime = new Histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'Time from the start of a key to its end.',
    labelNames: ['name'],
    buckets: queueBuckets,
    registers,
  });
  const sinceSeconds = (atMs: number): number => (clock.elapsedMs() - atMs) / 1000;
  const running = runningWork(registers, sinceSeconds);

  return (name, concurrency) => {
    const controller = name;
    const startedAtMs = new Map<string, number>();
    const waitingSinceMs = new Map<string, number>();
    running.set(name, startedAtMs);
    maxWorkers.set({ controller }, concurrency);
    activeWorkers.set({ controller }, 0);
    depth.set({ name }, 0);
    adds.inc({ name }, 0);
    retries.inc({ name }, 0);
    return {
      added(key) {
        waitingSinceMs.set(key, clock.elapsedMs());
        depth.set({ name }, waitingSinceMs.size);
        adds.inc({ name });
      },
      started(key) {
        const atMs = waitingSinceMs.get(key);
        waitingSinceMs.delete(key);
        startedAtMs.set(key, clock.elapsedMs());
        depth.set({ name }, waitingSinceMs.size);
        activeWorkers.set({ controller }, startedAtMs.size);
        if (atMs !== undefined) waitTime.observe({ name }, sinceSeconds(atMs));
      },
      finished(key) {
        const atMs = startedAtMs.get(key);
        startedAtMs.delete(key);
        activeWorkers.set({ controller }, startedAtMs.size);
        if (atMs !== undefined) workTime.observe({ name }, sinceSeconds(atMs));
      },
      retried: () => retries.inc({ name }),
      dropped(key) {
        waitingSinceMs.delete(key);
        depth.set({ name }, waitingSinceMs.size);
      },
    };
  };
}

/** The start time of each running key, by controller. Its gauges are computed at each scrape. */
function runningWork(
  registers: Registry[],
  sinceSeconds: (atMs: number) => number,
): Map<string, ReadonlyMap<string, number>> {
  const running = new Map<string, ReadonlyMap<string, number>>();
  const gauge = (name: string, help: string, combine: (ages: readonly number[]) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['name'],
      registers,
      collect() {
        for (const [controller, startedAtMs] of running) {
          this.set({ name: controller }, combine([...startedAtMs.values()].map(sinceSeconds)));
        }
      },
    });
  gauge(
    'workqueue_unfinished_work_seconds',
    'Sum of the durations so far of all running reconciles.',
    (ages) => ages.reduce((sum, age) => sum + age, 0),
  );
  gauge(
    'workqueue_longest_running_processor_seconds',
    'Duration so far of the longest running reconcile.',
    (ages) => Math.max(0, ...ages),
  );
  return running;
}
