import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Registry } from 'prom-client';
import type { Claim, ClaimStatus } from '../../../apis/core/v1alpha1/claim.ts';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import type { Provider, ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { createStackMetrics } from '../../../app/metrics/stack-metrics.ts';
import type { ExternalCall } from '../../../controllers/managed/connecting/observed-connector.ts';
import { ProviderConfigKind, ProviderKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { claim, claimKind, managed, managedKind } from '../../controllers/objects.ts';
import { FilledStore } from './stores.ts';

const gvk = 'database.fcp.crossplane.io/v1alpha3, Kind=FavouriteDBInstance';
const created = '2026-01-02T03:00:00Z';

const condition = (
  type: string,
  status: Condition['status'],
  reason: string,
  lastTransitionTime = created,
): Condition => ({ type, status, reason, lastTransitionTime });
const claimed = 'kind="FancySQLInstance.database.crossplane.io"';
const ready = condition('Ready', 'True', 'Available');
const synced = condition('Synced', 'True', 'ReconcileSuccess');

interface Given {
  readonly claims?: readonly Claim[];
  readonly managed?: readonly Managed[];
  readonly secrets?: readonly Secret[];
  readonly providerConfigs?: readonly ProviderConfig[];
  readonly providers?: readonly Provider[];
  readonly isWorking?: () => boolean;
}

function scene({ isWorking = () => true, ...given }: Given = {}) {
  const clock = testClock();
  clock.setWall('2026-01-02T03:10:00Z');
  const registry = new Registry();
  const metrics = createStackMetrics({ registry, isWorking, clock });
  const claims = new FilledStore(claimKind, given.claims);
  const resources = new FilledStore(managedKind, given.managed);
  metrics.over({
    claims: [claims.store],
    managed: [resources.store],
    providers: [
      new FilledStore<ProviderConfig>(ProviderConfigKind, given.providerConfigs).store,
      new FilledStore<Provider>(ProviderKind, given.providers).store,
    ],
    secrets: new FilledStore(SecretKind, given.secrets).store,
    classOf: () => undefined,
  });
  const samples = async (...names: readonly string[]): Promise<readonly string[]> => {
    await metrics.refresh();
    const lines = (await registry.metrics()).split('\n');
    return lines.filter((line) => names.some((name) => line.startsWith(`${name}{`)));
  };
  return { clock, metrics, claims, resources, samples };
}

const aClaim = (name: string, status?: ClaimStatus, spec = {}): Claim =>
  claim(spec, { name, uid: `uid-of-${name}`, creationTimestamp: created, ...(status && { status }) });
const aResource = (name: string, conditions?: readonly Condition[], rest: object = {}): Managed => {
  const metadata = { name, uid: `uid-of-${name}`, creationTimestamp: created };
  return managed({}, { ...metadata, ...(conditions && { status: { conditions } }), ...rest });
};

test('resources that are kept for deleted claims are counted until their dates', async () => {
  const spec = { claimRef: { uid: 'former' }, reclaimPolicy: 'Delete' } as const;
  const status = {
    bindingPhase: 'Released',
    releasedFrom: 'former',
    deleteAt: '2026-01-09T00:00:00Z',
  } as const;
  const released = (name: string, boundUID: string) =>
    managed(spec, { name, uid: name, status: { ...status, boundUID } });
  const { samples } = scene({ managed: [released('a', 'a'), released('b', 'of a backup'), aResource('c')] });
  assert.deepEqual(await samples('services_stack_kept_resources'), [
    'services_stack_kept_resources{kind="FavouriteDBInstance.database.fcp.crossplane.io"} 1',
  ]);
});

describe('claims and managed resources are counted by their conditions', () => {
  test('claims, and for how long the longest has waited', async () => {
    const waiting = (since: string) => [condition('Ready', 'False', 'NoMatchingClass', since), synced];
    const { samples } = scene({
      claims: [
        aClaim('a', { bindingPhase: 'Bound', conditions: [ready, synced] }),
        aClaim('b', { bindingPhase: 'Bound', conditions: [ready, synced] }),
        aClaim('c', { bindingPhase: 'Unbound', conditions: waiting('2026-01-02T03:09:00Z') }),
        aClaim('d', { bindingPhase: 'Unbound', conditions: waiting('2026-01-02T03:05:00Z') }),
        aClaim('e'),
      ],
    });
    assert.deepEqual(await samples('services_stack_claims', 'services_stack_claims_unready_seconds'), [
      `services_stack_claims{${claimed},phase="Bound",ready="True",synced="True",ready_reason="Available",waits_for="controllers",synced_reason="ReconcileSuccess"} 2`,
      `services_stack_claims{${claimed},phase="Unbound",ready="False",synced="True",ready_reason="NoMatchingClass",waits_for="author",synced_reason="ReconcileSuccess"} 2`,
      `services_stack_claims{${claimed},phase="None",ready="Unknown",synced="Unknown",ready_reason="None",waits_for="controllers",synced_reason="None"} 1`,
      `services_stack_claims_unready_seconds{${claimed},claim_namespace="team",ready_reason="NoMatchingClass",waits_for="author"} 300`,
      `services_stack_claims_unready_seconds{${claimed},claim_namespace="team",ready_reason="None",waits_for="controllers"} 600`,
    ]);
  });

  test("managed resources, in Crossplane's words too", async () => {
    const { samples } = scene({
      managed: [
        aResource('a', [ready, synced]),
        aResource('b', [ready, condition('Synced', 'False', 'ReconcileError')]),
        aResource('c', [condition('Ready', 'False', 'Creating'), synced]),
      ],
    });
    const names = ['exists', 'ready', 'synced'].map((what) => `crossplane_managed_resource_${what}`);
    assert.deepEqual(await samples(...names, 'services_stack_managed_resources_unready_seconds'), [
      'services_stack_managed_resources_unready_seconds{kind="FavouriteDBInstance.database.fcp.crossplane.io",ready_reason="Creating",waits_for="controllers"} 600',
      `crossplane_managed_resource_exists{gvk="${gvk}"} 3`,
      `crossplane_managed_resource_ready{gvk="${gvk}"} 2`,
      `crossplane_managed_resource_synced{gvk="${gvk}"} 2`,
    ]);
  });

  test('for the author of the claim or for the platform, as the reason says', async () => {
    const why = (reason: string) => [condition('Ready', 'False', reason)];
    const claimRef = { name: 'a' };
    const { samples } = scene({
      claims: ['SecretConflict', 'QuotaExceeded'].map((reason) =>
        aClaim(reason, { conditions: why(reason) }),
      ),
      managed: ['InvalidValue', 'SecretConflict', 'QuotaExceeded'].flatMap((reason) => [
        aResource(`${reason}-by-hand`, why(reason)),
        managed(
          { claimRef },
          { name: reason, creationTimestamp: created, status: { conditions: why(reason) } },
        ),
      ]),
    });
    const lines = await samples('services_stack_claims', 'services_stack_managed_resources');
    const found = lines.map((line) => /reason="(\w+)",waits_for="(\w+)".* (\d)$/.exec(line)?.slice(1).join());
    assert.deepEqual(found, [
      'SecretConflict,author,1',
      'QuotaExceeded,platform,1',
      'InvalidValue,platform,1',
      'InvalidValue,author,1',
      'SecretConflict,platform,2',
      'QuotaExceeded,platform,2',
    ]);
  });

  test('the series of a deleted object are missing in the next scrape', async () => {
    const one = aResource('a', [ready, synced]);
    const { samples, resources } = scene({ managed: [one] });
    assert.equal((await samples('services_stack_managed_resources')).length, 1);
    resources.remove(one);
    assert.deepEqual(await samples('services_stack_managed_resources'), []);
    assert.deepEqual(await samples('crossplane_managed_resource_exists'), [
      `crossplane_managed_resource_exists{gvk="${gvk}"} 0`,
    ]);
  });

  test('ProviderConfigs and Providers', async () => {
    const type = { apiVersion: 'fcp.crossplane.io/v1alpha3', kind: 'ProviderConfig' };
    const config = (name: string, conditions: readonly Condition[]) =>
      ({ ...type, metadata: { name }, spec: {}, status: { conditions } }) as unknown as ProviderConfig;
    const provider = { ...config('d', [ready]), kind: 'Provider' } as unknown as Provider;
    const { samples } = scene({
      providerConfigs: [config('a', [ready]), config('b', [ready]), config('c', [])],
      providers: [provider],
    });
    const kind = 'kind="ProviderConfig.fcp.crossplane.io"';
    assert.deepEqual(await samples('services_stack_provider_configs'), [
      `services_stack_provider_configs{${kind},ready="True",ready_reason="Available"} 2`,
      `services_stack_provider_configs{${kind},ready="Unknown",ready_reason="None"} 1`,
      'services_stack_provider_configs{kind="Provider.fcp.crossplane.io",ready="True",ready_reason="Available"} 1',
    ]);
  });

  test('a thousand objects with different messages have one series', async () => {
    const objects = Array.from({ length: 1_000 }, (_, index) =>
      aClaim(`c${index}`, {
        bindingPhase: `phase-${index}` as 'Bound',
        conditions: [
          condition('Ready', `status-${index}` as 'True', `reason-${index}`),
          condition('Synced', 'False', `secret-${index}`),
        ],
      }),
    );
    const { samples } = scene({ claims: objects });
    assert.deepEqual(await samples('services_stack_claims'), [
      `services_stack_claims{${claimed},phase="Other",ready="Other",synced="False",ready_reason="Other",waits_for="controllers",synced_reason="Other"} 1000`,
    ]);
  });

  test('a process that does not lead exports no counts, so that replicas can be added up', async () => {
    const { samples } = scene({ isWorking: () => false, claims: [aClaim('a')], managed: [aResource('a')] });
    assert.deepEqual(await samples('services_stack_claims', 'crossplane_managed_resource_exists'), []);
  });
});

describe("a claim's Secret is counted as out of sync", () => {
  const from = { namespace: 'infra', name: 'db-connection' };
  const secret = (namespace: string, name: string, data: Record<string, string>): Secret => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: connectionSecretType,
    metadata: { namespace, name },
    data,
  });
  const resource = managed({ writeConnectionSecretToRef: from }, { name: 'db' });
  const resourceRef = { apiVersion: resource.apiVersion, kind: resource.kind, name: 'db' };
  const writeConnectionSecretToRef = { name: 'conn' };
  const bound = (conditions: readonly Condition[] = [ready, synced]): Claim =>
    aClaim('orders', { bindingPhase: 'Bound', conditions }, { resourceRef, writeConnectionSecretToRef });
  const { namespace = '' } = bound().metadata;
  /** The source and the claim's Secret with these data. */
  const both = (data: Record<string, string>) => [source, secret(namespace, 'conn', data)];
  const source = secret('infra', 'db-connection', { password: 'YQ==', port: 'MQ==' });
  const failing = [ready, condition('Synced', 'False', 'ReconcileError')];
  const refused = bound([condition('Ready', 'False', 'SecretConflict')]);
  const rows: Record<string, readonly [claim: Claim, secrets: readonly Secret[], want: 0 | 1]> = {
    'not if it holds the same': [bound(), both({ port: 'MQ==', password: 'YQ==' }), 0],
    'if a value differs': [bound(), both({ port: 'MQ==', password: 'Yg==' }), 1],
    'for its author, if its Secret is immutable': [refused, both({ port: 'MQ==' }), 1],
    'if a key is missing': [bound(), both({ port: 'MQ==' }), 1],
    'if there is one too many': [bound(), both({ port: 'MQ==', password: 'YQ==', more: '' }), 1],
    'if it is not there, and the claim says that it cannot be': [bound(failing), [source], 1],
    'not if it is only not seen, as one of another type': [bound(), [source], 0],
    'not of a claim that is not Bound': [aClaim('orders', undefined, { resourceRef }), [source], 0],
  };
  for (const [name, [one, secrets, want]] of Object.entries(rows)) {
    test(name, async () => {
      const { samples } = scene({ claims: [one], managed: [resource], secrets });
      const waitsFor = one === refused ? 'author' : 'controllers';
      const labels = `${claimed},claim_namespace="team",waits_for="${waitsFor}"`;
      assert.deepEqual(
        await samples('services_stack_secrets_out_of_step'),
        want === 0 ? [] : [`services_stack_secrets_out_of_step{${labels}} 1`],
      );
    });
  }
});

