import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { firstValueFrom } from 'rxjs';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { withinSecretNamespaces } from '../../app/secret-namespaces.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { inProcessClient } from '../../testing/in-process-client.ts';
import { MemoryCluster } from '../../testing/memory-cluster.ts';
import { testClock } from '../../testing/test-clock.ts';
import type { Widget } from '../runtime/widgets.ts';
import { WidgetKind, widget } from '../runtime/widgets.ts';
import { endWorlds, TracedWorld } from '../trace/traced-world.ts';

afterEach(endWorlds);

const keyIn = (namespace: string) => ({ namespace, name: 'conn' });
const secretIn = (namespace: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: connectionSecretType,
  metadata: keyIn(namespace),
});

const leftAlone = 'the secrets of namespace other are left alone';

describe('a client that leaves the secrets of other namespaces alone', () => {
  const clock = testClock();
  const cluster = new MemoryCluster(() => clock.now());
  const reads: string[] = [];
  const direct = inProcessClient(cluster, clock, async ({ verb, kind }, effect) => {
    reads.push(`${verb} ${kind.plural}`);
    return effect();
  });
  const listing: KubernetesClient = {
    ...direct,
    async list(kind, options, signal) {
      reads.push(`list ${kind.plural}`);
      return direct.list(kind, options, signal);
    },
    watch(kind, options) {
      reads.push(`watch ${kind.plural}`);
      return direct.watch(kind, options);
    },
  };
  const client = withinSecretNamespaces(listing, ['team', 'credentials']);
  const options = { resourceVersion: '1', timeoutSeconds: 1 };

  const requests: Readonly<Record<string, (namespace: string) => Promise<unknown>>> = {
    get: (namespace) => client.get(SecretKind, keyIn(namespace)),
    list: (namespace) => client.list(SecretKind, { namespace }),
    watch: (namespace) => firstValueFrom(client.watch(SecretKind, { ...options, namespace })),
    create: (namespace) => client.create(SecretKind, secretIn(namespace)),
    patch: (namespace) => client.patch(SecretKind, keyIn(namespace), {}),
    apply: (namespace) => client.apply(SecretKind, keyIn(namespace), {}, { fieldManager: 'somebody' }),
    replace: (namespace) => client.replace(SecretKind, secretIn(namespace)),
    delete: (namespace) => client.delete(SecretKind, keyIn(namespace), {}),
  };
  for (const [verb, request] of Object.entries(requests)) {
    test(`${verb}: refused by itself elsewhere, and passed on within`, async () => {
      reads.length = 0;
      const message = `${leftAlone}: add it to --secret-namespaces, and its Role`;
      const secretsOf = { namespace: 'other', isExcluded: true };
      const refusal = new ApiError(message, { code: 403, reason: 'Forbidden', secretsOf });
      await assert.rejects(request('other'), refusal);
      assert.deepEqual(reads, []);
      cluster.put(SecretKind, secretIn('credentials'));
      await request('credentials').catch(() => undefined);
      assert.equal(reads.length, 1);
    });
  }

  test('all namespaces at a time is elsewhere', async () => {
    reads.length = 0;
    await assert.rejects(client.list(SecretKind, {}), /the secrets of all namespaces are left alone/);
    assert.deepEqual(reads, []);
  });

  test('of other kinds it knows nothing', async () => {
    cluster.put(WidgetKind, widget('one', { metadata: { namespace: 'other' } }));
    const found = await client.get<Widget>(WidgetKind, { namespace: 'other', name: 'one' });
    assert.equal(found.metadata.name, 'one');
  });

  test('without namespaces all Secrets may be asked for', async () => {
    cluster.put(SecretKind, secretIn('other'));
    const found = await withinSecretNamespaces(direct, undefined).get(SecretKind, keyIn('other'));
    assert.equal(found.metadata.namespace, 'other');
  });

  test('the error has the namespace as data, whether a flag or RBAC refuses', async () => {
    const denying: KubernetesClient = {
      ...direct,
      get: () => Promise.reject(new ApiError('not yours', { code: 403, reason: 'Forbidden' })),
    };
    const denied = withinSecretNamespaces(denying, undefined);
    const secretsIn = (answer: Promise<unknown>) =>
      answer.catch((error: unknown) => error instanceof ApiError && error.secretsOf);
    const [key, namespace] = [keyIn('other'), 'other'];
    const byFlag = await secretsIn(client.get(SecretKind, key));
    assert.deepEqual(byFlag, { namespace, isExcluded: true });
    assert.deepEqual(await secretsIn(denied.get(SecretKind, key)), { namespace, isExcluded: false });
    assert.equal(await secretsIn(denied.get(WidgetKind, key)), undefined);
  });

  test('a write that is refused has no namespace as data, because a quota or a policy may refuse it', async () => {
    const refused = new ApiError('exceeded quota', { code: 403, reason: 'Forbidden' });
    const quota: KubernetesClient = { ...direct, create: () => Promise.reject(refused) };
    const creating = withinSecretNamespaces(quota, undefined).create(SecretKind, secretIn('other'));
    await assert.rejects(creating, (error) => error === refused);
  });
});

describe('--secret-namespaces: the process', () => {
  const namespaces = { claims: ['team-shop'], secrets: ['team-shop', 'cloud-credentials'] };
  const syncedOf = (object: Claim | Managed) => {
    const { status, message = '' } = getCondition(object.status?.conditions, 'Synced');
    return [status, message];
  };

  test('a resource that publishes to another namespace names the flag, and no external resource is created', async () => {
    const world = new TracedWorld();
    world.start({ namespaces });
    const key = world.managed('stray', { writeConnectionSecretToRef: { namespace: 'other', name: 'stray' } });
    await world.pass(60);
    const message = `cannot get connection secret: ${leftAlone}: add it to --secret-namespaces, and its Role`;
    assert.deepEqual(syncedOf(world.cluster.get(FavouriteDBInstanceKind, key)), ['False', message]);
    assert.deepEqual(world.instances(), []);
    world.start({ namespaces: { ...namespaces, secrets: [...namespaces.secrets, 'other'] } });
    await world.pass(60);
    assert.deepEqual(syncedOf(world.cluster.get(FavouriteDBInstanceKind, key)), ['True', '']);
  });
});
