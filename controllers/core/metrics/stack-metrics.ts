/*
 *   stores ──at each scrape──▶ census.ts, out-of-step.ts ──▶ how many there are, of which it is so
 *   stores ──each change─────▶ lives.ts ───────────────────▶ how long it took
 *   external calls ──────────▶ how many, how long; how old a drift was
 */

import type { Registry } from 'prom-client';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Observable } from 'rxjs';
import { defer, ignoreElements, merge, tap } from 'rxjs';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Provider, ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import type { Store } from '../../../runtime/cache/store.ts';
import type { Clock } from '../../../runtime/time/clock.ts';
import type { CallObserver } from '../managed/observed-connector.ts';
import type { Counted, Group } from './census.ts';
import { census } from './census.ts';
import { lives } from './lives.ts';
import { outOfStep } from './out-of-step.ts';

/** What the metrics of stacks are taken of. */
export interface Subjects {
  /** One store of each kind. */
  readonly claims: readonly Store<Claim>[];
  readonly managed: readonly Store<Managed>[];
  /** One store of each kind of ProviderConfig, and of Provider. */
  readonly providers: readonly Store<Provider | ProviderConfig>[];
  readonly secrets: Store<Secret>;
}

export interface StackMetricsOptions {
  readonly registry: Registry;
  /** Where one that stands by counts nothing, so that what replicas say can be added up. */
  readonly isWorking: () => boolean;
  readonly clock: Pick<Clock, 'elapsedMs' | 'nextTurn' | 'now'>;
}

/** The metrics of claims, managed resources and external systems. */
export interface StackMetrics {
  /** Says what they are taken of: once. */
  over(subjects: Subjects): void;
  /** Tells of the calls for managed resources of a stack, whose ProviderConfig is of this kind. */
  callsOf(stack: string, providerConfig: Kind): CallObserver;
  /** Counts. To be awaited before the registry is read. */
  refresh(): Promise<void>;
  /** Follows what happens to objects while subscribed to. Never completes. */
  readonly run$: Observable<never>;
}

/** `FancySQLInstance.database.crossplane.io`. */
const kindLabel = ({ kind, group }: Kind): string => `${kind}.${group}`;
/** As client-go prints it, and Crossplane labels with. */
const gvkLabel = ({ group, version, kind }: Kind): string => `${group}/${version}, Kind=${kind}`;

