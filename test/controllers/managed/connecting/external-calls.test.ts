import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Kind } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import {
  externalCalls,
  limitedConnector,
} from '../../../../controllers/managed/connecting/external-calls.ts';
import { leasedConnector } from '../../../../controllers/managed/connecting/leased-connector.ts';
import type { Stack } from '../../../../controllers/stack.ts';
import { stackControllers } from '../../../../controllers/stack.ts';
import { createCallLimiter } from '../../../../runtime/time/call-limiter.ts';
import { testClock } from '../../../../testing/test-clock.ts';
import { FakeCluster } from '../../cluster-fake.ts';
import { FakeProcess } from '../../environment-fake.ts';
import { FakeExternal } from '../../external-fake.ts';
import { claimRef, managed, managedKind, otherManagedKind } from '../../objects.ts';

const signal = new AbortController().signal;

/** A limiter over a clock. */
function limited(perSecond: number, burst?: number) {
  const clock = testClock();
  const startedMs = clock.elapsedMs();
  const limiter = createCallLimiter({ perSecond, ...(burst === undefined ? {} : { burst }), clock });
  return {
    limiter,
    /** Lets the clock run until `ms`. */
    until: (ms: number): Promise<void> => clock.advance(startedMs + ms - clock.elapsedMs()),
    now: () => clock.elapsedMs() - startedMs,
  };
}

