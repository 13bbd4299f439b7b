import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import { getCondition } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Kind, ObjectKey } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { stackControllers } from '../../../../controllers/stack.ts';
import { favouriteCloudClient } from '../../../../stacks/demo-clouds/client/favourite-cloud.ts';
import { createFcpStack } from '../../../../stacks/demo-clouds/fcp/stack.ts';
import type { FancySQLInstance } from '../../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FancySQLInstanceKind } from '../../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderConfigKind } from '../../../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { FakeCluster, FakeProcess } from '../../../controllers/environment-fake.ts';
import { secretOf } from '../../../controllers/objects.ts';
import type { InProcessCloud, InProcessCloudOptions } from '../../../fakes/in-process-cloud.ts';
import { inProcessCloud } from '../../../fakes/in-process-cloud.ts';
import { instance } from './objects.ts';

const cart = { namespace: 'shop', name: 'cart' };
/** A reference to the class. */
const small = {
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstanceClass' as const,
  name: 'small',
};

/** The stack over an API server in memory and a cloud over HTTP, both on one clock. */
class Scene {
  readonly cluster = new FakeCluster();
  readonly cloud: InProcessCloud;
  readonly process: FakeProcess;

  constructor(options: InProcessCloudOptions = {}) {
    this.cloud = inProcessCloud(this.cluster.clock, options);
    this.process = this.start();
    open.push(this);
  }

  start(): FakeProcess {
    const options = { maxAttempts: 2, timeoutMs: 2_000, dispatcher: this.cloud.dispatcher };
    const stack = createFcpStack({ createClient: (given) => favouriteCloudClient({ ...given, ...options }) });
    return new FakeProcess(this.cluster, (env) => stackControllers(env, [stack]));
  }

  /** Credentials, and the ProviderConfig for resources that name none. */
  putProvider(credentials: string = JSON.stringify({ url: this.cloud.url, token: this.cloud.token })): void {
    const secret = { namespace: 'infra', name: 'cloud' };
    this.cluster.put<Secret>(SecretKind, secretOf(secret, { data: encodeDetails({ credentials }) }));
    this.cluster.put(ProviderConfigKind, {
      apiVersion: 'fcp.crossplane.io/v1alpha3',
      kind: 'ProviderConfig',
      metadata: { name: 'default' },
      spec: { credentials: { source: 'Secret', secretRef: { ...secret, key: 'credentials' } } },
    });
  }

  putInstance(managed = instance()): void {
    this.cluster.put(FavouriteDBInstanceKind, managed);
  }

  putClass(): void {
    this.cluster.put(FavouriteDBInstanceClassKind, {
      ...omit(small, 'name'),
      metadata: { name: 'small', labels: { size: 'small' } },
      specTemplate: {
        writeConnectionSecretsToNamespace: 'infra',
        reclaimPolicy: 'Delete',
        forProvider: { fancinessLevel: 3 },
      },
    });
  }

  putClaim(spec: FancySQLInstance['spec'] = { classRef: small }): void {
    this.cluster.put(FancySQLInstanceKind, {
      apiVersion: 'database.crossplane.io/v1alpha1',
      kind: 'FancySQLInstance',
      metadata: cart,
      spec: { ...spec, writeConnectionSecretToRef: { name: 'cart-connection' } },
    });
  }

  get instance() {
    return this.cluster.get(FavouriteDBInstanceKind, { name: 'cool' });
  }

  condition(type: string): string {
    const { status, reason = '', message = '' } = getCondition(this.instance?.status?.conditions, type);
    return `${status}/${reason}${message && `: ${message}`}`;
  }

  secret(namespace = 'infra', name = 'cool-connection') {
    return decodeDetails(this.cluster.get(SecretKind, { namespace, name }));
  }
}

const open: Scene[] = [];
afterEach(() => {
  for (const scene of open.splice(0)) scene.process.stop();
});