/** Crossplane's, in seconds: from creation to readiness, and of a deletion. */
const lifeBuckets = [1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
const callBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const stateLabels = ['phase', 'ready', 'ready_reason', 'synced', 'synced_reason'] as const;

/**
 * Those of Crossplane have its names and labels (crossplane-runtime's pkg/statemetrics and pkg/reconciler/managed); the
 * buckets of the drift are ours, for theirs end at 10 s. No label holds what somebody else has named, but kinds: each value
 * is one of a list, or of the stacks that run.
 */
export function createStackMetrics({ registry, isWorking, clock }: StackMetricsOptions): StackMetrics {
  const registers = [registry];
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers });
  const histogram = <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    buckets: number[],
  ) => new Histogram({ name, help, labelNames: [...labelNames], buckets, registers });

  const claims = gauge('services_stack_claims', 'Claims by what they say.', ['kind', ...stateLabels]);
  const claimsWaiting = gauge(
    'services_stack_claims_unready_seconds',
    'For how long the claim that has waited longest has not been Ready.',
    ['kind', 'ready_reason'],
  );
  const managed = gauge('services_stack_managed_resources', 'Managed resources by what they say.', [
    'kind',
    ...stateLabels,
  ]);
  const managedWaiting = gauge(
    'services_stack_managed_resources_unready_seconds',
    'For how long the managed resource that has waited longest has not been Ready.',
    ['kind', 'ready_reason'],
  );
  const providerConfigs = gauge(
    'services_stack_provider_configs',
    'ProviderConfigs and Providers by what they say.',
    ['kind', 'ready', 'ready_reason'],
  );
  const secretsOutOfStep = gauge(
    'services_stack_secrets_out_of_step',
    'Bound claims whose secret does not hold what their managed resource publishes.',
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
    lifeBuckets,
  );
  const timeToReconcile = histogram(
    'crossplane_managed_resource_first_time_to_reconcile_seconds',
    'The time it took from the creation of a managed resource until a reconcile had said something of it.',
    ['gvk'],
    lifeBuckets,
  );
  const timeToReadiness = histogram(
    'crossplane_managed_resource_first_time_to_readiness_seconds',
    'The time it took for a managed resource to become ready first time after creation.',
    ['gvk'],
    lifeBuckets,
  );
  const deletion = histogram(
    'crossplane_managed_resource_deletion_seconds',
    'The time it took for a managed resource to be deleted.',
    ['gvk'],
    lifeBuckets,
  );
  const drift = histogram(
    'crossplane_managed_resource_drift_seconds',
    'How long since a look had found nothing to do, when an external resource was found to differ and was updated.',
    ['gvk'],
    lifeBuckets,
  );
  const calls = new Counter({
    name: 'services_stack_external_calls_total',
    help: 'Calls of external systems, by stack, kind of ProviderConfig, operation, result and class of the error.',
    labelNames: ['stack', 'provider', 'operation', 'result', 'error_class'],
    registers,
  });
  const callTime = histogram(
    'services_stack_external_call_duration_seconds',
    'How long calls of external systems took, without the wait for their turn.',
    ['stack', 'provider', 'operation'],
    callBuckets,
  );

  let subjects: Subjects | undefined;
  /** When a look last found nothing to do, by UID. */
  const upToDateAtMs = new Map<string, number>();

  function driftOf({
    managed: { metadata, apiVersion, kind },
    operation,
    errorClass,
    isUpToDate,
  }: Call): void {
    const { uid = '' } = metadata;
    const nowMs = clock.elapsedMs();
    if (isUpToDate === true) upToDateAtMs.set(uid, nowMs);
    if (operation !== 'update' || errorClass !== undefined) return;
    const lastMs = upToDateAtMs.get(uid);
    if (lastMs === undefined) return;
    drift.observe({ gvk: `${apiVersion}, Kind=${kind}` }, (nowMs - lastMs) / 1000);
    upToDateAtMs.set(uid, nowMs);
  }

  async function countsOf(store: Store<Counted>): Promise<Counts> {
    return { kind: store.kind, groups: await census(store.all(), clock) };
  }

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
        driftOf(call);
      };
    },
    async refresh() {
      if (subjects === undefined) return;
      const of = isWorking() ? subjects : { ...subjects, claims: [], managed: [], providers: [] };
      const stores = new Map(of.managed.map((store) => [kindLabel(store.kind), store]));
      const ofClaims = await inTurn(of.claims, countsOf);
      const ofManaged = await inTurn(of.managed, countsOf);
      const ofProviders = await inTurn(of.providers, countsOf);
      const { secrets } = of;
      const ofSecrets = await inTurn(of.claims, async (store) => ({
        kind: kindLabel(store.kind),
        count: await outOfStep({ claims: store, managed: stores, secrets, clock }),
      }));
      // From here on at once, so that nobody reads half of it.
      const nowMs = clock.now().getTime();
      for (const one of [claims, claimsWaiting, managed, managedWaiting, providerConfigs]) one.reset();
      for (const one of [secretsOutOfStep, exists, ready, synced]) one.reset();
      for (const counts of ofClaims) tellStates(counts, claims, claimsWaiting, nowMs);
      for (const counts of ofManaged) {
        tellStates(counts, managed, managedWaiting, nowMs);
        const gvk = gvkLabel(counts.kind);
        exists.set({ gvk }, sum(counts.groups));
        ready.set({ gvk }, sum(counts.groups.filter((group) => group.ready === 'True')));
        synced.set({ gvk }, sum(counts.groups.filter((group) => group.synced === 'True')));
      }
      for (const { kind, groups } of ofProviders) {
        for (const group of groups) {
          const labels = { kind: kindLabel(kind), ready: group.ready, ready_reason: group.readyReason };
          providerConfigs.inc(labels, group.count);
        }
      }
      for (const { kind, count } of ofSecrets) secretsOutOfStep.set({ kind }, count);
    },
    run$: defer(() => {
      if (subjects === undefined) return merge();
      return merge(
        ...subjects.claims.map(({ changes$, kind }) => {
          const labels = { kind: kindLabel(kind) };
          return changes$.pipe(
            lives<Claim>({ clock, isWorking }),
            tap(({ type, seconds }) => {
              if (type === 'bound') timeToBound.observe(labels, seconds);
            }),
          );
        }),
        ...subjects.managed.map(({ changes$, kind }) => {
          const labels = { gvk: gvkLabel(kind) };
          return changes$.pipe(
            tap(({ type, object }) => {
              if (type === 'deleted') upToDateAtMs.delete(object.metadata.uid ?? '');
            }),
            lives<Managed>({ clock, isWorking }),
            tap(({ type, seconds }) => {
              if (type === 'reconciled') timeToReconcile.observe(labels, seconds);
              else if (type === 'ready') timeToReadiness.observe(labels, seconds);
              else if (type === 'deleted') deletion.observe(labels, seconds);
            }),
          );
        }),
      ).pipe(ignoreElements());
    }),
  };
}

type Call = Parameters<CallObserver>[0];

interface Counts {
  readonly kind: Kind;
  readonly groups: readonly Group[];
}

const sum = (groups: readonly Group[]): number => groups.reduce((total, { count }) => total + count, 0);

/** One after the other, so that no turn of the event loop is taken by all of them. */
async function inTurn<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await act(item));
  return results;
}

/** How many say what, and for how long the longest has waited for Ready. */
function tellStates(
  { kind: of, groups }: Counts,
  states: Gauge<'kind' | (typeof stateLabels)[number]>,
  waiting: Gauge<'kind' | 'ready_reason'>,
  nowMs: number,
): void {
  const kind = kindLabel(of);
  const longest = new Map<string, number>();
  for (const { phase, ready, readyReason, synced, syncedReason, count, waitingSinceMs } of groups) {
    const labels = { ready_reason: readyReason, synced_reason: syncedReason };
    states.set({ kind, phase, ready, synced, ...labels }, count);
    if (waitingSinceMs === undefined) continue;
    const seconds = Math.max(0, nowMs - waitingSinceMs) / 1000;
    longest.set(readyReason, Math.max(seconds, longest.get(readyReason) ?? 0));
  }
  for (const [readyReason, seconds] of longest) waiting.set({ kind, ready_reason: readyReason }, seconds);
}
