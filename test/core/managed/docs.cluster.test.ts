import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { Subject } from 'rxjs';
import { parseAllDocuments } from 'yaml';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import { decodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { FavouriteDBInstance } from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { FavouriteDBInstanceKind } from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../../apis/fcp/v1alpha3/network.ts';
import { ProviderKind } from '../../../apis/fcp/v1alpha3/provider.ts';
import { ProviderConfigKind } from '../../../apis/fcp/v1alpha3/provider-config.ts';
import { favouriteCloudClient } from '../../../clients/favourite-cloud.ts';
import { generatePassword } from '../../../clients/password.ts';
import { cloudConnection } from '../../../controllers/cloud/connection.ts';
import { providerConfigController } from '../../../controllers/core/managed/provider-config/setup.ts';
import { managedController } from '../../../controllers/core/managed/setup.ts';
import { favouriteDBInstanceClient } from '../../../controllers/fcp/favourite-db-instance/external-client.ts';
import { networkClient } from '../../../controllers/fcp/network/external-client.ts';
import { secretStores } from '../../../controllers/stores/secret-stores.ts';
import type { ControlPlane } from '../../../local/control-plane/control-plane.ts';
import { startControlPlane } from '../../../local/control-plane/control-plane.ts';
import type { FavouriteCloud } from '../../../local/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../../../local/favourite-cloud/server.ts';
import { VaultServer } from '../../../local/vault-server.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { isNotFound } from '../../../runtime/errors.ts';
import { createEventRecorder } from '../../../runtime/event-recorder.ts';
import { kubernetesClient } from '../../../runtime/http-kubernetes-client.ts';
import { createInformers } from '../../../runtime/informers.ts';
import type { KubernetesClient } from '../../../runtime/kubernetes-client.ts';
import { manager } from '../../../runtime/manager.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const guide = readFileSync(join(root, 'docs', 'managed-resources.md'), 'utf8');

/** Every manifest of the guide, in its order. */
const manifests = [...guide.matchAll(/```yaml\n(.*?)```/gs)].flatMap(([, block = '']) =>
  parseAllDocuments(block).map((document) => document.toJS() as KubernetesObject),
);

const providers = { provider: ProviderKind, providerConfig: ProviderConfigKind };

async function eventually<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
  const endMs = performance.now() + 20_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > endMs) throw new Error(`${what}: not within 20 s`);
    await sleep(50);
  }
}

