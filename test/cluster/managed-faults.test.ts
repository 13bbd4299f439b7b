import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import { externalName } from '../../apis/core/v1alpha1/meta.ts';
import type { Network } from '../../apis/fcp/v1alpha3/network.ts';
import { NetworkKind } from '../../apis/fcp/v1alpha3/network.ts';
import type { FavouriteCloud, FavouriteCloudOptions } from '../../emulators/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../../emulators/favourite-cloud/server.ts';
import type { ManagedFixture } from './managed-fixture.ts';
import { networks, startManaged } from './managed-fixture.ts';
import type { StackProcess } from './stack-harness.ts';
import { eventually } from './stack-harness.ts';

const flags = ['--stacks', 'fcp', '--poll-interval', '2s'];
const range = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

describe('managed resources while everything goes wrong', () => {
  let fixture: ManagedFixture;
  let stack: StackProcess;
  const clouds: FavouriteCloud[] = [];

  before(async () => {
    fixture = await startManaged();
    stack = fixture.cluster.startProcess(flags);
  });

  after(async (context) => {
    await fixture?.stop();
    await Promise.all(clouds.map((cloud) => cloud.stop()));
    if ('error' in context && context.error) console.error(stack?.log());
  });

  /** A cloud of this name, and a Provider of the same name for it. */
  const provide = async (name: string, options: FavouriteCloudOptions) => {
    const cloud = await startFavouriteCloud(options);
    clouds.push(cloud);
    await fixture.provider(name, cloud);
    return cloud;
  };
  const networkNamed = (cloud: FavouriteCloud, name: string) =>
    cloud.networks().filter(({ item }) => item.tags['crossplane-name'] === name);
  const isUndetermined = ({ status }: Network) =>
    /^cannot determine creation result/.test(getCondition(status?.conditions, 'Synced').message ?? '');

  /** Waits until each network is ready, or says that it cannot know whether it exists; answers with the latter. */
  const settled = (names: readonly string[]) =>
    eventually(
      'each network is ready or undetermined',
      async () => {
        const all = (await fixture.cluster.all(NetworkKind)).filter(({ metadata }) =>
          names.includes(metadata.name),
        );
        const isReady = ({ status }: Network) => getCondition(status?.conditions, 'Ready').status === 'True';
        const waiting = all.filter((network) => !isReady(network) && !isUndetermined(network));
        if (waiting.length === 0) return all.filter(isUndetermined);
        throw new Error(JSON.stringify(waiting.map(({ status }) => status)));
      },
      90_000,
    );

  test('a cloud that limits requests gets no more than it takes, and all 20 become ready', async () => {
    const limited = await provide('limited', { rateLimit: 10, provisioningMs: 500 });
    const names = range(20, 'limited');
    await Promise.all(names.map((name) => fixture.instance(name, { providerRef: { name: 'limited' } })));
    for (const name of names) await fixture.ready(name, { timeoutMs: 120_000 });
    assert.equal(limited.instances().length, names.length);
    for (const { item } of limited.instances()) {
      assert.equal((await fixture.secretOf(item.name)).password, item.password);
    }
    await Promise.all(names.map((name) => fixture.remove(name)));
    for (const name of names) await fixture.gone(name);
    assert.deepEqual(limited.instances(), []);
  });

  test('a cloud that fails three requests in ten, slowly and with reads that lag, yields each thing once', async () => {
    const shaky = await provide('shaky', {
      failRate: 0.3,
      provisioningMs: 700,
      readDelayMs: 150,
      deletionMs: 300,
    });
    const providerRef = { name: 'shaky' };
    const [names, nets] = [range(15, 'shaky'), range(10, 'shaky-net')];
    await Promise.all([
      ...names.map((name) => fixture.instance(name, { providerRef })),
      ...nets.map((name) => fixture.network(name, { providerRef })),
    ]);
    for (const name of names) await fixture.ready(name, { timeoutMs: 120_000 });
    await settled(nets);
    assert.deepEqual(
      shaky
        .instances()
        .map(({ item }) => item.name)
        .toSorted(),
      names.toSorted(),
    );
    for (const { item } of shaky.instances()) {
      assert.equal((await fixture.secretOf(item.name)).password, item.password);
    }
    for (const name of nets) assert.ok(networkNamed(shaky, name).length <= 1, name);
    await Promise.all(names.map((name) => fixture.remove(name)));
    for (const name of names) await eventually(name, async () => (await fixture.gone(name)) === true, 90_000);
    assert.deepEqual(shaky.instances(), []);
  });

  describe('the process is killed while the cloud is creating networks whose ids it assigns', () => {
    const names = range(12, 'killed');
    let cloud: FavouriteCloud;
    let undetermined: readonly Network[] = [];

    test('each network is ready, or says that its creation cannot be determined; never are there two', async () => {
      cloud = await provide('killed', { provisioningMs: 200 });
      // The worst moments for certain: the work is done and no answer came, and the request was taken only.
      cloud.faults.inject({ kind: 'stall', method: 'POST', times: 2 });
      cloud.faults.inject({ kind: 'hang', method: 'POST', times: 1 });
      const [stuck, others] = [names.slice(0, 3), names.slice(3)];
      for (const name of stuck) await fixture.network(name, { providerRef: { name: 'killed' } });
      await eventually(
        'three creations are stuck',
        async () => (cloud.calls()['POST /v1/networks'] ?? 0) >= 3,
      );
      // At once: after ten seconds it gives a request up, and looks for what came of it.
      await stack.end('SIGKILL');
      for (const name of others) await fixture.network(name, { providerRef: { name: 'killed' } });
      for (const lifeMs of [300, 450, 600, 750, 900]) {
        await stack.end('SIGKILL');
        const more = `killed-more-${lifeMs}`;
        names.push(more);
        await fixture.network(more, { providerRef: { name: 'killed' } });
        stack = fixture.cluster.startProcess(flags);
        await sleep(lifeMs);
      }
      undetermined = await settled(names);
      assert.ok(undetermined.length >= 3, `${undetermined.length} are undetermined`);
      assert.ok(undetermined.length < names.length, 'some are ready');
      for (const name of names) {
        const found = networkNamed(cloud, name).length;
        const isStuck = undetermined.some(({ metadata }) => metadata.name === name);
        assert.ok(found === 1 || (isStuck && found === 0), `${name}: ${found}`);
      }
    });

    test('that is said in an Event, with what to do', async () => {
      const [
        {
          metadata: { name },
        } = assert.fail('none'),
      ] = undetermined;
      await fixture.describes(
        name,
        /Warning +CannotInitializeManagedResource .*remove the crossplane\.io\/external-create-pending annotation/,
        NetworkKind,
      );
    });

    test('a human who removes the mark gets the network there is, or a new one', async () => {
      for (const { metadata } of undetermined) {
        await fixture.annotate(metadata.name, 'crossplane.io/external-create-pending-', NetworkKind);
      }
      for (const name of names) {
        const managed = await fixture.ready<Network>(name, networks);
        assert.deepEqual(
          networkNamed(cloud, name).map(({ item }) => item.id),
          [externalName(managed)],
        );
      }
      assert.equal(cloud.networks().length, names.length);
    });
  });
});