describe('each duration is measured once', () => {
  /** Sum and count of a histogram. */
  const measured = async (samples: ReturnType<typeof scene>['samples'], name: string) =>
    (await samples(`${name}_sum`, `${name}_count`)).map((line) => Number(line.split(' ').at(-1)));

  test('until a claim is Bound for the first time', async () => {
    const { metrics, claims, samples, clock } = scene();
    metrics.run$.subscribe();
    claims.put(aClaim('a'));
    clock.setWall('2026-01-02T03:00:07Z');
    claims.put(aClaim('a', { bindingPhase: 'Unbound', conditions: [] }));
    claims.put(aClaim('a', { bindingPhase: 'Bound', conditions: [ready] }));
    clock.setWall('2026-01-02T03:30:00Z');
    for (const bindingPhase of ['Released', 'Bound'] as const)
      claims.put(aClaim('a', { bindingPhase, conditions: [ready] }));
    assert.deepEqual(await measured(samples, 'services_stack_claim_time_to_bound_seconds'), [7, 1]);
  });

  test('until a managed resource is first reconciled, is ready, is deleted', async () => {
    const { metrics, resources, samples, clock } = scene({ managed: [aResource('old', [ready, synced])] });
    metrics.run$.subscribe();
    await clock.settle();
    resources.put(aResource('a'));
    clock.setWall('2026-01-02T03:00:02Z');
    resources.put(aResource('a', [condition('Ready', 'False', 'Creating'), synced]));
    clock.setWall('2026-01-02T03:00:40Z');
    resources.put(aResource('a', [ready, synced]));
    resources.put(aResource('a', [condition('Ready', 'False', 'Unavailable'), synced]));
    resources.put(aResource('a', [ready, synced]));
    resources.put(aResource('old', [condition('Ready', 'False', 'Unavailable'), synced]));
    resources.put(aResource('old', [ready, synced]));
    clock.setWall('2026-01-02T04:00:09Z');
    resources.remove(aResource('a', [ready], { deletionTimestamp: '2026-01-02T04:00:00Z' }));
    resources.remove(aResource('old', [ready]));
    const prefix = 'crossplane_managed_resource_';
    assert.deepEqual(await measured(samples, `${prefix}first_time_to_reconcile_seconds`), [2, 1]);
    assert.deepEqual(await measured(samples, `${prefix}first_time_to_readiness_seconds`), [40, 1]);
    assert.deepEqual(await measured(samples, `${prefix}deletion_seconds`), [9, 1]);
  });

  test('only by the process that does the work', async () => {
    const { metrics, claims, samples } = scene({ isWorking: () => false });
    metrics.run$.subscribe();
    claims.put(aClaim('a'));
    claims.put(aClaim('a', { bindingPhase: 'Bound', conditions: [ready] }));
    assert.deepEqual(await measured(samples, 'services_stack_claim_time_to_bound_seconds'), []);
  });
});

