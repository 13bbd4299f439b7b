import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { externalName } from '../../apis/core/v1alpha1/meta.ts';
import type { FavouriteDBInstance } from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import type { Network } from '../../apis/fcp/v1alpha3/network.ts';
import { NetworkKind } from '../../apis/fcp/v1alpha3/network.ts';
import { ProviderConfigKind } from '../../apis/fcp/v1alpha3/provider.ts';
import { favouriteCloudClient } from '../../clients/favourite-cloud.ts';
import type { FavouriteCloud } from '../../emulators/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../../emulators/favourite-cloud/server.ts';
import { realClock } from '../../runtime/time/clock.ts';
import { credentialsNamespace } from './fancysql-fixture.ts';
import type { ManagedFixture } from './managed-fixture.ts';
import { changesAsked, networks, startManaged } from './managed-fixture.ts';
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
  const looks = () => fixture.favourite.calls()['GET /v1/instances/{name}'] ?? 0;
  /** Requests an observation and waits until it happened. */
  const looked = async (name: string) => {
    const before = looks();
    await fixture.look(name);
    await eventually(`${name} is looked at`, async () => looks() > before);
  };

  describe('pausing', () => {
    const rows: Record<string, { pause: () => Promise<void>; resume: () => Promise<void>; says: RegExp }> = {
      'by annotation': {
        pause: () => fixture.annotate('paused-0', 'crossplane.io/paused=true'),
        resume: () => fixture.annotate('paused-0', 'crossplane.io/paused-'),
        says: /^False\/ReconcilePaused: reconciliation is paused by the crossplane\.io\/paused annotation/,
      },
      'by empty policies': {
        pause: () => fixture.patch('paused-1', { managementPolicies: [] }),
        resume: () => fixture.patch('paused-1', { managementPolicies: ['*'] }),
        says: /^False\/ReconcilePaused: reconciliation is paused by empty spec\.managementPolicies/,
      },
    };
    for (const [index, [name, { pause, resume, says }]] of Object.entries(rows).entries()) {
      test(`${name} stops updates and deletion, is reported in a condition and an Event, and ends`, async () => {
        const paused = `paused-${index}`;
        await fixture.instance(paused);
        await fixture.ready(paused);
        await pause();
        await fixture.says(paused, 'Synced', says);
        await fixture.says(paused, 'Ready', /^True/);
        await fixture.patch(paused, { forProvider: { fancinessLevel: 6 } });
        await fixture.look(paused);
        await fixture.remove(paused);
        await fixture.says(paused, 'Synced', /deletion waits until it resumes$/);
        await fixture.describes(paused, /Normal +ReconciliationPaused .*deletion waits until it resumes/);
        assert.equal(levelOf(paused), 5);
        await resume();
        await fixture.gone(paused);
        assert.equal(fixture.stored(paused), undefined);
      });
    }
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

    test('wider policies make it ours: tagged, with a password that is known, and otherwise as it was', async () => {
      await fixture.instance('import', { managementPolicies: ['Observe'], forProvider: {} }, annotations);
      await fixture.ready('import');
      const before = fixture.stored('elsewhere');
      await fixture.patch('import', { managementPolicies: ['Observe', 'LateInitialize'] });
      const values = { fancinessLevel: before?.level, version: '8.0', networkId: before?.networkId };
      await eventually('forProvider is filled', async () => {
        assert.deepEqual((await fixture.ready('import')).spec.forProvider, values);
        return true;
      });
      await fixture.patch('import', { managementPolicies: ['*'] });
      await eventually('it is tagged', async () => fixture.stored('elsewhere')?.tags['crossplane-name']);
      await fixture.ready('import');
      const after = fixture.stored('elsewhere');
      assert.deepEqual({ ...after, tags: {}, password: '' }, { ...before, tags: {}, password: '' });
      // Ready it was before; the password comes with the update that tagged it.
      await eventually('its secret has the password', async () => {
        const { password } = await fixture.secretOf('import');
        return password !== undefined && password === fixture.stored('elsewhere')?.password;
      });
    });
  });

  test('a set of policies that makes no sense is named, nothing is done, and an edit helps', async () => {
    await fixture.instance('refused', { managementPolicies: ['Create', 'Delete'] });
    await fixture.says(
      'refused',
      'Synced',
      /^False\/ReconcileError: spec\.managementPolicies has an unsupported value: \[Create, Delete\]; use/,
    );
    await fixture.describes('refused', /Warning +CannotUseInvalidManagementPolicy/);
    assert.equal(fixture.stored('refused'), undefined);
    await fixture.patch('refused', { managementPolicies: ['Observe', 'Create', 'Delete'] });
    await fixture.ready('refused');
  });

  describe('a kept external resource stays in the cloud when the managed resource is deleted', () => {
    const rows: readonly (readonly [stays: boolean, spec: Partial<FavouriteDBInstance['spec']>])[] = [
      [false, {}],
      [true, { deletionPolicy: 'Orphan' }],
      [true, { deletionPolicy: 'Orphan', reclaimPolicy: 'Delete', managementPolicies: ['*'] }],
      [true, { reclaimPolicy: 'Retain' }],
      [false, { reclaimPolicy: 'Retain', deletionPolicy: 'Delete' }],
      [true, { deletionPolicy: 'Delete', managementPolicies: ['Observe', 'Create', 'Update'] }],
      [
        false,
        {
          deletionPolicy: 'Orphan',
          reclaimPolicy: 'Retain',
          managementPolicies: ['Observe', 'Create', 'Delete'],
        },
      ],
    ];
    for (const [index, [stays, spec]] of rows.entries()) {
      test(`${JSON.stringify(spec)}: the instance ${stays ? 'stays' : 'goes'}`, async () => {
        const name = `policies-${index}`;
        await fixture.instance(name, spec);
        await fixture.ready(name);
        await fixture.remove(name);
        await fixture.gone(name);
        assert.equal(fixture.stored(name) !== undefined, stays);
      });
    }
  });

  describe('the external name', () => {
    const instanceNames: Record<
      string,
      { forProvider?: object; annotations?: Record<string, string>; want: string }
    > = {
      'is that of the object': { want: 'name-0' },
      'is forProvider.name where that is given': {
        forProvider: { fancinessLevel: 5, name: 'from-spec' },
        want: 'from-spec',
      },
      'is the annotation, whatever else is given': {
        forProvider: { fancinessLevel: 5, name: 'not-this' },
        annotations: { 'crossplane.io/external-name': 'from-annotation' },
        want: 'from-annotation',
      },
    };
    for (const [index, [name, row]] of Object.entries(instanceNames).entries()) {
      test(name, async () => {
        const { forProvider = { fancinessLevel: 5 }, annotations, want } = row;
        await fixture.instance(`name-${index}`, { forProvider }, annotations);
        const managed = await fixture.ready(`name-${index}`);
        assert.equal(externalName(managed), want);
        assert.equal(fixture.stored(want)?.tags['crossplane-name'], `name-${index}`);
      });
    }

    test('is what the cloud assigned, where it assigns names', async () => {
      await fixture.network('assigned');
      const managed = await fixture.ready<Network>('assigned', networks);
      const ours = fixture.favourite
        .networks()
        .filter(({ item }) => item.tags['crossplane-name'] === 'assigned');
      assert.deepEqual(
        ours.map(({ item }) => [item.id, item.id]),
        [[externalName(managed), managed.status?.id]],
      );
      const {
        'crossplane.io/external-create-pending': pending,
        'crossplane.io/external-create-succeeded': succeeded,
      } = managed.metadata.annotations ?? {};
      assert.ok(pending !== undefined && succeeded !== undefined && succeeded >= pending);
    });
  });

  test('initProvider counts at creation only, and later changes of it are ignored', async () => {
    const initProvider = { fancinessLevel: 8, version: '5.6' };
    await fixture.instance('init', { initProvider, forProvider: { version: '8.0' } });
    await fixture.ready('init');
    assert.deepEqual([levelOf('init'), fixture.stored('init')?.version], [8, '8.0']);
    fixture.favourite.drift('init', { level: 9 });
    await fixture.patch('init', { initProvider: { fancinessLevel: 10 } });
    await looked('init');
    const { spec } = await fixture.ready('init');
    assert.equal(levelOf('init'), 9);
    assert.deepEqual(spec.forProvider, { version: '8.0' });
  });

  test('late initialisation writes down what the cloud chose, unless policies leave it out', async () => {
    await fixture.instance('late');
    await fixture.instance('not-late', { managementPolicies: ['Observe', 'Create', 'Update', 'Delete'] });
    for (const name of ['late', 'not-late']) {
      await fixture.ready(name);
      await looked(name);
    }
    await eventually('the version is written down', async () => {
      const { spec } = await fixture.ready('late');
      return spec.forProvider.version === '5.7';
    });
    assert.deepEqual((await fixture.ready('not-late')).spec.forProvider, { fancinessLevel: 5 });
  });

  describe('drift', () => {
    test('is reverted at the next look, which reconcile-requested-at asks for', async () => {
      await fixture.instance('drifting');
      await fixture.ready('drifting');
      fixture.favourite.drift('drifting', { level: 99 });
      await fixture.look('drifting');
      await eventually('the level is as it was', async () => levelOf('drifting') === 5);
      await fixture.describes('drifting', /Normal +UpdatedExternalResource/);
    });

    test('is reverted by itself where the poll-interval annotation says how soon', async () => {
      await fixture.annotate('drifting', 'crossplane.io/poll-interval=1s');
      await fixture.says('drifting', 'Synced', /^True/);
      for (const level of [98, 97]) {
        fixture.favourite.drift('drifting', { level });
        await eventually('the level is as it was', async () => levelOf('drifting') === 5, 5_000);
      }
      await fixture.remove('drifting');
      await fixture.gone('drifting');
    });

    test('an edit of a field that cannot change is refused, and nothing is created', async () => {
      await fixture.instance('immutable', { forProvider: { fancinessLevel: 5, version: '5.7' } });
      await fixture.ready('immutable');
      const before = fixture.stored('immutable');
      const edit = fixture.patch('immutable', { forProvider: { version: '8.0' } });
      await assert.rejects(edit, /spec\.forProvider\.version: Forbidden: cannot change while the external/);
      assert.deepEqual(fixture.stored('immutable'), before);
    });
  });

  describe('references', () => {
    const inNetwork = async (name: string, network: string) => {
      const { spec } = await fixture.ready(name, { timeoutMs: 5_000 });
      const { metadata } = await fixture.ready<Network>(network, networks);
      const id = metadata.annotations?.['crossplane.io/external-name'];
      assert.ok(id);
      assert.deepEqual([spec.forProvider.networkId, fixture.stored(name)?.networkId], [id, id]);
    };

    test('a referrer says what it waits for and goes on at once, not at the next attempt', async () => {
      await fixture.instance('referring', {
        forProvider: { fancinessLevel: 5, networkIdRef: { name: 'blue' } },
      });
      await fixture.instance('selecting', {
        forProvider: { fancinessLevel: 5, networkIdSelector: { matchLabels: { colour: 'blue' } } },
      });
      await fixture.says('referring', 'Synced', /networkIdRef: Network blue does not exist; create it/);
      await fixture.says(
        'selecting',
        'Synced',
        /networkIdSelector: no Network matches colour=blue; label one/,
      );
      await fixture.describes('selecting', /Warning +CannotResolveResourceReferences/);
      await sleep(8_000); // the attempts are by now at least 8 s apart
      await fixture.network('blue', {}, { labels: { colour: 'blue' } });
      await Promise.all([inNetwork('referring', 'blue'), inNetwork('selecting', 'blue')]);
    });

    test('an optional reference holds nothing up, and is followed when it leads somewhere', async () => {
      const networkIdRef = { name: 'green', policy: { resolution: 'Optional' } } as const;
      await fixture.instance('optional', { forProvider: { fancinessLevel: 5, networkIdRef } });
      await fixture.ready('optional');
      assert.equal(fixture.stored('optional')?.networkId, undefined);
      await fixture.network('green');
      await eventually('it joins the network', async () => fixture.stored('optional')?.networkId);
      await inNetwork('optional', 'green');
    });

    test('a network with instances in it waits for them, and reports it', async () => {
      await fixture.remove('green', NetworkKind);
      await fixture.says('green', 'Synced', /delete failed: .*is used by "optional"/, networks);
      await fixture.remove('optional');
      await fixture.gone('optional');
      await fixture.gone('green', NetworkKind);
    });
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
