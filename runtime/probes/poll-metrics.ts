import type { Registry } from 'prom-client';
import { Gauge, Histogram } from 'prom-client';
import type { WorkQueueObserver } from '../controller/work-queue.ts';
import type { Clock } from '../time/clock.ts';

/** A poll that has waited longer for its turn is late. */
const lateMs = 10_000;

/** Observes the scheduled runs of one controller. */
export type PollMetrics = (controller: string) => Pick<WorkQueueObserver, 'due' | 'started' | 'dropped'>;

/** How long scheduled runs, such as polls, wait after their time. */
export function pollMetrics(registers: Registry[], clock: Pick<Clock, 'elapsedMs'>): PollMetrics {
  const delay = new Histogram({
    name: 'services_stack_poll_delay_seconds',
    help: 'Delay of scheduled reconciles, such as polls: from the scheduled time to the start.',
    labelNames: ['controller'],
    buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600],
    registers,
  });
  /** The scheduled time of each key whose delay is over and that has not started, by controller. */
  const due = new Map<string, Map<string, number>>();
  const gauge = (name: string, help: string, leastMs: number) =>
    new Gauge({
      name,
      help,
      labelNames: ['controller'],
      registers,
      collect() {
        const beforeMs = clock.elapsedMs() - leastMs;
        for (const [controller, dueAtMs] of due) {
          this.set({ controller }, [...dueAtMs.values()].filter((atMs) => atMs <= beforeMs).length);
        }
      },
    });
  gauge(
    'services_stack_polls_due',
    'Keys with a scheduled reconcile, such as a poll, that wait in the queue.',
    0,
  );
  gauge(
    'services_stack_polls_late',
    'Keys of services_stack_polls_due that have waited longer than 10 s.',
    lateMs,
  );

  return (controller) => {
    const dueAtMs = new Map<string, number>();
    due.set(controller, dueAtMs);
    return {
      due: (key) => void dueAtMs.set(key, clock.elapsedMs()),
      started(key) {
        const atMs = dueAtMs.get(key);
        dueAtMs.delete(key);
        if (atMs === undefined) return;
        delay.observe({ controller }, Math.max(0, clock.elapsedMs() - atMs) / 1000);
      },
      dropped: (key) => void dueAtMs.delete(key),
    };
  };
}