test('a claim gets what its class says, and the password that the instance has', async () => {
  const scene = new Scene();
  scene.putProvider();
  scene.putClass();
  scene.putClaim({ version: '5.6', classSelector: { matchLabels: { size: 'small' } } });
  await scene.process.settle();
  const claim = scene.cluster.get(FancySQLInstanceKind, cart);
  assert.equal(claim?.status?.bindingPhase, 'Bound');
  const [{ item } = assert.fail('no instance')] = scene.cloud.instances();
  assert.deepEqual([item.level, item.version], [3, '5.6']);
  const { 'crossplane-name': owner, ...tags } = item.tags;
  assert.ok(owner?.startsWith('shop-cart-'), owner);
  assert.deepEqual(tags, {
    'crossplane-kind': 'favouritedbinstance.database.fcp.crossplane.io',
    'crossplane-class': 'small',
    'crossplane-providerconfig': 'default',
  });
  const details = scene.secret('shop', 'cart-connection');
  assert.deepEqual([details.password, details.host], [item.password, item.hostname]);
  assert.match(details.uri ?? '', /^fancysql:\/\/admin:\S{32}@\S+:3306\/fancysql$/);
  scene.cluster.delete(FancySQLInstanceKind, cart);
  await scene.process.settle();
  assert.deepEqual(scene.cloud.instances(), []);
});

/** The cost of a claim by docs/flow.md: the writes of its tables, at once, in a slow cloud, and at its deletion. */
function documentedWrites() {
  const page = readFileSync(new URL('../../../../docs/flow.md', import.meta.url), 'utf8');
  const kinds: Readonly<Record<string, string>> = {
    claim: 'FancySQLInstance',
    'managed resource': 'FavouriteDBInstance',
    'secret of the claim': 'Secret shop',
    'secret of the managed resource': 'Secret infra',
  };
  const words: Readonly<Record<string, string>> = {
    claim: 'update FancySQLInstance',
    'status of the claim': 'updateStatus FancySQLInstance',
    'new managed resource': 'create FavouriteDBInstance',
    'managed resource': 'update FavouriteDBInstance',
    'status of the managed resource': 'updateStatus FavouriteDBInstance',
    'new secret of the managed resource': 'create Secret infra',
    'secret of the managed resource': 'update Secret infra',
    'new secret of the claim': 'create Secret shop',
  };
  const [life = '', end = ''] = page.split('\n## What its deletion writes\n');
  const deletion = [...end.matchAll(/^\| \d+ \|.*\| (delete|update): ([^:|]+) \|/gm)].map(
    ([, verb, what = '']) => `${verb} ${what in kinds ? kinds[what] : assert.fail(what)}`,
  );
  const numbered = [...life.matchAll(/^\| (\d+) \|.*\| ([^:|]+): [^|]+ \|$/gm)].map(
    ([, number, what = '']) => ({ number: Number(number), write: words[what] ?? assert.fail(what) }),
  );
  const first = numbered.findIndex(({ number }, i) => i > 0 && number <= (numbered[i - 1]?.number ?? 0));
  const [atOnce, later] = [numbered.slice(0, first), numbered.slice(first)];
  const slow = [...atOnce.slice(0, (later[0]?.number ?? 0) - 1), ...later];
  for (const table of [atOnce, slow])
    assert.deepEqual(
      table.map(({ number }) => number),
      table.map((_, i) => i + 1),
    );
  const writesOf = (table: typeof numbered) => table.map(({ write }) => write);
  return { atOnce: writesOf(atOnce), slow: writesOf(slow), deletion };
}

