import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import type { Subscription } from 'rxjs';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { kubernetesClient } from '../../runtime/client/http-kubernetes-client.ts';
import type { LeaderElection } from '../../runtime/process/leader-election.ts';
import { LeaseKind, leaderElection } from '../../runtime/process/leader-election.ts';
import { realClock } from '../../runtime/time/clock.ts';
import { recordedLog } from '../fakes/recorded-log.ts';
import { until } from '../runtime/things.ts';

/** Leases on a server count whole seconds: one is the shortest. */
const times = { leaseDurationMs: 1000, renewDeadlineMs: 700, retryPeriodMs: 100 };

describe('leader election on a real API server', () => {
  let controlPlane: ControlPlane;
  let client: ReturnType<typeof kubernetesClient>;
  let subscriptions: Subscription[] = [];
  const log = recordedLog();

  before(async () => {
    controlPlane = await startControlPlane();
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(controlPlane.kubeconfig);
    client = kubernetesClient({ kubeConfig, log, clock: realClock() });
  });
  after(async () => {
    await client?.close();
    await controlPlane?.stop();
  });
  afterEach(() => {
    for (const subscription of subscriptions) subscription.unsubscribe();
    subscriptions = [];
  });

  const contend = (name: string, identity: string) => {
    const election: LeaderElection = leaderElection({
      client,
      namespace: 'default',
      name,
      identity,
      log,
      clock: realClock(),
      random: Math.random,
      ...times,
    });
    const told: string[] = [];
    const subscription = election.leadership$.subscribe((state) => told.push(state));
    subscriptions.push(subscription);
    return { election, told, subscription };
  };
  const leaseSpec = async (name: string) =>
    (await client.get(LeaseKind, { namespace: 'default', name })).spec;

  test('of five that start together one leads, and kubectl shows which', async () => {
    const contenders = ['a', 'b', 'c', 'd', 'e'].map((identity) => contend('crowd', identity));
    await until('one leads', () => contenders.some(({ told }) => told.length > 0));
    await sleepFor(2 * times.leaseDurationMs);
    assert.deepEqual(
      contenders.flatMap(({ told }) => told),
      ['leading'],
    );
    const leader = ['a', 'b', 'c', 'd', 'e'][contenders.findIndex(({ told }) => told.length > 0)];
    const holder = await controlPlane.kubectl([
      '-n',
      'default',
      'get',
      'lease',
      'crowd',
      '-o',
      'jsonpath={.spec.holderIdentity}',
    ]);
    assert.equal(holder, leader);
  });

  test('a released lease passes on at once, one that is left only after its duration', async () => {
    const first = contend('passed-on', 'first');
    await until('the first leads', () => first.told.length === 1);
    const second = contend('passed-on', 'second');
    await first.election.release(AbortSignal.timeout(5000));
    const releasedMs = performance.now();
    await until('the second leads', () => second.told.length === 1);
    assert.ok(performance.now() - releasedMs < times.leaseDurationMs);

    second.subscription.unsubscribe();
    const leftMs = performance.now();
    const third = contend('passed-on', 'third');
    await until('the third leads', () => third.told.length === 1);
    // It was renewed up to a retry period before it was left.
    assert.ok(performance.now() - leftMs > times.leaseDurationMs - 2 * times.retryPeriodMs);
    const { holderIdentity, leaseTransitions } = (await leaseSpec('passed-on')) ?? {};
    assert.deepEqual([holderIdentity, leaseTransitions], ['third', 2]);
  });

  test('a leader that loses the API server stops before its lease runs out, and another leads later', async () => {
    const first = contend('outage', 'first');
    await until('the first leads', () => first.told.length === 1);
    await controlPlane.stopApiServer();
    const stoppedMs = performance.now();
    try {
      await until('the first has stopped', () => first.told.includes('lost'));
      assert.ok(performance.now() - stoppedMs < times.leaseDurationMs + times.retryPeriodMs);
    } finally {
      await controlPlane.startApiServer();
    }
    const second = contend('outage', 'second');
    await until('the second leads', () => second.told.length === 1, 10_000);
    assert.deepEqual(first.told, ['leading', 'lost']);
  });
});
