import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { InformerState } from '../cache/informer-state.ts';
import type { RequestFacts } from '../client/http-request.ts';
import type { Outcome } from '../controller/controller.ts';
import type { StackState } from '../controller/stack-needs.ts';
import type { WorkQueueObserver } from '../controller/work-queue.ts';
import type { Clock } from '../time/clock.ts';
import type { Page } from './serve-http.ts';

export interface MetricsOptions {
  readonly version: string;
  /** The state of every watch stream, asked for at each scrape. */
  readonly informers?: () => readonly InformerState[];
  /** How each stack fares, asked for at each scrape. */
  readonly stacks?: () => readonly StackState[];
  /** How many events were dropped so far, asked for at each scrape. */
  readonly droppedEvents?: () => number;
  readonly clock: Pick<Clock, 'elapsedMs'>;
  /** With those of the process (memory, event loop, …); default true. */
  readonly withProcess?: boolean;
}

/**
 * The process's metrics in a registry of their own. Where controller-runtime or client-go has a metric, names,
 * labels and buckets are theirs, so that their dashboards work.
 */
export interface Metrics {
  /** For the queue and the runs of one controller, which shows with zeros at once. */
  controller(name: string, concurrency: number): WorkQueueObserver;
  /** Counts one run. */
  outcome(outcome: Outcome): void;
  /** Counts one request to the API server. */
  request(facts: RequestFacts): void;
  /** Whether this process holds the lease. */
  leading(lease: string, isLeading: boolean): void;
  /** For those that are not of the process, but of what it does. */
  readonly registry: Registry;
  /** For `serveHttp`, under `/metrics`. */
  page(): Promise<Page>;
}

/** controller-runtime's, in seconds (pkg/internal/controller/metrics). */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** controller-runtime's, in seconds (pkg/metrics/workqueue.go). */
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** A poll that has waited for its turn for so long is late. */
const lateMs = 10_000;

const results = ['success', 'error', 'requeue', 'requeue_after', 'conflict', 'interrupted'] as const;

