import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCallLimiter, limitedConnector } from '../../../../controllers/core/managed/call-limiter.ts';
import { externalCalls } from '../../../../controllers/core/managed/external-calls.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { FakeExternal } from '../external-fake.ts';
import { managed } from '../objects.ts';

const signal = new AbortController().signal;

/** A clock that moves when somebody waits, as far as that wait, and tells when each call was admitted. */
function limited(perSecond: number, burst?: number) {
  const waits: { dueMs: number; resolve: () => void }[] = [];
  let nowMs = 0;
  const limiter = createCallLimiter({
    perSecond,
    ...(burst === undefined ? {} : { burst }),
    now: () => nowMs,
    sleep: (delayMs, stop) =>
      new Promise((resolve, reject) => {
        waits.push({ dueMs: nowMs + delayMs, resolve });
        stop.addEventListener('abort', () => reject(stop.reason), { once: true });
      }),
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    limiter,
    /** Lets the clock run until `ms`. */
    async until(ms: number): Promise<void> {
      await settle();
      for (;;) {
        const next = waits.filter(({ dueMs }) => dueMs <= ms).toSorted((a, b) => a.dueMs - b.dueMs)[0];
        if (next === undefined) break;
        waits.splice(waits.indexOf(next), 1);
        nowMs = Math.max(nowMs, next.dueMs);
        next.resolve();
        await settle();
      }
      nowMs = ms;
    },
    now: () => nowMs,
  };
}

describe('the cap on external calls', () => {
  test('a burst at once, then so many per second, in the order of asking', async () => {
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
    assert.deepEqual(
      admitted,
      Array.from({ length: 15 }, (_, n) => [n, n < 5 ? 0 : (n - 4) * 100]),
    );
  });

  test('10,000 resources of one provider make no more than the rate allows in a minute', async () => {
    const clock = limited(50);
    let admitted = 0;
    for (let n = 0; n < 10_000; n += 1) void clock.limiter.admit('p', signal).then(() => (admitted += 1));
    await clock.until(10_000);
    assert.equal(admitted, 50 + 500);
  });

  test('providers do not wait for each other', async () => {
    const clock = limited(1, 1);
    const admitted: string[] = [];
    for (const key of ['a', 'a', 'b']) void clock.limiter.admit(key, signal).then(() => admitted.push(key));
    await clock.until(0);
    assert.deepEqual(admitted, ['a', 'b']);
  });

  test('who gives up takes no turn', async () => {
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

  test('a rest earns one burst, no more', async () => {
    const clock = limited(10, 5);
    await clock.until(3_600_000);
    let admitted = 0;
    for (let n = 0; n < 20; n += 1) void clock.limiter.admit('p', signal).then(() => (admitted += 1));
    await clock.until(3_600_000);
    assert.equal(admitted, 5);
  });

  test('providers that rest are forgotten, and no debt with them', async () => {
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

  test('every external call takes a turn; connecting takes none', async () => {
    const keys: string[] = [];
    const limiter = { admit: async (key: string) => void keys.push(key) };
    const external = new FakeExternal();
    const client = await limitedConnector(external, limiter, ({ metadata }) => metadata.name).connect(
      managed(),
      signal,
    );
    assert.deepEqual(keys, []);
    await client.observe(managed(), {}, signal);
    await client.create(managed(), {}, signal);
    await client.update(managed(), {}, signal);
    await client.delete(managed(), signal);
    await client.disconnect?.();
    assert.deepEqual(keys, ['db', 'db', 'db', 'db']);
    assert.deepEqual(external.calls, ['connect', 'observe', 'create', 'update', 'delete', 'disconnect']);
  });

  test('no external call is made under a lease that ran out, be it while the call waited for its turn', async () => {
    let isLeading = true;
    const { env } = new FakeProcess(new FakeCluster(), undefined, {
      maxExternalCallsPerSecond: 20,
      checkLease: () => {
        if (!isLeading) throw new Error('the lease ran out');
      },
    });
    const external = new FakeExternal();
    const client = await limitedConnector(external, externalCalls(env), () => 'provider').connect(
      managed(),
      signal,
    );
    const calls = Array.from({ length: 201 }, () => client.observe(managed(), {}, signal));
    const waiting = assert.rejects(calls[200]!, /the lease ran out/);
    await Promise.all(calls.slice(0, 200));
    isLeading = false;
    await waiting;
    await assert.rejects(client.create(managed(), {}, signal), /the lease ran out/);
    assert.equal(external.calls.filter((call) => call !== 'connect').length, 200);
  });

  test('one cap per process and provider, whatever the kind of the resource', () => {
    const { env } = new FakeProcess(new FakeCluster());
    assert.equal(externalCalls(env), externalCalls(env));
    assert.notEqual(externalCalls(env), externalCalls(new FakeProcess(new FakeCluster()).env));
    const kind = { version: 'v1', plural: 'x', scope: 'Cluster' } as const;
    const keyOf = externalCalls(env).keyFor({
      provider: { ...kind, group: 'fcp', kind: 'Provider' },
      providerConfig: { ...kind, group: 'fcp', kind: 'ProviderConfig' },
    });
    assert.equal(keyOf(managed()), 'ProviderConfig/fcp/default');
    assert.equal(keyOf(managed({ providerRef: { name: 'favourite' } })), 'Provider/fcp/favourite');
  });
});
