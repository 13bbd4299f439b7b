/*
 *   stores ──at each scrape──▶ count-by-status.ts, stale-secrets.ts ──▶ how many objects, by status
 *   stores ──each change─────▶ milestones.ts ─────────────────────────▶ how long it took
 *   external calls ──────────▶ how many, how long; how old a drift was
 */

import pick from 'lodash/pick.js';
import sumBy from 'lodash/sumBy.js';
import type { Registry } from 'prom-client';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Observable } from 'rxjs';
import { concatMap, defer, from, ignoreElements, lastValueFrom, merge, tap, toArray } from 'rxjs';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Reporter } from '../../apis/core/v1alpha1/ready-reasons.ts';
import { waitsFor } from '../../apis/core/v1alpha1/ready-reasons.ts';
import { isLossNoted } from '../../controllers/external-loss.ts';
import type { CallObserver } from '../../controllers/managed/connecting/observed-connector.ts';
import { isReturnable } from '../../controllers/retention.ts';
import type { ObservedStores, StackObserver } from '../../controllers/stack.ts';
import type { Store } from '../../runtime/cache/store.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import type { Counted, Counts, Group } from './count-by-status.ts';
import { countByStatus, inSlices, stateLabels } from './count-by-status.ts';
import type { Milestone } from './milestones.ts';
import { milestones } from './milestones.ts';
import { hasStaleSecret } from './stale-secrets.ts';

export interface StackMetricsOptions {
  readonly registry: Registry;
  /** A standby counts nothing, so that the values of all replicas can be summed. */
  readonly isWorking: () => boolean;
  readonly clock: Pick<Clock, 'elapsedMs' | 'nextTurn' | 'now'>;
}

export interface StackMetrics extends StackObserver {
  /** Counts the objects. Await it before the registry is read. */
  refresh(): Promise<void>;
  /** Measures milestones while it is subscribed to. Never completes. */
  readonly run$: Observable<never>;
}

/** `FancySQLInstance.database.crossplane.io`. */
const kindLabel = ({ kind, group }: Kind): string => `${kind}.${group}`;
/** As client-go prints it, and Crossplane labels with. */
const gvkLabel = ({ group, version, kind }: Kind): string => `${group}/${version}, Kind=${kind}`;

