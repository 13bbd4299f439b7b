import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { RequestFacts } from '../client/http-request.ts';
import type { Outcome } from '../controller/controller.ts';
import type { WorkQueueObserver } from '../controller/work-queue.ts';
import type { Clock } from '../time/clock.ts';
import { pollMetrics } from './poll-metrics.ts';
import { queueMetrics } from './queue-metrics.ts';
import { runMetrics } from './run-metrics.ts';
import type { Page } from './serve-http.ts';
import type { StateSources } from './state-metrics.ts';
import { stateMetrics } from './state-metrics.ts';

export interface MetricsOptions {
  readonly version: string;
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
  /** Exports the states of the process; once. */
  states(sources: StateSources): void;
  /** For additional metrics, for example of external calls. */
  readonly registry: Registry;
  /** The page `/metrics` for `serveHttp`. */
  page(): Promise<Page>;
}

export function createMetrics({ version, clock, withProcess = true }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (withProcess) processMetrics(registry);
  new Gauge({
    name: 'services_stack_build_info',
    help: 'The version of the running process; always 1.',
    labelNames: ['version', 'node_version'],
    registers,
  }).set({ version, node_version: process.version }, 1);
  const runs = runMetrics(registers);
  const queues = queueMetrics(registers, clock);
  const polls = pollMetrics(registers, clock);
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

  return {
    controller(name, concurrency) {
      runs.controller(name);
      const queue = queues(name, concurrency);
      const scheduled = polls(name);
      return {
        ...queue,
        due: scheduled.due,
        started(key) {
          scheduled.started(key);
          queue.started(key);
        },
        dropped(key) {
          scheduled.dropped(key);
          queue.dropped(key);
        },
      };
    },
    outcome: runs.outcome,
    request({ method, resource, code, host }) {
      // client-go's label for a request without an answer.
      requests.inc({ method, resource, host, code: code === 0 ? '<error>' : String(code) });
    },
    leading: (lease, isLeading) => master.set({ name: lease }, isLeading ? 1 : 0),
    states: (sources) => stateMetrics(sources, registers, clock),
    registry,
    page: async () => ({ status: 200, contentType: registry.contentType, body: await registry.metrics() }),
  };
}

/** The metrics of Node.js. */
function processMetrics(register: Registry): void {
  collectDefaultMetrics({ register });
  // Gauges with the name of a counter, which promtool rejects. The metrics by type remain, and can be summed.
  for (const what of ['handles', 'requests', 'resources']) {
    register.removeSingleMetric(`nodejs_active_${what}_total`);
  }
}
