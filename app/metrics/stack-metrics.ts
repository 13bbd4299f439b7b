/*
 *   stores ──at each scrape──▶ state-gauges.ts ──▶ how many objects, by status
 *   stores ──each change─────▶ milestones.ts ────▶ how long it took
 *   external calls ──────────────────────────────▶ how many, how long; how old a drift was
 */

import { Counter, Histogram } from 'prom-client';
import type { Observable } from 'rxjs';
import { defer, ignoreElements, merge, tap } from 'rxjs';
import type { CallObserver } from '../../controllers/managed/connecting/observed-connector.ts';
import type { ObservedStores, StackObserver } from '../../controllers/stack.ts';
import type { Store } from '../../runtime/cache/store.ts';
import type { Counted } from './count-by-status.ts';
import { gvkLabel, kindLabel } from './labels.ts';
import type { Milestone } from './milestones.ts';
import { milestones } from './milestones.ts';
import type { StateGaugesOptions } from './state-gauges.ts';
import { stateGauges } from './state-gauges.ts';

export interface StackMetrics extends StackObserver {
  /** Counts the objects. Await it before the registry is read. */
  refresh(): Promise<void>;
  /** Measures milestones while it is subscribed to. Never completes. */
  readonly run$: Observable<never>;
}

/** Crossplane's buckets, in seconds. */
const lifeBuckets = [1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
const callBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Metrics of Crossplane have its names and labels (crossplane-runtime's pkg/statemetrics and
 * pkg/reconciler/managed), except longer buckets for the drift. No user can invent a label value.
 */
export function createStackMetrics({ registry, isWorking, clock }: StateGaugesOptions): StackMetrics {
  const countObjects = stateGauges({ registry, isWorking, clock });
  const registers = [registry];
  const histogram = <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    buckets = lifeBuckets,
  ) => new Histogram({ name, help, labelNames: [...labelNames], buckets, registers });

  const timeToBound = histogram(
    'services_stack_claim_time_to_bound_seconds',
    'The time it took from the creation of a claim until it was Bound.',
    ['kind'],
  );
  const timeToReconcile = histogram(
    'crossplane_managed_resource_first_time_to_reconcile_seconds',
    'The time it took from the creation of a managed resource until its first reconcile.',
    ['gvk'],
  );
  const timeToReadiness = histogram(
    'crossplane_managed_resource_first_time_to_readiness_seconds',
    'The time it took for a managed resource to become ready first time after creation.',
    ['gvk'],
  );
  const deletion = histogram(
    'crossplane_managed_resource_deletion_seconds',
    'The time it took for a managed resource to be deleted.',
    ['gvk'],
  );
  const drift = histogram(
    'crossplane_managed_resource_drift_seconds',
    'The time from the last observation without a difference until the update of an external resource.',
    ['gvk'],
  );
  const calls = new Counter({
    name: 'services_stack_external_calls_total',
    help: 'Calls of external systems, by stack, kind of ProviderConfig, operation, result and class of the error.',
    labelNames: ['stack', 'provider', 'operation', 'result', 'error_class'],
    registers,
  });
  const callTime = histogram(
    'services_stack_external_call_duration_seconds',
    'How long calls of external systems took, without the delay of the rate limit.',
    ['stack', 'provider', 'operation'],
    callBuckets,
  );

  let subjects: ObservedStores | undefined;
  /** By UID: the last observation without a difference. */
  const upToDateAtMs = new Map<string, number>();

  function measureDrift({ managed: object, operation, errorClass, isUpToDate }: Call): void {
    const { uid = '' } = object.metadata;
    const nowMs = clock.elapsedMs();
    const lastMs = upToDateAtMs.get(uid);
    const isUpdated = operation === 'update' && errorClass === undefined && lastMs !== undefined;
    if (isUpdated) {
      drift.observe({ gvk: `${object.apiVersion}, Kind=${object.kind}` }, (nowMs - lastMs) / 1000);
    }
    if (isUpdated || isUpToDate === true) upToDateAtMs.set(uid, nowMs);
  }

  const measure = <L extends string>(
    { changes$ }: Store<Counted>,
    labels: Readonly<Record<L, string>>,
    histograms: Partial<Record<Milestone['type'], Histogram<L>>>,
  ) =>
    changes$.pipe(
      tap(({ type, object }) => {
        if (type === 'deleted') upToDateAtMs.delete(object.metadata.uid ?? '');
      }),
      milestones({ clock, isWorking }),
      tap(({ type, seconds }) => histograms[type]?.observe(labels, seconds)),
    );

  return {
    over(given) {
      subjects = given;
    },
    callsOf(stack, providerConfig) {
      const provider = kindLabel(providerConfig);
      return (call) => {
        const { operation, errorClass, durationMs } = call;
        const result = errorClass === undefined ? 'success' : 'error';
        calls.inc({ stack, provider, operation, result, ...(errorClass && { error_class: errorClass }) });
        callTime.observe({ stack, provider, operation }, durationMs / 1000);
        measureDrift(call);
      };
    },
    async refresh() {
      if (subjects !== undefined) await countObjects(subjects);
    },
    run$: defer(() => {
      const { claims: claimSubjects = [], managed: managedSubjects = [] } = subjects ?? {};
      const resourceHistograms = { reconciled: timeToReconcile, ready: timeToReadiness, deleted: deletion };
      return merge(
        ...claimSubjects.map((store) =>
          measure(store, { kind: kindLabel(store.kind) }, { bound: timeToBound }),
        ),
        ...managedSubjects.map((store) => measure(store, { gvk: gvkLabel(store.kind) }, resourceHistograms)),
      ).pipe(ignoreElements());
    }),
  };
}

type Call = Parameters<CallObserver>[0];
