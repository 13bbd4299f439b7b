import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Subscription } from 'rxjs';
import { kubernetesClient } from '../../../runtime/client/http-kubernetes-client.ts';
import type { KubernetesClient } from '../../../runtime/client/kubernetes-client.ts';
import type {
  LeaderElection,
  LeaderElectionOptions,
  Lease,
} from '../../../runtime/process/leader-election.ts';
import { LeaseKind, leaderElection } from '../../../runtime/process/leader-election.ts';
import { FakeApiServer } from '../../fakes/api-server.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { until } from '../things.ts';

/** Leases count whole seconds: one is the shortest. */
const times = { leaseDurationMs: 1000, renewDeadlineMs: 100, retryPeriodMs: 20 };

describe('leader election', () => {
  let server: FakeApiServer;
  let client: ReturnType<typeof kubernetesClient>;
  let log: ReturnType<typeof recordedLog>;
  let subscriptions: Subscription[];

  beforeEach(async () => {
    server = await new FakeApiServer(LeaseKind).start();
    log = recordedLog();
    client = kubernetesClient({ kubeConfig: server.kubeConfig(), log });
    subscriptions = [];
  });
  afterEach(async () => {
    for (const subscription of subscriptions) subscription.unsubscribe();
    await client.close();
    await server.stop();
  });

  const election = (identity: string, options: Partial<LeaderElectionOptions> = {}): LeaderElection =>
    leaderElection({
      client,
      namespace: 'ns',
      name: 'stack',
      identity,
      log,
      now: () => new Date(),
      random: () => 0,
      ...times,
      ...options,
    });
  /** Contends until the test ends; what it is told, and `end`. */
  function contend(contender: LeaderElection): string[] {
    const told: string[] = [];
    subscriptions.push(
      contender.leadership$.subscribe({
        next: (state) => told.push(state),
        complete: () => told.push('end'),
        error: () => told.push('error'),
      }),
    );
    return told;
  }
  const lease = (): Lease | undefined => server.objects()[0] as Lease | undefined;
  const holder = (): string | undefined => lease()?.spec?.holderIdentity;
  const put = (spec: NonNullable<Lease['spec']>): Lease =>
    server.put(LeaseKind, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'ns', name: 'stack' },
      spec,
    });

  test('who comes first creates the lease, leads and renews it', async () => {
    const told = contend(election('a'));
    await until('it leads', () => told.length === 1);
    const created = server.seen('POST')[0]?.body as Lease;
    const { renewTime, ...spec } = created.spec ?? {};
    assert.match(renewTime ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.deepEqual(spec, {
      holderIdentity: 'a',
      leaseDurationSeconds: 1,
      acquireTime: renewTime,
      leaseTransitions: 0,
    });
    await until('it has renewed twice', () => server.seen('PUT').length >= 2);
    assert.deepEqual(told, ['leading']);
    assert.notEqual(lease()?.spec?.renewTime, renewTime);
    assert.equal(lease()?.spec?.acquireTime, renewTime);
  });

  test('a renewal is one request', async () => {
    const told = contend(election('a'));
    await until('it leads', () => told.length === 1);
    server.requests.length = 0;
    await until('it has renewed', () => server.requests.length >= 3);
    assert.deepEqual(new Set(server.requests.map(({ method }) => method)), new Set(['PUT']));
  });

  test('of many that start together one leads', async () => {
    const all = ['a', 'b', 'c', 'd', 'e'].map((identity) => contend(election(identity)));
    await until('one leads', () => all.some((told) => told.length > 0));
    await sleepFor(100);
    assert.deepEqual(
      all.flat().filter((state) => state === 'leading'),
      ['leading'],
    );
  });

  test('nobody takes over while the holder renews, whatever its clock says', async () => {
    // A day behind: to others its lease looks long expired.
    const dayMs = 86_400_000;
    const leader = contend(election('a', { now: () => new Date(Date.now() - dayMs) }));
    await until('it leads', () => leader.length === 1);
    const other = contend(election('b'));
    await sleepFor(1.5 * times.leaseDurationMs);
    assert.deepEqual([leader, other], [['leading'], []]);
  });

  test('a lease that is not renewed is taken over after its duration by our own clock', async () => {
    put({ holderIdentity: 'gone', leaseDurationSeconds: 1, leaseTransitions: 4 });
    let clockMs = 0;
    const told = contend(election('a', { clock: () => clockMs }));
    await until('it has looked', () => server.seen('GET').length >= 3);
    assert.deepEqual(told, []);
    clockMs = 1001;
    await until('it leads', () => told.length === 1);
    assert.deepEqual([holder(), lease()?.spec?.leaseTransitions], ['a', 5]);
  });

  test('a 404 of a proxy does not mean that there is no lease', async () => {
    put({ holderIdentity: 'other', leaseDurationSeconds: 3600 });
    server.fail({ method: 'GET', status: 404, body: '404 page not found', times: 2 });
    contend(election('a'));
    await until('it has looked', () => server.seen('GET').length >= 4);
    assert.equal(server.seen('POST').length, 0);
  });

  test('a released lease is taken at once', async () => {
    put({ holderIdentity: '', leaseDurationSeconds: 3600 });
    const told = contend(election('a'));
    await until('it leads', () => told.length === 1);
  });

  test('release frees the lease for the next, and only if it is ours', async () => {
    const lasting = { leaseDurationMs: 60_000 };
    const first = election('a', lasting);
    const told = contend(first);
    await until('it leads', () => told.length === 1);
    const next = contend(election('b', lasting));
    await first.release(AbortSignal.timeout(1000));
    await until('the next leads', () => next.length === 1);
    assert.deepEqual(told, ['leading', 'end']);
    await first.release(AbortSignal.timeout(1000));
    await election('c').release(AbortSignal.timeout(1000));
    assert.equal(holder(), 'b');
  });

  test('release without an API server gives up and does not throw', async () => {
    const contender = election('a');
    const told = contend(contender);
    await until('it leads', () => told.length === 1);
    await server.stop();
    await contender.release(AbortSignal.timeout(50));
    assert.equal(log.lines.at(-1)?.level, 'warn');
  });

  test('a leader that cannot renew stops before others take over', async () => {
    const told = contend(election('a'));
    await until('it leads', () => told.length === 1);
    const startedMs = performance.now();
    server.fail({ method: 'PUT', plural: 'leases', status: 500, times: 1000 });
    await until('it has stopped', () => told.includes('lost'));
    const tookMs = performance.now() - startedMs;
    assert.ok(tookMs < times.leaseDurationMs, `after ${tookMs} ms`);
    assert.deepEqual(told, ['leading', 'lost', 'end']);
  });

  test('a leader whose API server hangs stops after the one attempt it always has', async () => {
    const told = contend(election('a'));
    await until('it leads', () => told.length === 1);
    const startedMs = performance.now();
    server.fail({ status: -1, times: 1000 });
    await until('it has stopped', () => told.includes('lost'));
    assert.ok(performance.now() - startedMs >= 1000);
  });

  test('a failure that passes changes nothing', async () => {
    const told = contend(election('a', { renewDeadlineMs: 60_000 }));
    await until('it leads', () => told.length === 1);
    server.fail({ method: 'PUT', plural: 'leases', status: 500, times: 2 });
    const renewals = server.seen('PUT').length;
    await until('it renews again', () => server.seen('PUT').length > renewals + 4);
    assert.deepEqual(told, ['leading']);
  });

  test('a leader stops when it sees that another holds the lease, not only at its deadline', async () => {
    const told = contend(election('a', { renewDeadlineMs: 60_000 }));
    await until('it leads', () => told.length === 1);
    put({ holderIdentity: 'thief', leaseDurationSeconds: 3600 });
    await until('it has stopped', () => told.includes('lost'));
    assert.equal(holder(), 'thief');
  });

  test('unsubscribing stops renewing', async () => {
    const told = contend(election('a'));
    await until('it leads', () => told.length === 1);
    subscriptions[0]?.unsubscribe();
    await sleepFor(10);
    const count = server.requests.length;
    await sleepFor(80);
    assert.equal(server.requests.length, count);
    assert.equal(holder(), 'a');
  });

  test('whoever has led may act until the renew deadline by the clock, whatever has been noticed', async () => {
    let clockMs = 1000;
    const contender = election('a', { clock: () => clockMs, retryPeriodMs: 60_000, renewDeadlineMs: 9000 });
    contender.check(); // who has never led is no concern of the lease
    const told = contend(contender);
    await until('it leads', () => told.length === 1);
    clockMs = 9999;
    contender.check();
    clockMs = 10_000;
    assert.throws(() => contender.check(), { name: 'ApiError', code: 0, reason: 'LeaseExpired' });
    assert.deepEqual(told, ['leading'], 'nobody has told us yet');
  });

  test('a renewal counts from when it was asked for', async () => {
    let clockMs = 0;
    const contender = election('a', { clock: () => clockMs, renewDeadlineMs: 9000 });
    const told = contend(contender);
    await until('it leads', () => told.length === 1);
    clockMs = 8000;
    const before = server.seen('PUT').length;
    await until('it has renewed', () => server.seen('PUT').length > before + 1);
    clockMs = 16_000;
    contender.check();
  });

  test('a client that does not heed its signal cannot keep us leading', async () => {
    let isDeaf = false;
    const never = new Promise<never>(() => {});
    const deaf = {
      get: client.get.bind(client),
      create: client.create.bind(client),
      replace: (...args: Parameters<KubernetesClient['replace']>) =>
        isDeaf ? never : client.replace(...args),
    } as unknown as KubernetesClient;
    const told = contend(election('a', { client: deaf }));
    await until('it leads', () => told.length === 1);
    isDeaf = true;
    await until('it has stopped', () => told.includes('lost'));
  });
});
