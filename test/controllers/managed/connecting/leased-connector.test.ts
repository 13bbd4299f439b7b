import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import type {
  Creation,
  ExternalClient,
  Observation,
} from '../../../../controllers/managed/connecting/external-client.ts';
import { UncertainCreationError } from '../../../../controllers/managed/connecting/external-client.ts';
import { leasedConnector } from '../../../../controllers/managed/connecting/leased-connector.ts';
import { managedController } from '../../../../controllers/managed/setup.ts';
import { isInterrupted, leaseExpired } from '../../../../runtime/client/errors.ts';
import { testClock } from '../../../../testing/test-clock.ts';
import { FakeCluster } from '../../cluster-fake.ts';
import { FakeProcess } from '../../environment-fake.ts';
import { FakeExternal, managedService } from '../../external-fake.ts';
import { managed, managedKind } from '../../objects.ts';

const signal = new AbortController().signal;

/** An external system that answers after so long, and a lease of 15 s. */
function scene(answerMs: number) {
  const clock = testClock();
  let renewedMs = clock.elapsedMs();
  const checkLease = (): number => {
    const leftMs = renewedMs + 15_000 - clock.elapsedMs();
    if (leftMs > 0) return leftMs;
    throw leaseExpired('the lease was not renewed in time');
  };
  const signals: AbortSignal[] = [];
  async function answer<T>(value: T, own: AbortSignal): Promise<T> {
    signals.push(own);
    await clock.sleep(answerMs);
    return value;
  }
  const observation: Observation = { exists: true, isUpToDate: true };
  const client: ExternalClient = {
    observe: (_managed, _credential, own) => answer(observation, own),
    create: (_managed, _credential, own) => answer<Creation<Managed>>({}, own),
    update: (_managed, _credential, own) => answer({}, own),
    delete: (_managed, own) => answer({}, own),
  };
  const connector = { connect: async () => client };
  return {
    clock,
    checkLease,
    connector,
    signals,
    observation,
    connected: () => leasedConnector(connector, { clock, checkLease }).connect(managed(), signal),
    renew: () => {
      renewedMs = clock.elapsedMs();
    },
  };
}

describe('an external call', () => {
  test('ends with the lease, and its signal aborts, although the external system does not answer', async () => {
    const { clock, signals, connected } = scene(60_000);
    const client = await connected();
    const observing = assert.rejects(client.observe(managed(), undefined, signal), isInterrupted);
    await clock.advance(14_999);
    assert.equal(signals[0]?.aborted, false);
    await clock.advance(1);
    await observing;
    assert.equal(signals[0]?.aborted, true);
  });

  test('goes on while the lease is renewed', async () => {
    const { clock, observation, connected, renew } = scene(40_000);
    const client = await connected();
    const observing = client.observe(managed(), undefined, signal);
    for (let renewals = 0; renewals < 4; renewals += 1) {
      await clock.advance(10_000);
      renew();
    }
    assert.deepEqual(await observing, observation);
  });

  test('may have created the external resource if the lease ends first', async () => {
    const { clock, connected } = scene(60_000);
    const client = await connected();
    const creating = assert.rejects(client.create(managed(), undefined, signal), UncertainCreationError);
    await clock.advance(15_000);
    await creating;
  });

  test('of each managed controller is bounded so', async () => {
    const { clock, checkLease, connector } = scene(60_000);
    const cluster = new FakeCluster();
    cluster.put(managedKind, managed());
    const { env } = new FakeProcess(cluster, undefined, { clock, checkLease });
    const { reconcile } = managedController(env, managedService(connector));
    const run = reconcile({ name: 'db' }, signal, env.log);
    const ended = assert.rejects(run, isInterrupted);
    await clock.advance(15_000);
    await ended;
  });

  test('is not bounded without leader election', async () => {
    const external = new FakeExternal();
    assert.equal(leasedConnector(external, { clock: testClock() }), external);
  });
});
