import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { InformerState } from '../cache/informer-state.ts';
import { whyRefused } from '../cache/informer-state.ts';
import type { RequestFacts } from '../client/http-request.ts';
import type { Outcome } from '../controller/controller.ts';
import type { StackState } from '../controller/stack-needs.ts';
import type { WorkQueueObserver } from '../controller/work-queue.ts';
import type { Clock } from '../time/clock.ts';
import type { Page } from './serve-http.ts';

export interface MetricsOptions {
  readonly version: string;
  /** The state of every watch stream, read at each scrape. */
  readonly informers?: () => readonly InformerState[];
  /** The state of each stack, read at each scrape. */
  readonly stacks?: () => readonly StackState[];
  /** The number of dropped Events, read at each scrape. */
  readonly droppedEvents?: () => number;
  readonly clock: Pick<Clock, 'elapsedMs'>;
  /** Includes the metrics of the process (memory, event loop, …); default true. */
  readonly withProcess?: boolean;
}

/**
 * The metrics of the process, in their own registry. Where controller-runtime or client-go has the same metric, the name,
 * labels and buckets are theirs, so that existing dashboards work.
 */
export interface Metrics {
  /** The metrics of one controller's queue and runs; they are exported with zeros at once. */
  controller(name: string, concurrency: number): WorkQueueObserver;
  /** Counts one run. */
  outcome(outcome: Outcome): void;
  /** Counts one request to the API server. */
  request(facts: RequestFacts): void;
  /** Whether this process holds the lease. */
  leading(lease: string, isLeading: boolean): void;
  /** For additional metrics, for example of external calls. */
  readonly registry: Registry;
  /** The page `/metrics` for `serveHttp`. */
  page(): Promise<Page>;
}

/** controller-runtime's, in seconds (pkg/internal/controller/metrics). */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** controller-runtime's, in seconds (pkg/metrics/workqueue.go). */
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** A poll that has waited longer for its turn is late. */
const lateMs = 10_000;

const results = ['success', 'error', 'requeue', 'requeue_after', 'conflict', 'interrupted'] as const;

