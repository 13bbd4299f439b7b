import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';
import type { InformerState } from '../cache/informer-state.ts';
import { whyRefused } from '../cache/informer-state.ts';
import type { StackState } from '../controller/stack-needs.ts';
import type { Clock } from '../time/clock.ts';

/** The sources of metrics that are read at each scrape. */
export interface StateSources {
  /** The state of every watch stream. */
  readonly informers?: () => readonly InformerState[];
  /** The state of each stack. */
  readonly stacks?: () => readonly StackState[];
  /** The number of dropped Events. */
  readonly droppedEvents?: () => number;
}

/** The metrics of states, for the sources that are given. */
export function stateMetrics(
  { informers, stacks, droppedEvents }: StateSources,
  registers: Registry[],
  clock: Pick<Clock, 'elapsedMs'>,
): void {
  if (droppedEvents !== undefined) eventMetrics(droppedEvents, registers);
  if (informers !== undefined) informerMetrics(informers, registers, clock);
  if (stacks !== undefined) stackMetrics(stacks, registers);
}

function eventMetrics(droppedEvents: () => number, registers: Registry[]): void {
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

function stackMetrics(stacks: () => readonly StackState[], registers: Registry[]): void {
  new Gauge({
    name: 'services_stack_stack_complete',
    help: 'Whether all kinds that the stack needs are listed: 1 or 0. Claims also wait for the other stacks that serve them.',
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
