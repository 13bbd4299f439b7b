import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Network } from '../../apis/fcp/v1alpha3/network.ts';
import { NetworkKind } from '../../apis/fcp/v1alpha3/network.ts';
import { ProviderConfigKind } from '../../apis/fcp/v1alpha3/provider.ts';
import { favouriteCloudClient } from '../../clients/favourite-cloud.ts';
import type { FavouriteCloud } from '../../emulators/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../../emulators/favourite-cloud/server.ts';
import { realClock } from '../../runtime/time/clock.ts';
import { credentialsNamespace } from './fancysql-fixture.ts';
import type { ManagedFixture } from './managed-fixture.ts';
import { changesAsked, startManaged } from './managed-fixture.ts';
import type { StackProcess } from './stack-harness.ts';
import { eventually } from './stack-harness.ts';

describe('managed resources on a real API server, with the real process and a cloud over HTTP', () => {
  let fixture: ManagedFixture;
  let slow: FavouriteCloud;
  let stack: StackProcess;

  before(async () => {
    slow = await startFavouriteCloud({ provisioningMs: 1_500, deletionMs: 1_500 });
    fixture = await startManaged();
    await fixture.provider('slow', slow);
    // Every event within the hour has a change or a request as its reason.
    stack = fixture.cluster.startProcess(['--stacks', 'fcp', '--poll-interval', '1h']);
  });

  after(async (context) => {
    await fixture?.stop();
    await slow?.stop();
    if ('error' in context && context.error) console.error(stack?.log());
  });

  const levelOf = (name: string) => fixture.stored(name)?.level;

  test('a pause stops updates and deletion, is reported in a condition and an Event, and ends', async () => {
    await fixture.instance('paused');
    await fixture.ready('paused');
    await fixture.annotate('paused', 'crossplane.io/paused', 'true');
    const reason =
      /^False\/ReconcilePaused: reconciliation is paused by the crossplane\.io\/paused annotation/;
    await fixture.says('paused', 'Synced', reason);
    await fixture.says('paused', 'Ready', /^True/);
    await fixture.patch('paused', { forProvider: { fancinessLevel: 6 } });
    await fixture.look('paused');
    await fixture.remove('paused');
    await fixture.says('paused', 'Synced', /deletion waits until it resumes$/);
    await fixture.describes('paused', /Normal +ReconciliationPaused .*deletion waits until it resumes/);
    assert.equal(levelOf('paused'), 5);
    await fixture.annotate('paused', 'crossplane.io/paused', null);
    await fixture.gone('paused');
    assert.equal(fixture.stored('paused'), undefined);
  });

  describe('observe-only import', () => {
    const annotations = { 'crossplane.io/external-name': 'elsewhere' };

    test('an absent resource is reported as missing', async () => {
      await fixture.instance('import', { managementPolicies: ['Observe'], forProvider: {} }, annotations);
      await fixture.says('import', 'Synced', /^False\/ReconcileError: .*external resource does not exist/);
      await fixture.describes('import', /Warning +CannotObserveExternalResource .*elsewhere/);
    });

    test('fills status and Secret, keeps spec, and does not change the external system, not even when it is deleted', async () => {
      const { instances, networks: clouds } = favouriteCloudClient({
        ...fixture.favourite,
        clock: realClock(),
        random: Math.random,
      });
      const { id: network_id } = await clouds.create({});
      await instances.create({
        name: 'elsewhere',
        fanciness_level: 77,
        version: '8.0',
        password: 'their-password',
        network_id,
      });
      const [asked, theirs] = [changesAsked(fixture.favourite), fixture.stored('elsewhere')];
      await fixture.look('import');
      const { spec, status } = await fixture.ready('import');
      assert.deepEqual(spec.forProvider, {});
      assert.deepEqual([status?.id, status?.hostname], [theirs?.id, theirs?.hostname]);
      const { password, endpoint } = await fixture.secretOf('import');
      assert.deepEqual([password, endpoint], [undefined, theirs?.hostname]);
      await fixture.remove('import');
      await fixture.gone('import');
      assert.equal(changesAsked(fixture.favourite), asked);
      assert.deepEqual(fixture.stored('elsewhere'), theirs);
    });
  });

  test('a referrer says what it waits for and goes on at once, not at the next attempt', async () => {
    const inNetwork = async (name: string, network: string) => {
      const { spec } = await fixture.ready(name, { timeoutMs: 5_000 });
      const { metadata } = await fixture.ready<Network>(network, { kind: NetworkKind });
      const id = metadata.annotations?.['crossplane.io/external-name'];
      assert.ok(id);
      assert.deepEqual([spec.forProvider.networkId, fixture.stored(name)?.networkId], [id, id]);
    };
    await fixture.instance('referring', {
      forProvider: { fancinessLevel: 5, networkIdRef: { name: 'blue' } },
    });
    await fixture.instance('selecting', {
      forProvider: { fancinessLevel: 5, networkIdSelector: { matchLabels: { colour: 'blue' } } },
    });
    await fixture.says('referring', 'Synced', /networkIdRef: Network blue does not exist; create it/);
    await fixture.says('selecting', 'Synced', /networkIdSelector: no Network matches colour=blue; label one/);
    await fixture.describes('selecting', /Warning +CannotResolveResourceReferences/);
    await sleep(8_000); // the attempts are by now at least 8 s apart
    await fixture.network('blue', { labels: { colour: 'blue' } });
    await Promise.all([inNetwork('referring', 'blue'), inNetwork('selecting', 'blue')]);
  });

  test('a ProviderConfig in use cannot be deleted, says by whom, and goes with its last user', async () => {
    const secretRef = { namespace: credentialsNamespace, name: 'favourite', key: 'credentials' };
    await fixture.apply({
      apiVersion: 'fcp.crossplane.io/v1alpha3',
      kind: 'ProviderConfig',
      metadata: { name: 'team' },
      spec: { credentials: { source: 'Secret', secretRef } },
    });
    const apply = (name: string) =>
      fixture.apply({
        apiVersion: 'database.fcp.crossplane.io/v1alpha3',
        kind: 'FavouriteDBInstance',
        metadata: { name },
        spec: { providerConfigRef: { name: 'team' }, forProvider: { fancinessLevel: 5 } },
      });
    for (const name of ['user-1', 'user-2']) await apply(name).then(() => fixture.ready(name));
    const config = ['providerconfigs.fcp.crossplane.io', 'team'];
    await fixture.cluster.kubectl(['delete', ...config, '--wait=false']);
    const says = (pattern: RegExp) =>
      eventually(`kubectl describe shows ${pattern}`, async () =>
        pattern.test(await fixture.cluster.kubectl(['describe', ...config])),
      );
    await says(
      /Warning +UsageAccounting .*in use by 2 managed resources: FavouriteDBInstance user-1, Fav\w+ user-2/,
    );
    assert.match(await fixture.cluster.kubectl(['get', ...config, '-o', 'wide']), /\b2\b/);
    await fixture.remove('user-1');
    await says(/Message: +in use by 1 managed resource: FavouriteDBInstance user-2;/);
    await fixture.remove('user-2');
    await eventually(
      'it is gone',
      async () => (await fixture.cluster.find(ProviderConfigKind, { name: 'team' })) === undefined,
    );
    assert.equal(fixture.stored('user-2'), undefined);
  });

  test('an operation of the cloud and its outcome are reported', async () => {
    const providerRef = { name: 'slow' };
    await fixture.instance('leisurely', { providerRef });
    await fixture.says('leisurely', 'AsyncOperation', /^False\/Ongoing: create is under way$/);
    await fixture.says('leisurely', 'Ready', /^False\/Creating/);
    await fixture.ready('leisurely');
    await fixture.says('leisurely', 'AsyncOperation', /^True\/Finished/);
    await fixture.describes('leisurely', /Reason: +Success\n +Status: +True\n +Type: +LastAsyncOperation/);
    await fixture.remove('leisurely');
    await fixture.says('leisurely', 'AsyncOperation', /^False\/Ongoing: delete is under way$/);
    await fixture.gone('leisurely');
    assert.deepEqual(
      [slow.calls()['POST /v1/instances'], slow.calls()['DELETE /v1/instances/{name}']],
      [1, 1],
      'each is asked for once',
    );
  });
});