describe('calls of external systems are counted by stack, kind of ProviderConfig, operation, result and class of the error', () => {
  const call = (facts: Partial<ExternalCall>): ExternalCall => ({
    managed: aResource('a'),
    operation: 'observe',
    durationMs: 200,
    ...facts,
  });

  test('with their duration', async () => {
    const { metrics, samples } = scene();
    const reported = metrics.callsOf('fcp', ProviderConfigKind);
    reported(call({}));
    reported(call({ errorClass: 'Throttled', durationMs: 400 }));
    reported(call({ operation: 'create' }));
    const labels = 'stack="fcp",provider="ProviderConfig.fcp.crossplane.io"';
    const calls = 'services_stack_external_calls_total';
    const seconds = 'services_stack_external_call_duration_seconds_sum';
    assert.deepEqual(await samples(calls, seconds), [
      `${calls}{${labels},operation="observe",result="success"} 1`,
      `${calls}{${labels},operation="observe",result="error",error_class="Throttled"} 1`,
      `${calls}{${labels},operation="create",result="success"} 1`,
      `${seconds}{${labels},operation="observe"} 0.6000000000000001`,
      `${seconds}{${labels},operation="create"} 0.2`,
    ]);
  });

  test('an update shows the possible age of the drift: the time since the last observation without a difference', async () => {
    const { metrics, samples, clock } = scene();
    const reported = metrics.callsOf('fcp', ProviderConfigKind);
    reported(call({ operation: 'update' })); // unknown
    reported(call({ isUpToDate: true }));
    await clock.advance(60_000);
    reported(call({ isUpToDate: false }));
    reported(call({ operation: 'update', errorClass: 'Unknown' }));
    reported(call({ operation: 'update' }));
    const name = 'crossplane_managed_resource_drift_seconds';
    const drift = [`${name}_sum{gvk="${gvk}"} 60`, `${name}_count{gvk="${gvk}"} 1`];
    assert.deepEqual(await samples(`${name}_sum`, `${name}_count`), drift);
  });
});