describe('the guide to managed resources, on a real API server and the Favourite Cloud over HTTP', () => {
  let controlPlane: ControlPlane;
  let cloud: FavouriteCloud;
  let client: KubernetesClient;
  const vault = new VaultServer({ token: 'put-a-token-here' });
  const stop$ = new Subject<void>();
  const log = recordedLog();
  let running: Promise<void>;

  before(async () => {
    await vault.start();
    cloud = await startFavouriteCloud({ provisioningMs: 200 });
    controlPlane = await startControlPlane({ crdDirectories: [join(root, 'crds')] });
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(controlPlane.kubeconfig);
    client = kubernetesClient({ kubeConfig, log });
    const now = () => new Date();
    const informers = createInformers({ client, log, random: Math.random });
    const events = createEventRecorder({ client, component: 'test', log, now });
    const env: Environment = {
      client,
      resource: informers.resource,
      events,
      log,
      now,
      random: Math.random,
      pollIntervalMs: 60_000,
      maxConcurrentReconciles: 5,
    };
    const connect = cloudConnection(env, providers, favouriteCloudClient);
    const stores = { providers, secretStores: secretStores(env) };
    const controllers = [
      managedController(env, {
        ...stores,
        kind: FavouriteDBInstanceKind,
        externalNames: 'deterministic',
        references: [
          { field: 'networkId', ref: 'networkIdRef', selector: 'networkIdSelector', to: NetworkKind },
        ],
        connector: {
          connect: async (managed) =>
            favouriteDBInstanceClient({
              cloud: await connect(managed),
              generatePassword: () => generatePassword(),
            }),
        },
      }),
      managedController(env, {
        ...stores,
        kind: NetworkKind,
        externalNames: 'assigned',
        connector: { connect: async (managed) => networkClient(await connect(managed)) },
      }),
      providerConfigController(env, {
        providerConfig: ProviderConfigKind,
        managed: [FavouriteDBInstanceKind, NetworkKind],
      }),
    ];
    running = new Promise((resolve, reject) => {
      manager({
        informers,
        controllers,
        background: [events.run$],
        concurrency: 5,
        syncPeriodMs: 3_600_000,
        stop$,
        drainTimeoutMs: 5_000,
        log,
        random: Math.random,
      }).subscribe({ error: reject, complete: resolve });
    });
    await apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'cloud-credentials' } },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'cloud-credentials', name: 'favourite-cloud' },
        stringData: { credentials: JSON.stringify({ url: cloud.url, token: cloud.token }) },
      } as KubernetesObject,
      {
        apiVersion: 'fcp.crossplane.io/v1alpha3',
        kind: 'Provider',
        metadata: { name: 'favourite' },
        spec: {
          credentialsSecretRef: {
            namespace: 'cloud-credentials',
            name: 'favourite-cloud',
            key: 'credentials',
          },
        },
      } as KubernetesObject,
    ]);
    await apply(manifests);
  });

  after(async () => {
    stop$.next();
    await running;
    await cloud.stop();
    await vault.stop();
    await controlPlane.stop();
  });

  async function apply(items: readonly KubernetesObject[]): Promise<void> {
    await controlPlane.kubectl(
      ['apply', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    );
  }

  async function find(name: string): Promise<FavouriteDBInstance | undefined> {
    try {
      return await client.get(FavouriteDBInstanceKind, { name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  const condition = (object: Managed | undefined, type: string) =>
    getCondition(object?.status?.conditions, type);
  const ready = (name: string) =>
    eventually(`${name} is ready`, async () => {
      const object = await find(name);
      return condition(object, 'Ready').status === 'True' && object;
    });
  const remove = (resource: string, name: string) =>
    controlPlane.kubectl(['delete', resource, name, '--wait=false']);
  const requestReconcile = (name: string) =>
    controlPlane.kubectl([
      'annotate',
      'favouritedbinstance',
      name,
      'crossplane.io/reconcile-requested-at=now',
    ]);
  const instances = () => cloud.instances().map(({ item }) => item.name);
  const levelOf = (name: string) => cloud.instances().find(({ item }) => item.name === name)?.item.level;
  const parametersOf = (
    object: FavouriteDBInstance | undefined,
  ): { fancinessLevel?: number; networkId?: string } => object?.spec.forProvider ?? {};

  test('there are manifests', () => assert.ok(manifests.length >= 15, String(manifests.length)));

  const usable = manifests.filter(
    ({ kind, metadata }) =>
      kind === 'FavouriteDBInstance' && !['docs-paused', 'docs-import'].includes(metadata.name),
  );
  for (const { metadata } of usable) {
    test(`${metadata.name} becomes ready`, async () => {
      await ready(metadata.name);
    });
  }

  test('the external name given is the one in the cloud', async () => {
    await ready('docs-named');
    assert.ok(instances().includes('docs-orders-eu') && !instances().includes('docs-named'));
  });

  test('what is paused says so, and nothing is made', async () => {
    await eventually(
      'it says so',
      async () => condition(await find('docs-paused'), 'Synced').reason === 'ReconcilePaused',
    );
    assert.ok(!instances().includes('docs-paused'));
    await controlPlane.kubectl(['annotate', 'favouritedbinstance', 'docs-paused', 'crossplane.io/paused-']);
    await ready('docs-paused');
  });

  test('a change made in the cloud is reverted', async () => {
    await ready('docs-plain');
    cloud.drift('docs-plain', { level: 77 });
    await requestReconcile('docs-plain');
    await eventually('it is reverted', async () => levelOf('docs-plain') === 5);
  });

  test('references hold the id of the network', async () => {
    const network = await client.get(NetworkKind, { name: 'docs-network' });
    for (const name of ['docs-by-reference', 'docs-by-labels']) {
      await eventually(name, async () => parametersOf(await find(name)).networkId === externalName(network));
    }
    const [item] = cloud.networks();
    assert.equal(
      cloud.instances().find(({ item: { name } }) => name === 'docs-by-reference')?.item.networkId,
      item?.item.id,
    );
  });

  test('initProvider counts at creation and stays out of forProvider', async () => {
    const { spec } = await ready('docs-init');
    assert.equal(levelOf('docs-init'), 5);
    assert.equal(spec.forProvider.fancinessLevel, undefined);
  });

  test('an orphaned instance stays in the cloud and is imported as it is', async () => {
    await ready('docs-orphan');
    const tags = cloud.instances().find(({ item }) => item.name === 'docs-orphan')?.item.tags;
    await remove('favouritedbinstance', 'docs-orphan');
    await eventually('it is gone', async () => (await find('docs-orphan')) === undefined);
    assert.ok(instances().includes('docs-orphan'));
    await requestReconcile('docs-import');
    const imported = await ready('docs-import');
    assert.ok(imported.status?.hostname);
    assert.deepEqual(
      cloud.instances().find(({ item }) => item.name === 'docs-orphan')?.item.tags,
      tags,
      'nothing is changed in the cloud',
    );
  });

  test('what may not be deleted stays in the cloud', async () => {
    await ready('docs-kept');
    await remove('favouritedbinstance', 'docs-kept');
    await eventually('it is gone', async () => (await find('docs-kept')) === undefined);
    assert.ok(instances().includes('docs-kept'));
  });

  test('a ProviderConfig in use cannot be deleted, says by whom, and goes with its last user', async () => {
    await ready('docs-configured');
    await remove('providerconfigs.fcp.crossplane.io', 'docs');
    await eventually('it says so', async () => {
      const config = await client.get(ProviderConfigKind, { name: 'docs' });
      return getCondition(config.status?.conditions, 'Terminating').message?.includes(
        'FavouriteDBInstance docs-configured',
      );
    });
    await remove('favouritedbinstance', 'docs-configured');
    await eventually('it is gone', () =>
      client.get(ProviderConfigKind, { name: 'docs' }).then(
        () => undefined,
        (error: unknown) => isNotFound(error),
      ),
    );
    assert.ok(!instances().includes('docs-configured'));
  });

  test('details are published to another namespace, and go with the resource', async () => {
    await ready('docs-published');
    const key = { namespace: 'docs-store', name: 'docs-published' };
    const secret = await client.get(SecretKind, key);
    assert.equal(secret.metadata.labels?.team, 'docs');
    assert.ok(decodeDetails(secret).password);
    await controlPlane.kubectl(['-n', 'docs-store', 'delete', 'secret', 'docs-published']);
    await eventually('it heals', () =>
      client.get(SecretKind, key).then(
        (healed) => decodeDetails(healed).password,
        () => undefined,
      ),
    );
    await remove('favouritedbinstance', 'docs-published');
    await eventually('the secret is gone', () =>
      client.get(SecretKind, key).then(() => undefined, isNotFound),
    );
  });

  test('details are published to Vault; while it is sealed the condition says so', async () => {
    const config = manifests.find(({ metadata }) => metadata.name === 'docs-vault') as KubernetesObject & {
      readonly spec: { readonly vault: object };
    };
    await apply([
      {
        ...config,
        spec: { ...config.spec, vault: { ...config.spec.vault, server: vault.url } },
      } as KubernetesObject,
    ]);
    vault.isSealed = true;
    await apply([
      {
        apiVersion: 'database.fcp.crossplane.io/v1alpha3',
        kind: 'FavouriteDBInstance',
        metadata: { name: 'docs-in-vault' },
        spec: {
          providerRef: { name: 'favourite' },
          publishConnectionDetailsTo: { name: 'docs-in-vault', configRef: { name: 'docs-vault' } },
          forProvider: { fancinessLevel: 5 },
        },
      } as KubernetesObject,
    ]);
    await eventually('it says so', async () =>
      /sealed/.test(condition(await find('docs-in-vault'), 'Synced').message ?? ''),
    );
    assert.ok(!instances().includes('docs-in-vault'), 'nothing is made whose details could not be kept');
    vault.isSealed = false;
    await ready('docs-in-vault');
    assert.ok(vault.peek('crossplane/docs-in-vault')?.data?.password);
  });

  test('everything can be deleted, and nothing of it is left', async () => {
    await controlPlane.kubectl([
      'delete',
      'favouritedbinstances,networks.network.fcp.crossplane.io',
      '--all',
      '--wait=false',
    ]);
    await eventually(
      'all are gone',
      async () => (await client.list(FavouriteDBInstanceKind, {})).items.length === 0,
    );
    assert.deepEqual(instances().toSorted(), ['docs-kept', 'docs-orphan']);
    await eventually('networks too', async () => (await client.list(NetworkKind, {})).items.length === 0);
    assert.deepEqual(cloud.networks(), []);
  });
});