export function createMetrics(options: MetricsOptions): Metrics {
  const { version, informers, stacks, droppedEvents, clock, withProcess = true } = options;
  const registry = new Registry();
  const registers = [registry];
  if (withProcess) {
    collectDefaultMetrics({ register: registry });
    // Gauges with a counter's name, which promtool finds fault with. The same by type are there, and can be summed.
    for (const what of ['handles', 'requests', 'resources']) {
      registry.removeSingleMetric(`nodejs_active_${what}_total`);
    }
  }

  new Gauge({
    name: 'services_stack_build_info',
    help: 'What runs; always 1.',
    labelNames: ['version', 'node_version'],
    registers,
  }).set({ version, node_version: process.version }, 1);

  const reconcileTotal = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Runs of reconciles per controller, by result.',
    labelNames: ['controller', 'result'],
    registers,
  });
  const reconcileErrors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Runs of reconciles that failed, per controller; conflicts and interruptions of the leadership are none.',
    labelNames: ['controller'],
    registers,
  });
  const reconcileTimeouts = new Counter({
    name: 'controller_runtime_reconcile_timeouts_total',
    help: 'Runs of reconciles that were told to stop because they took too long, per controller.',
    labelNames: ['controller'],
    registers,
  });
  const reconcilePanics = new Counter({
    name: 'controller_runtime_reconcile_panics_total',
    help: 'Runs of reconciles that met a bug, per controller; the log has its stack.',
    labelNames: ['controller'],
    registers,
  });
  const reconcileReasons = new Counter({
    name: 'services_stack_reconcile_reasons_total',
    help: 'What reconciles were asked for by, per controller; several may ask for one.',
    labelNames: ['controller', 'because'],
    registers,
  });
  const reconcileTime = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long a run of a reconcile took, per controller.',
    labelNames: ['controller'],
    buckets: reconcileBuckets,
    registers,
  });
  const maxWorkers = new Gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'How many reconciles may run at a time, per controller.',
    labelNames: ['controller'],
    registers,
  });
  const activeWorkers = new Gauge({
    name: 'controller_runtime_active_workers',
    help: 'How many reconciles run, per controller.',
    labelNames: ['controller'],
    registers,
  });
  const depth = new Gauge({
    name: 'workqueue_depth',
    help: 'How many keys wait for their turn.',
    labelNames: ['name'],
    registers,
  });
  const adds = new Counter({
    name: 'workqueue_adds_total',
    help: 'How many keys came to wait for their turn.',
    labelNames: ['name'],
    registers,
  });
  const retries = new Counter({
    name: 'workqueue_retries_total',
    help: 'How many keys were put back through a back-off.',
    labelNames: ['name'],
    registers,
  });
  const waitTime = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long a key waited for its turn.',
    labelNames: ['name'],
    buckets: queueBuckets,
    registers,
  });
  const workTime = new Histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long the turn of a key took.',
    labelNames: ['name'],
    buckets: queueBuckets,
    registers,
  });
  /** When each running key began, by controller. */
  const running = new Map<string, Map<string, number>>();
  const ages = (name: string): number[] =>
    [...(running.get(name)?.values() ?? [])].map((startedAtMs) => (clock.elapsedMs() - startedAtMs) / 1000);
  new Gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'How long the runs under way have taken so far, together.',
    labelNames: ['name'],
    registers,
    collect() {
      for (const name of running.keys())
        this.set(
          { name },
          ages(name).reduce((sum, age) => sum + age, 0),
        );
    },
  });
  new Gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How long the longest run under way has taken so far.',
    labelNames: ['name'],
    registers,
    collect() {
      for (const name of running.keys()) this.set({ name }, Math.max(0, ...ages(name)));
    },
  });
  const pollDelay = new Histogram({
    name: 'services_stack_poll_delay_seconds',
    help: 'How long after it was due a key that comes back by itself had its turn, as for a poll.',
    labelNames: ['controller'],
    buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600],
    registers,
  });
  /** Since when each key is due that is to come back by itself and has not had its turn, by controller. */
  const due = new Map<string, Map<string, number>>();
  const dueGauge = (name: string, help: string, lateMs: number) =>
    new Gauge({
      ...{ name, help, labelNames: ['controller'], registers },
      collect() {
        const beforeMs = clock.elapsedMs() - lateMs;
        for (const [controller, keys] of due) {
          const count = [...keys.values()].filter((dueAtMs) => dueAtMs <= beforeMs).length;
          this.set({ controller }, count);
        }
      },
    });
  dueGauge('services_stack_polls_due', 'Keys that were to come back by now and wait for their turn.', 0);
  dueGauge('services_stack_polls_late', 'Those of them that have waited for longer than 10 s.', lateMs);
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server by status code, method, host and resource.',
    labelNames: ['code', 'method', 'host', 'resource'],
    registers,
  });
  const master = new Gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process holds the lease: 1 or 0.',
    labelNames: ['name'],
    registers,
  });
  if (droppedEvents !== undefined) {
    new Counter({
      name: 'services_stack_events_dropped_total',
      help: 'Kubernetes Events that were dropped for lack of room.',
      registers,
      collect() {
        this.reset();
        this.inc(droppedEvents());
      },
    });
  }
  if (informers !== undefined) informerMetrics(informers, registers, clock);
  if (stacks !== undefined) stackMetrics(stacks, registers);

  return {
    controller(name, concurrency) {
      const startedAtMs = new Map<string, number>();
      const waitingSinceMs = new Map<string, number>();
      const dueAtMs = new Map<string, number>();
      running.set(name, startedAtMs);
      due.set(name, dueAtMs);
      maxWorkers.set({ controller: name }, concurrency);
      activeWorkers.set({ controller: name }, 0);
      depth.set({ name }, 0);
      adds.inc({ name }, 0);
      retries.inc({ name }, 0);
      reconcileErrors.inc({ controller: name }, 0);
      reconcileTimeouts.inc({ controller: name }, 0);
      reconcilePanics.inc({ controller: name }, 0);
      for (const result of results) reconcileTotal.inc({ controller: name, result }, 0);
      return {
        added(key) {
          waitingSinceMs.set(key, clock.elapsedMs());
          depth.set({ name }, waitingSinceMs.size);
          adds.inc({ name });
        },
        due: (key) => void dueAtMs.set(key, clock.elapsedMs()),
        started(key) {
          const dueSinceMs = dueAtMs.get(key);
          dueAtMs.delete(key);
          if (dueSinceMs !== undefined) {
            pollDelay.observe({ controller: name }, Math.max(0, clock.elapsedMs() - dueSinceMs) / 1000);
          }
          const sinceMs = waitingSinceMs.get(key);
          waitingSinceMs.delete(key);
          startedAtMs.set(key, clock.elapsedMs());
          depth.set({ name }, waitingSinceMs.size);
          activeWorkers.set({ controller: name }, startedAtMs.size);
          if (sinceMs !== undefined) waitTime.observe({ name }, (clock.elapsedMs() - sinceMs) / 1000);
        },
        finished(key) {
          const sinceMs = startedAtMs.get(key);
          startedAtMs.delete(key);
          activeWorkers.set({ controller: name }, startedAtMs.size);
          if (sinceMs !== undefined) workTime.observe({ name }, (clock.elapsedMs() - sinceMs) / 1000);
        },
        retried: () => retries.inc({ name }),
        dropped(key) {
          dueAtMs.delete(key);
          waitingSinceMs.delete(key);
          depth.set({ name }, waitingSinceMs.size);
        },
      };
    },
    outcome({ controller, because: reasons, result, durationMs, isTimedOut, bug }) {
      for (const because of reasons) reconcileReasons.inc({ controller, because });
      reconcileTotal.inc({ controller, result });
      reconcileTime.observe({ controller }, durationMs / 1000);
      if (result === 'error') reconcileErrors.inc({ controller });
      if (isTimedOut) reconcileTimeouts.inc({ controller });
      if (bug !== undefined) reconcilePanics.inc({ controller });
    },
    request({ method, resource, code, host }) {
      // client-go's word for a request that got no answer.
      requests.inc({ method, resource, host, code: code === 0 ? '<error>' : String(code) });
    },
    registry,
    leading: (lease, isLeading) => master.set({ name: lease }, isLeading ? 1 : 0),
    page: async () => ({ status: 200, contentType: registry.contentType, body: await registry.metrics() }),
  };
}