/** Crossplane's buckets, in seconds. */
const lifeBuckets = [1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
const callBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Metrics of Crossplane have its names and labels (crossplane-runtime's pkg/statemetrics and
 * pkg/reconciler/managed), except longer buckets for the drift. No user can invent a label value.
 */
export function createStackMetrics({ registry, isWorking, clock }: StackMetricsOptions): StackMetrics {
  const registers = [registry];
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers });
  const histogram = <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    buckets = lifeBuckets,
  ) => new Histogram({ name, help, labelNames: [...labelNames], buckets, registers });

  const claims = gauge('services_stack_claims', 'Claims by status.', ['kind', ...stateLabels]);
  const claimsWaiting = gauge(
    'services_stack_claims_unready_seconds',
    'The longest time that a claim that is not Ready has had this reason.',
    ['kind', 'claim_namespace', 'ready_reason', 'waits_for'],
  );
  const managed = gauge('services_stack_managed_resources', 'Managed resources by status.', [
    'kind',
    ...stateLabels,
  ]);
  const managedWaiting = gauge(
    'services_stack_managed_resources_unready_seconds',
    'The longest time that a managed resource that is not Ready has had this reason.',
    ['kind', 'ready_reason', 'waits_for'],
  );
  const providerConfigs = gauge(
    'services_stack_provider_configs',
    'ProviderConfigs and Providers by status.',
    ['kind', 'ready', 'ready_reason'],
  );
  const secretsOutOfStep = gauge(
    'services_stack_secrets_out_of_step',
    'Bound claims whose secret differs from the secret of their managed resource.',
    ['kind', 'claim_namespace', 'waits_for'],
  );
  const losses = gauge(
    'services_stack_lost_external_resources',
    'Managed resources that lost their external resource, until an administrator acknowledges it.',
    ['kind'],
  );
  const retained = gauge(
    'services_stack_kept_resources',
    'Managed resources of deleted claims, which a claim of the same name can take back until a date.',
    ['kind'],
  );
  const exists = gauge('crossplane_managed_resource_exists', 'The number of managed resources that exist.', [
    'gvk',
  ]);
  const ready = gauge(
    'crossplane_managed_resource_ready',
    'The number of managed resources in Ready=True state.',
    ['gvk'],
  );
  const synced = gauge(
    'crossplane_managed_resource_synced',
    'The number of managed resources in Synced=True state.',
    ['gvk'],
  );

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

  const countsOf =
    <T extends Counted>(reporterOf: (object: T) => Reporter) =>
    async (store: Store<T>): Promise<CountsOfKind> => ({
      kind: store.kind,
      ...(await countByStatus(store.all(), reporterOf, clock)),
    });

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
      if (subjects === undefined) return;
      const of = isWorking() ? subjects : { ...subjects, claims: [], managed: [], providers: [] };
      const stores = new Map(of.managed.map((store) => [kindLabel(store.kind), store]));
      const claimCounts = await oneByOne(of.claims, countsOf(claimReporter));
      const managedCounts = await oneByOne(of.managed, countsOf(resourceReporter));
      const providerCounts = await oneByOne(of.providers, countsOf(providerReporter));
      const stale = await oneByOne(of.claims, async (store) => {
        const found: Claim[] = [];
        await inSlices(store.all(), clock, (claim) => {
          if (hasStaleSecret(claim, { ...of, managed: stores })) found.push(claim);
        });
        return { kind: kindLabel(store.kind), found };
      });
      const counted = (isCounted: (managed: Managed) => boolean) =>
        oneByOne(of.managed, async (store) => {
          let count = 0;
          await inSlices(store.all(), clock, (managed) => {
            if (isCounted(managed)) count += 1;
          });
          return { kind: kindLabel(store.kind), count };
        });
      const lost = await counted(isLossNoted);
      const returnable = await counted(isReturnable);
      // No pause from here on, so that a scrape reads the counts of one moment.
      const nowMs = clock.now().getTime();
      for (const one of [claims, claimsWaiting, managed, managedWaiting, providerConfigs]) one.reset();
      for (const one of [secretsOutOfStep, losses, retained, exists, ready, synced]) one.reset();
      for (const { kind, count } of lost) if (count > 0) losses.set({ kind }, count);
      for (const { kind, count } of returnable) if (count > 0) retained.set({ kind }, count);
      for (const counts of claimCounts) setStates(counts, claims, claimsWaiting, nowMs);
      for (const counts of managedCounts) {
        setStates(counts, managed, managedWaiting, nowMs);
        const { kind, groups } = counts;
        const gvk = gvkLabel(kind);
        exists.set({ gvk }, sumBy(groups, 'count'));
        ready.set({ gvk }, countOf(groups, 'ready'));
        synced.set({ gvk }, countOf(groups, 'synced'));
      }
      for (const { kind, groups } of providerCounts) {
        for (const { labels, count } of groups) {
          providerConfigs.inc({ kind: kindLabel(kind), ...pick(labels, ['ready', 'ready_reason']) }, count);
        }
      }
      for (const { kind, found } of stale) {
        for (const { metadata, status } of found) {
          const { reason = '' } = getCondition(status?.conditions, 'Ready');
          const labels = { claim_namespace: metadata.namespace ?? '', waits_for: waitsFor(reason, 'claim') };
          secretsOutOfStep.inc({ kind, ...labels });
        }
      }
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

interface CountsOfKind extends Counts {
  readonly kind: Kind;
}

const claimReporter = (): Reporter => 'claim';
const resourceReporter = ({ spec }: Managed): Reporter =>
  spec?.claimRef === undefined ? 'unclaimed resource' : 'claimed resource';
/** Providers belong to administrators, as unclaimed resources do. */
const providerReporter = (): Reporter => 'unclaimed resource';

/** One after another, so that no turn of the event loop takes long. */
const oneByOne = <T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<readonly R[]> =>
  lastValueFrom(from(items).pipe(concatMap(act), toArray()));

const countOf = (groups: readonly Group[], label: 'ready' | 'synced'): number =>
  sumBy(
    groups.filter(({ labels }) => labels[label] === 'True'),
    'count',
  );

function setStates(
  { kind: of, groups, waiting }: CountsOfKind,
  states: Gauge<'kind' | (typeof stateLabels)[number]>,
  longest: Gauge<'kind' | 'claim_namespace' | 'ready_reason' | 'waits_for'>,
  nowMs: number,
): void {
  const kind = kindLabel(of);
  for (const { labels, count } of groups) states.set({ kind, ...labels }, count);
  for (const { labels, namespace, sinceMs } of waiting) {
    const place = namespace === undefined ? {} : { claim_namespace: namespace };
    longest.set({ kind, ...place, ...labels }, Math.max(0, nowMs - sinceMs) / 1000);
  }
}
