import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { RedisClusterKind } from '../../../apis/cache/v1alpha1/redis-cluster.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { stackControllers } from '../../../controllers/stack.ts';
import { googleCloudClient } from '../../../stacks/gcp/client/google-cloud.ts';
import type { GoogleCloudOptions } from '../../../stacks/gcp/emulator/cloud.ts';
import type { CloudMemorystoreInstance } from '../../../stacks/gcp/kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import {
  CloudMemorystoreInstanceClassKind,
  CloudMemorystoreInstanceKind,
} from '../../../stacks/gcp/kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { ProviderConfigKind } from '../../../stacks/gcp/kinds/v1beta1/provider-config.ts';
import { createGcpStack } from '../../../stacks/gcp/stack.ts';
import { FakeCluster, FakeProcess } from '../../controllers/environment-fake.ts';
import { secretOf } from '../../controllers/objects.ts';
import type { InProcessGoogleCloud } from '../../fakes/in-process-google-cloud.ts';
import { inProcessGoogleCloud } from '../../fakes/in-process-google-cloud.ts';
import { instance, small } from './objects.ts';

const credentials = { namespace: 'infra', name: 'gcp' };
const cart = { namespace: 'shop', name: 'cart' };

/** The stack over an API server in memory and an emulator of Google Cloud, both on one clock. */
class Scene {
  readonly cluster = new FakeCluster();
  readonly cloud: InProcessGoogleCloud;
  process: FakeProcess;

  constructor(options: GoogleCloudOptions = {}) {
    this.cloud = inProcessGoogleCloud(this.cluster.clock, options);
    this.process = this.start();
    open.push(this);
  }

  start(): FakeProcess {
    const { dispatcher } = this.cloud;
    const stack = createGcpStack({
      createClient: (given) => googleCloudClient({ ...given, maxAttempts: 2, timeoutMs: 2_000, dispatcher }),
    });
    return new FakeProcess(this.cluster, (env) => stackControllers(env, [stack]));
  }

  /** Credentials, and the ProviderConfig for resources that name none. */
  putProvider(key: string = this.cloud.credentials, parameters: object = this.cloud.parameters): void {
    this.cluster.put(SecretKind, secretOf(credentials, { data: encodeDetails({ credentials: key }) }));
    this.cluster.put(ProviderConfigKind, {
      apiVersion: 'gcp.crossplane.io/v1beta1',
      kind: 'ProviderConfig',
      metadata: { name: 'default' },
      spec: {
        ...(parameters as { readonly projectID: string }),
        credentials: { source: 'Secret', secretRef: { ...credentials, key: 'credentials' } },
      },
    });
  }

  putInstance(managed: CloudMemorystoreInstance = instance()): void {
    this.cluster.put(CloudMemorystoreInstanceKind, managed);
  }

  /** A claim of this version, and the class that it selects. */
  putClaim(engineVersion: string): void {
    const labels = { size: 'small' };
    this.cluster.put(CloudMemorystoreInstanceClassKind, {
      apiVersion: 'cache.gcp.crossplane.io/v1beta1',
      kind: 'CloudMemorystoreInstanceClass',
      metadata: { name: 'small', labels },
      specTemplate: {
        writeConnectionSecretsToNamespace: 'infra',
        reclaimPolicy: 'Delete',
        forProvider: { region: 'us-central1', tier: 'STANDARD_HA', memorySizeGb: 1, authEnabled: true },
      },
    });
    this.cluster.put(RedisClusterKind, {
      apiVersion: 'cache.crossplane.io/v1alpha1',
      kind: 'RedisCluster',
      metadata: cart,
      spec: {
        engineVersion,
        classSelector: { matchLabels: labels },
        writeConnectionSecretToRef: { name: 'cart-connection' },
      },
    });
  }