/** Those of the stacks, read from their states at each scrape. */
function stackMetrics(stacks: () => readonly StackState[], registers: Registry[]): void {
  new Gauge({
    name: 'services_stack_stack_complete',
    help: 'Whether all that the stack needs has been listed, so that its controllers may run: 1 or 0.',
    labelNames: ['stack'],
    registers,
    collect() {
      for (const { name, isComplete } of stacks()) this.set({ stack: name }, isComplete ? 1 : 0);
    },
  });
  new Gauge({
    name: 'services_stack_definition_missing',
    help: 'A kind of the stack that the API server does not have; always 1, and gone when it has it.',
    labelNames: ['stack', 'kind'],
    registers,
    collect() {
      this.reset();
      for (const { name, missing } of stacks()) {
        for (const kind of missing) this.set({ stack: name, kind }, 1);
      }
    },
  });
}

/** Those of the watch streams, read from their states at each scrape. */
function informerMetrics(
  informers: () => readonly InformerState[],
  registers: Registry[],
  clock: Pick<Clock, 'elapsedMs'>,
): void {
  const gauge = (name: string, help: string, read: (state: InformerState) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers,
      collect() {
        for (const state of informers()) this.set({ kind: state.kind }, read(state));
      },
    });
  const counter = (name: string, help: string, read: (state: InformerState) => number) =>
    new Counter({
      name,
      help,
      labelNames: ['kind'],
      registers,
      collect() {
        this.reset();
        for (const state of informers()) this.inc({ kind: state.kind }, read(state));
      },
    });
  gauge('services_stack_watch_up', 'Whether the kind is being watched: 1 or 0.', ({ stream }) =>
    stream.phase === 'watching' ? 1 : 0,
  );
  gauge(
    'services_stack_store_synced',
    'Whether the store of the kind is complete: 1 or 0.',
    ({ isSynced }) => (isSynced ? 1 : 0),
  );
  gauge(
    'services_stack_store_objects',
    'How many objects of the kind are in the store.',
    (state) => state.objectCount,
  );
  counter('services_stack_watch_lists_total', 'How often the kind was listed.', (state) => state.listCount);
  counter(
    'services_stack_watch_failures_total',
    'How often a list or watch of the kind failed.',
    (state) => state.failureCount,
  );
  gauge(
    'services_stack_watch_unconfirmed_seconds',
    'For how long nothing has shown that no change of the kind was missed.',
    ({ confirmedAtMs }) => (clock.elapsedMs() - confirmedAtMs) / 1000,
  );
  counter(
    'services_stack_watch_silences_total',
    'How often a watch of the kind was open and kept changes back.',
    (state) => state.silenceCount,
  );
}