describe('the cost of a claim', () => {
  const { atOnce, slow, deletion } = documentedWrites();
  const works = ['Ready=True/Available', 'Synced=True/ReconcileSuccess'];
  const reported = ['AsyncOperation=True/Finished', 'LastAsyncOperation=True/Success', ...works];
  type Row = readonly [ms: number, writes: readonly string[], count: number, conditions: readonly string[]];
  const rows: Record<string, Row> = {
    'an instance that is there at once: 9 writes, and no word of operations': [0, atOnce, 9, works],
    // Managed resource and claim each say once what they wait for, and the secret gets its endpoint later.
    'a slow instance: 2 writes more, and none of them for the operation, whose end is reported': [
      30_000,
      slow,
      11,
      reported,
    ],
  };
  for (const [name, [provisioningMs, writes, count, conditions]] of Object.entries(rows)) {
    test(name, async () => {
      const scene = new Scene({ provisioningMs });
      scene.putProvider();
      scene.putClass();
      await scene.process.settle(60_000);
      scene.cluster.takeWrites();
      scene.putClaim();
      await scene.process.settle(50_000);
      const notOfProviders = (write: string) => !/providerconfig/i.test(write);
      const made = scene.cluster.takeWrites().filter(notOfProviders);
      const kindOf = (write: string) => /^\w+ (Secret \w+|\w+)/.exec(write)?.[0];
      assert.deepEqual(made.map(kindOf), writes, 'as docs/flow.md has it');
      assert.equal(made.length, count);
      const bound = scene.cluster.get(FancySQLInstanceKind, cart);
      assert.equal(bound?.status?.bindingPhase, 'Bound');

      // A field that the class leaves out is filled in by the next observation after binding.
      await scene.process.settle(120_000);
      const [managed] = scene.cluster.all(FavouriteDBInstanceKind);
      const name = `FavouriteDBInstance ${managed?.metadata.name}`;
      const filled = scene.cluster.takeWrites().filter(notOfProviders);
      assert.deepEqual(filled, [`update ${name}`, `updateStatus ${name}`]);
      assert.deepEqual(managed?.spec.forProvider, { fancinessLevel: 3, version: '5.7' });
      const { conditions: shown = [] } = managed?.status ?? {};
      const texts = shown.map(({ type, status, reason }) => `${type}=${status}/${reason}`);
      assert.deepEqual(texts.toSorted(), conditions);

      scene.cluster.delete(FancySQLInstanceKind, cart);
      await scene.process.settle(30_000);
      assert.deepEqual(scene.cloud.instances(), []);
      const unmade = scene.cluster.takeWrites().filter(notOfProviders);
      assert.deepEqual(unmade.map(kindOf), deletion, 'as docs/flow.md has it');
    });
  }
});

test('field tracking has the writer of every object but a provisioned one', async () => {
  const scene = new Scene();
  scene.putProvider();
  scene.putInstance();
  const { client } = scene.cluster;
  scene.putClass();
  scene.putClaim();
  // Not by a claim, though this program has made it, as a program of an author's may.
  await client.create(FavouriteDBInstanceKind, instance({}, { name: 'ours' }));
  await scene.process.settle(120_000);
  const claim = await client.get(FancySQLInstanceKind, cart);
  const { name = '' } = claim.spec.resourceRef ?? {};
  const isTracked = async (kind: Kind, { name }: ObjectKey) => {
    const { items } = await client.list(kind, {});
    const { metadata } = items.find((item) => item.metadata.name === name) ?? assert.fail();
    return 'managedFields' in metadata;
  };
  assert.equal(claim.status?.bindingPhase, 'Bound');
  assert.equal(await isTracked(FavouriteDBInstanceKind, { name }), false);
  assert.equal(await isTracked(FancySQLInstanceKind, cart), true);
  assert.equal(await isTracked(SecretKind, { ...cart, name: 'cart-connection' }), true);
  assert.equal(await isTracked(FavouriteDBInstanceClassKind, { name: 'small' }), true);
  assert.equal(await isTracked(ProviderConfigKind, { name: 'default' }), true);
  assert.equal(await isTracked(FavouriteDBInstanceKind, { name: 'cool' }), true);
  assert.equal(await isTracked(FavouriteDBInstanceKind, { name: 'ours' }), true);
});

describe('credentials that do not work are named, without being repeated, and repaired without a restart', () => {
  const rows: Record<string, readonly [credentials: (cloud: InProcessCloud) => string, says: RegExp]> = {
    'no JSON': [
      () => 'hush-hush',
      /cannot use key "credentials" of secret infra\/cloud: the credentials are not JSON/,
    ],
    'a token the cloud refuses': [
      ({ url }) => JSON.stringify({ url, token: 'hush-hush' }),
      /cannot get instance "cool": Favourite Cloud \(http\S+\) refused the token \(401 Unauthenticated\)/,
    ],
    'a cloud that is not there': [
      () => JSON.stringify({ url: 'http://127.0.0.1:1', token: 'hush-hush' }),
      /cannot get instance "cool": Favourite Cloud \(http:\/\/127\.0\.0\.1:1\) is unreachable: connection refused/,
    ],
  };
  for (const [name, [credentials, says]] of Object.entries(rows)) {
    test(name, async () => {
      const scene = new Scene();
      scene.putProvider(credentials(scene.cloud));
      scene.putInstance();
      await scene.process.settle(1000);
      assert.match(scene.condition('Synced'), says);
      const reported = JSON.stringify([scene.instance, scene.process.events]);
      assert.ok(!reported.includes('hush-hush'));
      scene.putProvider();
      await scene.process.settle(60_000);
      assert.equal(scene.condition('Ready'), 'True/Available');
    });
  }
});
