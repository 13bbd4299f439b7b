import type { Registry } from 'prom-client';
import { Counter, Histogram } from 'prom-client';
import type { Outcome } from '../controller/controller.ts';

/** controller-runtime's, in seconds (pkg/internal/controller/metrics). */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

const results = ['success', 'error', 'requeue', 'requeue_after', 'conflict', 'interrupted'] as const;

/** The metrics of finished runs. */
export interface RunMetrics {
  /** Exports the counters of a controller with zeros. */
  controller(name: string): void;
  /** Counts one run. */
  outcome(outcome: Outcome): void;
}

/** How many runs of each controller ended with which result, why they ran and how long they took. */
export function runMetrics(registers: Registry[]): RunMetrics {
  const perController = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['controller'], registers });
  const total = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles per controller, by result.',
    labelNames: ['controller', 'result'],
    registers,
  });
  const errors = perController(
    'controller_runtime_reconcile_errors_total',
    'Failed reconciles per controller; conflicts and interruptions of the leadership do not count.',
  );
  const unreported = perController(
    'services_stack_unreported_errors_total',
    'Failed reconciles per controller whose failure no condition of an object reports.',
  );
  const timeouts = perController(
    'controller_runtime_reconcile_timeouts_total',
    'Reconciles that were aborted because they took too long, per controller.',
  );
  const panics = perController(
    'controller_runtime_reconcile_panics_total',
    'Reconciles with a programming error, per controller; the log has the stack.',
  );
  const reasonsTotal = new Counter({
    name: 'services_stack_reconcile_reasons_total',
    help: 'Reasons for reconciles, per controller; one reconcile may have several.',
    labelNames: ['controller', 'because'],
    registers,
  });
  const duration = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Duration of reconciles, per controller.',
    labelNames: ['controller'],
    buckets: reconcileBuckets,
    registers,
  });

  return {
    controller(controller) {
      for (const counter of [errors, unreported, timeouts, panics]) counter.inc({ controller }, 0);
      for (const result of results) total.inc({ controller, result }, 0);
    },
    outcome({ controller, because: reasons, result, failure, durationMs, isTimedOut, bug }) {
      for (const because of reasons) reasonsTotal.inc({ controller, because });
      total.inc({ controller, result });
      duration.observe({ controller }, durationMs / 1000);
      if (result === 'error') errors.inc({ controller });
      if (result === 'error' && failure === undefined) unreported.inc({ controller });
      if (isTimedOut) timeouts.inc({ controller });
      if (bug !== undefined) panics.inc({ controller });
    },
  };
}