  get instance() {
    return this.cluster.get(CloudMemorystoreInstanceKind, { name: 'cool' });
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

test('a claim gets what its class says, and a secret that opens the instance', async () => {
  const scene = new Scene({ provisioningMs: 60_000, deletionMs: 60_000 });
  scene.putProvider();
  scene.putClaim('6.x');
  await scene.process.settle(300_000);
  const claim = scene.cluster.get(RedisClusterKind, cart);
  assert.equal(claim?.status?.bindingPhase, 'Bound');
  const [made = assert.fail('no instance')] = scene.cloud.instances.all();
  assert.deepEqual([made.fields.redisVersion, made.fields.tier], ['REDIS_6_X', 'STANDARD_HA']);
  const location = 'projects/example-project/locations/us-central1';
  assert.match(made.name, new RegExp(`^${location}/instances/shop-cart-[a-z0-9]+$`));
  assert.deepEqual(made.fields.labels, {
    'crossplane-kind': 'cloudmemorystoreinstance_cache_gcp_crossplane_io',
    'crossplane-name': made.name.split('/').at(-1),
    'crossplane-class': 'small',
    'crossplane-providerconfig': 'default',
  });
  const { host, password } = scene.secret('shop', 'cart-connection');
  assert.deepEqual([host, password], [made.host, made.authString]);
  scene.cluster.delete(RedisClusterKind, cart);
  await scene.process.settle(300_000);
  assert.deepEqual(scene.cloud.instances.all(), []);
});

test('a claim of a version that does not exist can be corrected', async () => {
  const scene = new Scene();
  scene.putProvider();
  scene.putClaim('2.8');
  await scene.process.settle(60_000);
  const claim = scene.cluster.get(RedisClusterKind, cart);
  const { message = '' } = getCondition(claim?.status?.conditions, 'Ready');
  const wanted =
    /INVALID_ARGUMENT.*; reported by CloudMemorystoreInstance \S+; correct spec\.engineVersion of the claim$/;
  assert.match(message, wanted);
  const [made = assert.fail('no instance')] = scene.cluster.all(CloudMemorystoreInstanceKind);
  const synced = getCondition(made.status?.conditions, 'Synced').message ?? '';
  assert.match(synced, /; change spec\.forProvider\.redisVersion$/);
  scene.cluster.edit(RedisClusterKind, cart, (now) => ({
    ...now,
    spec: { ...now.spec, engineVersion: '6.x' },
  }));
  await scene.process.settle(300_000);
  assert.equal(scene.cluster.get(RedisClusterKind, cart)?.status?.bindingPhase, 'Bound');
  const [instance = assert.fail('no instance')] = scene.cloud.instances.all();
  assert.equal(instance.fields.redisVersion, 'REDIS_6_X');
  assert.equal(scene.cluster.all(CloudMemorystoreInstanceKind)[0]?.metadata.uid, made.metadata.uid);
});

test('an operation that fails is reported with the reason, and requested again', async () => {
  const scene = new Scene({ provisioningMs: 10_000 });
  scene.putProvider();
  const message = 'No capacity is left in zone us-central1-a.';
  scene.cloud.failOperation({ verb: 'create', error: { code: 8, message } });
  scene.putInstance();
  await scene.process.settle(15_000);
  const [reported] = scene.process.events.filter((event) => event.message.includes('No capacity'));
  assert.match(
    reported?.message ?? '',
    /Google Cloud could not create projects\/example-project\/locations\/us-central1\/instances\/cool \(RESOURCE_EXHAUSTED\): No capacity is left in zone us-central1-a/,
  );
  await scene.process.settle(300_000);
  assert.equal(scene.condition('Ready'), 'True/Available');
  assert.equal(scene.cloud.instances.all().length, 1);
});

describe('an error is reported with the cloud’s own reason and the field to change; nothing is created', () => {
  const tokenURI = 'http://elsewhere.test/token';
  const key = (scene: Scene) => JSON.parse(scene.cloud.credentials) as Record<string, string>;
  type Case = readonly [want: RegExp, prepare: (scene: Scene) => void, managed?: CloudMemorystoreInstance];
  const cases: Record<string, Case> = {
    'a token endpoint that is none': [
      /cannot get an access token for \S+: Google Cloud \(http:\/\/elsewhere\.test\) is unreachable: connection refused; connected by ProviderConfig default, secret infra\/gcp$/,
      (scene) => scene.putProvider(scene.cloud.credentials, { ...scene.cloud.parameters, tokenURI }),
    ],
    'a permission that is missing': [
      /cannot create instance "cool" in us-central1: Google Cloud \(\S+\) does not allow it \(403 PERMISSION_DENIED\): .*redis\.instances\.create.*crossplane@example-project\.iam\.gserviceaccount\.com$/,
      (scene) => {
        scene.putProvider();
        const { client_email: email = '' } = key(scene);
        scene.cloud.accounts.grant(email, 'example-project', ['roles/redis.viewer']);
      },
    ],
    'a name that it does not take': [
      /the name "Cool_One" does not match .* set another name in the annotation crossplane\.io\/external-name/,
      (scene) => scene.putProvider(),
      instance(small, { annotations: { 'crossplane.io/external-name': 'Cool_One' } }),
    ],
  };
  for (const [name, [want, prepare, managed]] of Object.entries(cases)) {
    test(name, async () => {
      const scene = new Scene();
      prepare(scene);
      scene.putInstance(managed);
      await scene.process.settle(30_000);
      assert.match(scene.condition('Synced'), want);
      const warnings = scene.process.events.filter(({ type }) => type === 'Warning');
      const messages = warnings.map(({ message }) => message);
      assert.ok(
        messages.some((message) => want.test(message)),
        messages.join('\n'),
      );
      assert.deepEqual(scene.cloud.instances.all(), []);
      scene.cluster.delete(CloudMemorystoreInstanceKind, { name: 'cool' });
      await scene.process.settle(120_000);
      const why = 'an instance that was never created does not delay the deletion';
      assert.equal(scene.instance, undefined, why);
    });
  }

  test('another project than before: what was made is not forgotten, and nothing is made there', async () => {
    const scene = new Scene();
    scene.cloud.createKey({ project: 'other-project' });
    scene.putProvider();
    scene.putInstance();
    await scene.process.settle(60_000);
    const { client_email: email = '' } = key(scene);
    scene.cloud.accounts.grant(email, 'other-project', ['roles/owner']);
    scene.putProvider(scene.cloud.credentials, { ...scene.cloud.parameters, projectID: 'other-project' });
    await scene.process.settle(120_000);
    assert.match(scene.condition('Synced'), /other-project/);
    assert.equal(scene.cloud.instances.all().length, 1);
  });
});