export function createMetrics(options: MetricsOptions): Metrics {
  const { version, informers, stacks, droppedEvents, clock, withProcess = true } = options;
  const registry = new Registry();
  const registers = [registry];
  if (withProcess) {
    collectDefaultMetrics({ register: registry });
    // Gauges with the name of a counter, which promtool rejects. The metrics by type remain, and can be summed.
    for (const what of ['handles', 'requests', 'resources']) {
      registry.removeSingleMetric(`nodejs_active_${what}_total`);
    }
  }

  new Gauge({
    name: 'services_stack_build_info',
    help: 'The version of the running process; always 1.',
    labelNames: ['version', 'node_version'],
    registers,
  }).set({ version, node_version: process.version }, 1);

  const reconcileTotal = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles per controller, by result.',
    labelNames: ['controller', 'result'],
    registers,
  });
  const reconcileErrors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Failed reconciles per controller; conflicts and interruptions of the leadership do not count.',
    labelNames: ['controller'],
    registers,
  });
  const unreported = new Counter({
    name: 'services_stack_unreported_errors_total',
    help: 'Failed reconciles per controller whose failure no condition of an object reports.',
    labelNames: ['controller'],
    registers,
  });
  const reconcileTimeouts = new Counter({
    name: 'controller_runtime_reconcile_timeouts_total',
    help: 'Reconciles that were aborted because they took too long, per controller.',
    labelNames: ['controller'],
    registers,
  });
  const reconcilePanics = new Counter({
    name: 'controller_runtime_reconcile_panics_total',
    help: 'Reconciles with a programming error, per controller; the log has the stack.',
    labelNames: ['controller'],
    registers,
  });
  const reconcileReasons = new Counter({
    name: 'services_stack_reconcile_reasons_total',
    help: 'Reasons for reconciles, per controller; one reconcile may have several.',
    labelNames: ['controller', 'because'],
    registers,
  });
  const reconcileTime = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Duration of reconciles, per controller.',
    labelNames: ['controller'],
    buckets: reconcileBuckets,
    registers,
  });
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
  /** The start time of each running key, by controller. */
  const running = new Map<string, Map<string, number>>();
  const ages = (name: string): number[] =>
    [...(running.get(name)?.values() ?? [])].map((startedAtMs) => (clock.elapsedMs() - startedAtMs) / 1000);
  new Gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'Sum of the durations so far of all running reconciles.',
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
    help: 'Duration so far of the longest running reconcile.',
    labelNames: ['name'],
    registers,
    collect() {
      for (const name of running.keys()) this.set({ name }, Math.max(0, ...ages(name)));
    },
  });
  const pollDelay = new Histogram({
    name: 'services_stack_poll_delay_seconds',
    help: 'Delay of scheduled reconciles, such as polls: from the scheduled time to the start.',
    labelNames: ['controller'],
    buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600],
    registers,
  });
  /** The scheduled time of each key whose delay is over and that has not started, by controller. */
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
  dueGauge(
    'services_stack_polls_due',
    'Keys with a scheduled reconcile, such as a poll, that wait in the queue.',
    0,
  );
  dueGauge(
    'services_stack_polls_late',
    'Keys of services_stack_polls_due that have waited longer than 10 s.',
    lateMs,
  );
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the API server by status code, method, host and resource.',
    labelNames: ['code', 'method', 'host', 'resource'],
    registers,
  });
  const master = new Gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process holds the Lease: 1 or 0.',
    labelNames: ['name'],
    registers,
  });
  if (droppedEvents !== undefined) {
    new Counter({
      name: 'services_stack_events_dropped_total',
      help: 'Kubernetes Events that were dropped because the queue was full.',
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
      unreported.inc({ controller: name }, 0);
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
    outcome({ controller, because: reasons, result, failure, durationMs, isTimedOut, bug }) {
      for (const because of reasons) reconcileReasons.inc({ controller, because });
      reconcileTotal.inc({ controller, result });
      reconcileTime.observe({ controller }, durationMs / 1000);
      if (result === 'error') reconcileErrors.inc({ controller });
      if (result === 'error' && failure === undefined) unreported.inc({ controller });
      if (isTimedOut) reconcileTimeouts.inc({ controller });
      if (bug !== undefined) reconcilePanics.inc({ controller });
    },
    request({ method, resource, code, host }) {
      // client-go's label for a request without an answer.
      requests.inc({ method, resource, host, code: code === 0 ? '<error>' : String(code) });
    },
    registry,
    leading: (lease, isLeading) => master.set({ name: lease }, isLeading ? 1 : 0),
    page: async () => ({ status: 200, contentType: registry.contentType, body: await registry.metrics() }),
  };
}

/** The metrics of stacks, read from their states at each scrape. */
function stackMetrics(stacks: () => readonly StackState[], registers: Registry[]): void {
  new Gauge({
    name: 'services_stack_stack_complete',
    help: 'Whether all kinds that the stack needs are listed, so that its controllers may run: 1 or 0.',
    labelNames: ['stack'],
    registers,
    collect() {
      for (const { name, isComplete } of stacks()) this.set({ stack: name }, isComplete ? 1 : 0);
    },
  });
  new Gauge({
    name: 'services_stack_definition_missing',
    help: 'A kind of the stack that the API server does not have: 1; absent once it has the kind.',
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

/** The metrics of watch streams, read from their states at each scrape. */
function informerMetrics(
  informers: () => readonly InformerState[],
  registers: Registry[],
  clock: Pick<Clock, 'elapsedMs'>,
): void {
  new Gauge({
    name: 'services_stack_definition_outdated',
    help: 'A kind that this process does not act on, because its definition lacks fields that guards need: 1.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      for (const state of informers()) {
        if (whyRefused(state) !== undefined) this.set({ kind: state.kind }, 1);
      }
    },
  });
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
  gauge('services_stack_watch_up', 'Whether a watch of the kind is open: 1 or 0.', ({ stream }) =>
    stream.phase === 'watching' ? 1 : 0,
  );
  gauge(
    'services_stack_store_synced',
    'Whether the store of the kind holds a complete list: 1 or 0.',
    ({ isSynced }) => (isSynced ? 1 : 0),
  );
  gauge(
    'services_stack_store_objects',
    'Number of objects of the kind in the store.',
    (state) => state.objectCount,
  );
  counter('services_stack_watch_lists_total', 'Number of lists of the kind.', (state) => state.listCount);
  counter(
    'services_stack_watch_failures_total',
    'Number of failed lists and watches of the kind.',
    (state) => state.failureCount,
  );
  gauge(
    'services_stack_watch_unconfirmed_seconds',
    'Time since it was last confirmed that no change of the kind was missed.',
    ({ confirmedAtMs }) => (clock.elapsedMs() - confirmedAtMs) / 1000,
  );
  counter(
    'services_stack_watch_silences_total',
    'Number of times an open watch of the kind did not deliver changes.',
    (state) => state.silenceCount,
  );
}