describe('the cap on external calls', () => {
  test('a burst of calls starts at once, and later calls start at the rate in their order', async () => {
    const clock = limited(10, 5);
    const admitted: [number, number][] = [];
    for (let n = 0; n < 15; n += 1) {
      void clock.limiter.admit('p', signal).then(() => admitted.push([n, clock.now()]));
    }
    await clock.until(0);
    assert.equal(admitted.length, 5);
    await clock.until(500);
    assert.equal(admitted.length, 10);
    await clock.until(1_000);
    const wanted = Array.from({ length: 15 }, (_, n) => [n, n < 5 ? 0 : (n - 4) * 100]);
    assert.deepEqual(admitted, wanted);
  });

  test('providers do not wait for each other', async () => {
    const clock = limited(1, 1);
    const admitted: string[] = [];
    for (const key of ['a', 'a', 'b']) void clock.limiter.admit(key, signal).then(() => admitted.push(key));
    await clock.until(0);
    assert.deepEqual(admitted, ['a', 'b']);
  });

  test('a caller that gives up uses no turn', async () => {
    const clock = limited(1, 1);
    const abort = new AbortController();
    await clock.limiter.admit('p', signal);
    const given = clock.limiter.admit('p', abort.signal);
    abort.abort(new Error('stopped'));
    await assert.rejects(given, /stopped/);
    let isAdmitted = false;
    void clock.limiter.admit('p', signal).then(() => (isAdmitted = true));
    await clock.until(1_000);
    assert.ok(isAdmitted);
  });

  test('namespaces take turns: one that waits with many calls delays another by one call', async () => {
    const { limiter, until } = limited(1, 1);
    const admitted: string[] = [];
    const call = (group: string): void =>
      void limiter.admit('p', signal, group).then(() => admitted.push(group));
    for (let n = 0; n < 1_000; n += 1) call('many');
    await until(1_500);
    call('few');
    call('few');
    await until(5_000);
    assert.deepEqual(admitted, ['many', 'many', 'many', 'few', 'many', 'few']);
  });

  test('if all waiting calls give up, the next call takes the next token', async () => {
    const { limiter, until, now } = limited(1, 1);
    await limiter.admit('p', signal);
    const abort = new AbortController();
    const given = ['a', 'b'].map((group) =>
      assert.rejects(limiter.admit('p', abort.signal, group), /stopped/),
    );
    abort.abort(new Error('stopped'));
    let admittedAtMs = 0;
    void limiter.admit('p', signal, 'c').then(() => (admittedAtMs = now()));
    await Promise.all(given);
    await until(3_000);
    assert.equal(admittedAtMs, 1_000);
  });

  test('an idle provider may send one burst, no more', async () => {
    const clock = limited(10, 5);
    let admitted = 0;
    for (const hours of [1, 2, 3]) {
      for (let n = 0; n < 20; n += 1) void clock.limiter.admit('p', signal).then(() => (admitted += 1));
      await clock.until(clock.now());
      assert.equal(admitted, 5);
      await clock.until(hours * 3_600_000);
      assert.equal(admitted, 20);
      admitted = 0;
    }
  });

  test('providers that are idle are forgotten', async () => {
    const clock = limited(1, 2);
    for (let n = 0; n < 1_000; n += 1) void clock.limiter.admit(`p${n}`, signal);
    const admitted: number[] = [];
    for (let n = 0; n < 4; n += 1) void clock.limiter.admit('busy', signal).then(() => admitted.push(n));
    await clock.until(0);
    assert.equal(clock.limiter.size, 1_001);
    await clock.until(1_500);
    await clock.limiter.admit('p0', signal);
    assert.equal(clock.limiter.size, 2, 'the busy one and the last');
    assert.deepEqual(admitted, [0, 1, 2], 'which still waits its turn');
  });

  test('a provider in use does not prevent that idle ones are forgotten', async () => {
    const clock = limited(1, 2);
    for (const key of ['a', 'b']) await clock.limiter.admit(key, signal);
    await clock.until(900);
    await clock.limiter.admit('a', signal);
    await clock.until(1_000);
    await clock.limiter.admit('c', signal);
    assert.equal(clock.limiter.size, 2);
  });

  test('a caller that has already given up is refused, and uses no turn', async () => {
    const clock = limited(1, 1);
    const reason = new Error('stopped');
    await assert.rejects(clock.limiter.admit('p', AbortSignal.abort(reason)), reason);
    assert.equal(clock.limiter.size, 0);
  });

  test('the answer of a deletion is passed on', async () => {
    const clock = limited(1, 1);
    const operation = 'operations/1';
    const poll = async () => ({ state: 'running' }) as const;
    const external = {
      ...new FakeExternal(),
      connect: async () => ({ ...client, poll, delete: async () => ({ operation }) }),
    };
    const client = await new FakeExternal().connect();
    const capped = await limitedConnector(external, clock.limiter, () => 'p').connect(managed(), signal);
    assert.deepEqual(await capped.delete(managed(), signal), { operation });
  });

  test('every external call takes a turn; connecting, asking which system it is and leaving take none', async () => {
    const keys: string[] = [];
    const limiter = {
      admit: async (key: string, _signal: AbortSignal, group?: string) =>
        void keys.push(`${key}, for ${group}`),
    };
    const owned = managed({ claimRef: claimRef({ namespace: 'team-a' }) });
    const external = new FakeExternal();
    external.system = 'https://a.example';
    const client = await limitedConnector(external, limiter, ({ metadata }) => metadata.name).connect(
      owned,
      signal,
    );
    assert.equal(await client.system?.(signal), 'https://a.example');
    assert.deepEqual(keys, []);
    await client.observe(owned, undefined, signal);
    await client.create(owned, undefined, signal);
    await client.update(owned, undefined, signal);
    await client.delete(owned, signal);
    await client.disconnect?.();
    assert.deepEqual(keys, Array(4).fill('db, for team-a'));
    assert.deepEqual(external.calls, ['connect', 'observe', 'create', 'update', 'delete', 'disconnect']);
  });

  test('no external call starts under a lease that expired while the call waited', async () => {
    let isLeading = true;
    const clock = testClock();
    const limiter = externalCalls({ clock, maxExternalCallsPerSecond: 20 });
    const checkLease = (): number => {
      if (!isLeading) throw new Error('the lease ran out');
      return 15_000;
    };
    const external = new FakeExternal();
    const leased = leasedConnector(external, { clock, checkLease });
    const client = await limitedConnector(leased, limiter, () => 'provider').connect(managed(), signal);
    const calls = Array.from({ length: 201 }, () => client.observe(managed(), undefined, signal));
    const waiting = assert.rejects(calls[200]!, /the lease ran out/);
    await Promise.all(calls.slice(0, 200));
    isLeading = false;
    await clock.advance(50);
    await waiting;
    const creation = assert.rejects(client.create(managed(), undefined, signal), /the lease ran out/);
    await clock.advance(100);
    await creation;
    assert.equal(external.calls.filter((call) => call !== 'connect').length, 200);
  });

  const kind = { version: 'v1', plural: 'x', scope: 'Cluster' } as const;
  const providers = {
    provider: { ...kind, group: 'fcp', kind: 'Provider' },
    providerConfig: { ...kind, group: 'newer.fcp', kind: 'ProviderConfig' },
  };

  test('each provider has its own limit', () => {
    const { env } = new FakeProcess(new FakeCluster());
    const keyOf = externalCalls(env).keyFor(providers);
    assert.equal(keyOf(managed()), 'ProviderConfig/newer.fcp/default');
    assert.equal(keyOf(managed({ providerRef: { name: 'favourite' } })), 'Provider/fcp/favourite');
  });

  test('all kinds and stacks of a process share one limit', async () => {
    const clock = testClock();
    const cluster = new FakeCluster();
    const { env } = new FakeProcess(cluster, undefined, { clock, maxExternalCallsPerSecond: 0.1 });
    const external = new FakeExternal();
    const stackOf = (kind: Kind<Managed>): Stack => ({
      name: kind.plural,
      claims: [],
      managed: () => [{ kind, providers, externalNames: 'deterministic', connector: external }],
    });
    const kinds = [managedKind, otherManagedKind];
    for (const kind of kinds) cluster.put(kind, managed());
    const controllers = stackControllers(env, kinds.map(stackOf));
    for (const { reconcile } of controllers.slice(0, 2)) {
      void reconcile({ name: 'db' }, signal, env.log).catch(() => {});
    }
    await clock.settle();
    assert.equal(external.count('observe'), 1);
    await clock.advance(10_000);
    assert.equal(external.calls.length, 4, external.calls.join());
  });
});
