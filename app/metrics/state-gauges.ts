import pick from 'lodash/pick.js';
import sumBy from 'lodash/sumBy.js';
import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';
import { concatMap, from, lastValueFrom, toArray } from 'rxjs';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Reporter } from '../../apis/core/v1alpha1/ready-reasons.ts';
import { waitsFor } from '../../apis/core/v1alpha1/ready-reasons.ts';
import { isLossNoted } from '../../controllers/external-loss.ts';
import { isReturnable } from '../../controllers/retention.ts';
import type { ObservedStores } from '../../controllers/stack.ts';
import type { Store } from '../../runtime/cache/store.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import type { Counted, Counts, Group } from './count-by-status.ts';
import { countByStatus, inSlices, stateLabels } from './count-by-status.ts';
import { gvkLabel, kindLabel } from './labels.ts';
import { hasStaleSecret } from './stale-secrets.ts';

export interface StateGaugesOptions {
  readonly registry: Registry;
  /** A standby counts nothing, so that the values of all replicas can be summed. */
  readonly isWorking: () => boolean;
  readonly clock: Pick<Clock, 'elapsedMs' | 'nextTurn' | 'now'>;
}

/** How many objects there are, by status. Returns the function that counts them, one store after another. */
export function stateGauges({ registry, isWorking, clock }: StateGaugesOptions) {
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });

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

  const countsOf =
    <T extends Counted>(reporterOf: (object: T) => Reporter) =>
    async (store: Store<T>): Promise<CountsOfKind> => ({
      kind: store.kind,
      ...(await countByStatus(store.all(), reporterOf, clock)),
    });

  return async function count(subjects: ObservedStores): Promise<void> {
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
  };
}

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
