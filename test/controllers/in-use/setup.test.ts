import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf, crdName } from '../../../apis/core/v1alpha1/kind.ts';
import type { ManagedSpec } from '../../../apis/core/v1alpha1/managed.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { generatedPassword } from '../../../controllers/credential.ts';
import type { UsedObject } from '../../../controllers/in-use/decide.ts';
import type { CallResult } from '../../../controllers/provider/provider-health.ts';
import { createProviderHealth } from '../../../controllers/provider/provider-health.ts';
import { providerController } from '../../../controllers/provider/setup.ts';
import { stackControllers } from '../../../controllers/stack.ts';
import { secretStores } from '../../../controllers/stores/secret-stores.ts';
import type { Result } from '../../../runtime/controller/reconcile.ts';
import { done } from '../../../runtime/controller/reconcile.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { broken, FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  FakeExternal,
  managedService,
  providerConfig,
  providerConfigKind,
  providerKind,
} from '../external-fake.ts';
import { deletionTimestamp, managed, managedKind, now, otherManagedKind } from '../objects.ts';
import { wokenBy } from '../requests-of.ts';

const config = (name: string) => providerConfig(name, { source: 'Secret' }, { generation: 1 });
const user = (name: string, spec: ManagedSpec = {}) => managed(spec, { name, uid: `${name}-uid` });

const state = { health: createProviderHealth(), check: async () => undefined };

function scene(...users: ReturnType<typeof user>[]) {
  const cluster = new FakeCluster();
  cluster.put(providerConfigKind, config('default'));
  for (const object of users) cluster.put(managedKind, object);
  const clock = testClock(now);
  const process = new FakeProcess(cluster, undefined, { clock });
  const options = { managed: [managedKind, otherManagedKind], ...state };
  const controller = providerController(process.env, providerConfigKind, options);
  return {
    cluster,
    process,
    controller,
    pass: clock.stall,
    advance: clock.advance,
    async run(name = 'default'): Promise<Result> {
      await process.synced();
      return controller.reconcile({ name }, new AbortController().signal, process.env.log);
    },
    get config() {
      return cluster.get(providerConfigKind, { name: 'default' });
    },
  };
}

describe('a ProviderConfig', () => {
  test('ProviderConfigNotFound', async () => assert.deepEqual(await scene().run('other'), done));

  test('SuccessfulSetUsers: a ProviderConfig with users is protected, and counts users that name none', async () => {
    const at = scene(
      user('a'),
      user('b', { providerConfigRef: { name: 'default' } }),
      user('of-a-provider-of-that-name', { providerRef: { name: 'default' } }),
    );
    assert.deepEqual(await at.run(), { ...done, decision: 'AddFinalizer' });
    assert.deepEqual(at.config?.metadata.finalizers, ['in-use.crossplane.io']);
    assert.equal(at.config?.status?.users, 2);
    const writes = ['updateStatus', 'update', 'updateStatus'];
    assert.deepEqual(
      at.cluster.writes.map(({ verb }) => verb),
      writes,
      'counts, finalizer, Ready',
    );
  });

  test('an unchanged ProviderConfig is not written, not after a restart either', async () => {
    const at = scene(user('a'));
    await at.run();
    const { length } = at.cluster.writes;
    at.pass(60_000);
    await at.run();
    assert.equal(at.cluster.writes.length, length);
    at.cluster.put(managedKind, user('b'));
    const why = 'what was not written delays nothing';
    assert.deepEqual(await at.run(), { ...done, decision: 'CountUsers' }, why);
    assert.equal(at.config?.status?.users, 2);
  });

  test('a ProviderConfig that is recreated is counted at once', async () => {
    const at = scene();
    await at.run();
    at.cluster.delete(providerConfigKind, { name: 'default' });
    await at.run();
    await at.run();
    at.cluster.put(providerConfigKind, config('default'));
    at.cluster.put(managedKind, user('a'));
    assert.deepEqual(await at.run(), { ...done, decision: 'AddFinalizer' });
    assert.equal(at.config?.status?.users, 1);
  });

  test('a kind that the API server does not have has no users', async () => {
    const at = scene(user('a'));
    await at.process.synced();
    const unread = { ...otherManagedKind, kind: 'UnreadDBInstance', plural: 'unreaddbinstances' };
    const options = { managed: [managedKind, unread], ...state };
    const { reconcile } = providerController(at.process.env, providerConfigKind, options);
    const run = () => reconcile({ name: 'default' }, new AbortController().signal, at.process.env.log);
    assert.deepEqual(await run(), { ...done, decision: 'AddFinalizer' });
    assert.equal(at.config?.status?.users, 1);
  });

  test('two processes that serve other kinds protect one ProviderConfig together, and do not undo each other', async () => {
    const cluster = new FakeCluster();
    cluster.put(providerConfigKind, config('default'));
    cluster.put(managedKind, user('a'));
    const runs = [managedKind, otherManagedKind].map((kind) => {
      const process = new FakeProcess(cluster, undefined, { clock: testClock(now) });
      const options = { managed: [kind], ...state };
      const { reconcile } = providerController(process.env, providerConfigKind, options);
      return async () => {
        await process.synced();
        return reconcile({ name: 'default' }, new AbortController().signal, process.env.log);
      };
    });
    const decisions = async () => {
      const all: (string | undefined)[] = [];
      for (const run of [...runs, ...runs]) all.push((await run()).decision);
      return all;
    };
    const shown = () => {
      const { metadata, status } = cluster.get(providerConfigKind, { name: 'default' }) ?? {};
      return [metadata?.finalizers, status?.users, status?.usersByKind];
    };

    assert.deepEqual(await decisions(), ['AddFinalizer', 'CountUsers', 'CountUsers', 'CountUsers']);
    const [a, b] = [crdName(managedKind), crdName(otherManagedKind)];
    assert.deepEqual(shown(), [['in-use.crossplane.io'], 1, { [a]: 1 }]);
    const { length } = cluster.writes;
    await decisions();
    assert.equal(cluster.writes.length, length, 'at rest');

    cluster.put(otherManagedKind, { ...user('b'), kind: otherManagedKind.kind });
    await decisions();
    assert.deepEqual(shown(), [['in-use.crossplane.io'], 2, { [a]: 1, [b]: 1 }]);

    cluster.delete(managedKind, { name: 'a' });
    assert.deepEqual(await decisions(), ['CountUsers', 'CountUsers', 'CountUsers', 'CountUsers']);
    assert.deepEqual(shown(), [['in-use.crossplane.io'], 1, { [b]: 1 }]);

    cluster.delete(providerConfigKind, { name: 'default' });
    assert.deepEqual(await decisions(), ['InUse', 'InUse', 'InUse', 'InUse']);
    const leaving = cluster.writes.length;
    await decisions();
    assert.equal(cluster.writes.length, leaving, 'both agree on the message');
    cluster.delete(otherManagedKind, { name: 'b' });
    await decisions();
    assert.deepEqual(shown(), [undefined, undefined, undefined], 'it is gone');
  });

  describe('that two processes share has one Ready, and is not written at rest', () => {
    const failing = (message: string): CallResult => ({ errorClass: 'CredentialsRefused', message });
    const shared = { ...providerConfigKind, isOfAnotherStack: true } as const;
    const cases: Readonly<
      Record<string, { ours?: true; foreign?: true; message: string; checks: string[] }>
    > = {
      'no users': { message: 'refused as ours', checks: ['ours'] },
      'users of the stack that defines it': { ours: true, message: 'refused as ours', checks: [] },
      'users of another stack': { foreign: true, message: 'refused as foreign', checks: ['ours'] },
      'users of both': { ours: true, foreign: true, message: 'refused as ours', checks: [] },
    };
    for (const [name, { ours, foreign, message, checks }] of Object.entries(cases)) {
      test(name, async () => {
        const cluster = new FakeCluster();
        const stored = cluster.put(providerConfigKind, config('default'));
        const checked = new Set<string>();
        const runs = [
          { who: 'ours', of: providerConfigKind, kind: managedKind, isUser: ours },
          { who: 'foreign', of: shared, kind: otherManagedKind, isUser: foreign },
        ].map(({ who, of, kind, isUser }) => {
          const result = failing(`refused as ${who}`);
          const health = createProviderHealth();
          if (isUser) {
            cluster.put(kind, { ...user(who), kind: kind.kind });
            health.record(of, stored, { user: `${who}-uid`, result });
          }
          const check = async () => {
            checked.add(who);
            return result;
          };
          const process = new FakeProcess(cluster, undefined, { clock: testClock(now) });
          const { reconcile } = providerController(process.env, of, { managed: [kind], health, check });
          return async () => {
            await process.synced();
            return reconcile({ name: 'default' }, new AbortController().signal, process.env.log);
          };
        });
        const both = async () => {
          for (const run of [...runs, ...runs]) await run();
        };
        await both();
        const { length } = cluster.writes;
        await both();
        assert.equal(cluster.writes.length, length, 'at rest');
        const { status } = cluster.get(providerConfigKind, { name: 'default' }) ?? {};
        const shown = getCondition(status?.conditions, 'Ready').message ?? '';
        assert.deepEqual([shown.split(';')[0], [...checked]], [message, checks]);
      });
    }
  });

  test('AddFinalizerError and UpdateStatusError are returned', async () => {
    const at = scene(user('a'));
    at.cluster.refuse('update', providerConfigKind, broken());
    await assert.rejects(at.run(), /cannot update ProviderConfig: etcd is unavailable/);
    at.cluster.refuse('updateStatus', providerConfigKind, broken());
    await assert.rejects(at.run(), /cannot update ProviderConfig status: etcd is unavailable/);
  });

  test('RemoveFinalizerError is returned, and removing it tried again', async () => {
    const at = scene(user('a'));
    await at.run();
    at.cluster.delete(providerConfigKind, { name: 'default' });
    at.cluster.delete(managedKind, { name: 'a' }, deletionTimestamp);
    at.cluster.refuse('update', providerConfigKind, broken());
    await assert.rejects(at.run(), /cannot update ProviderConfig: etcd is unavailable/);
    await at.run();
    assert.equal(at.config, undefined);
  });

  test('the controller is named for its kind', () => {
    assert.equal(scene().controller.name, 'providerconfig.fcp.crossplane.io');
  });

  test('a ProviderConfig runs when users appear, disappear or change, and at no other change of them', async () => {
    const at = scene();
    const second = () => at.advance(1_000);
    at.cluster.put(providerConfigKind, config('other'));
    const woken = await wokenBy(at.process, at.controller.triggers.slice(1), async () => {
      const a = at.cluster.put(managedKind, user('a'));
      await second();
      at.cluster.put(managedKind, { ...a, metadata: { ...a.metadata, labels: { x: 'y' } } });
      await second();
      at.cluster.put(managedKind, { ...a, spec: { providerConfigRef: { name: 'other' } } });
      await second();
      at.cluster.delete(managedKind, { name: 'a' }, deletionTimestamp);
      at.cluster.put(managedKind, user('lost', { providerConfigRef: { name: 'gone' } }));
    });
    assert.deepEqual(woken, ['default', 'other', 'default', 'other']);
  });
});

test('a burst of users wakes their ProviderConfig twice: for the first one at once, and for the others together', async () => {
  const at = scene();
  const woken = await wokenBy(at.process, at.controller.triggers.slice(1), async () => {
    for (let n = 0; n < 100; n += 1) at.cluster.put(managedKind, user(`more-${n}`));
    await at.advance(1_000);
  });
  assert.deepEqual(woken, ['default', 'default']);
});

describe('an object that managed resources use', () => {
  const ref = { name: 'used' };
  const published = { publishConnectionDetailsTo: { name: 'conn', configRef: ref } };
  const inKubernetes = { type: 'Kubernetes', defaultScope: 'infra' };
  const kinds: Readonly<Record<string, readonly [Kind<UsedObject>, spec: object, by: ManagedSpec]>> = {
    Provider: [providerKind, {}, { providerRef: ref }],
    ProviderConfig: [providerConfigKind, { credentials: { source: 'None' } }, { providerConfigRef: ref }],
    StoreConfig: [StoreConfigKind, inKubernetes, published],
  };
  for (const [name, [kind, spec, by]] of Object.entries(kinds)) {
    test(`${name}: users protect the object, and none is added while it is being deleted`, async () => {
      const cluster = new FakeCluster();
      const used = () => cluster.get(kind, ref);
      const terminating = () => getCondition(used()?.status?.conditions, 'Terminating');
      const metadata = { name: 'used', generation: 1 };
      cluster.put(kind, { apiVersion: apiVersionOf(kind), kind: name, metadata, spec } as UsedObject);
      const secretDetails = { credential: generatedPassword };
      const service = managedService(new FakeExternal(), { kind: managedKind, secretDetails });
      const stack = { name: 'fcp', claims: [], managed: () => [service] };
      const process = new FakeProcess(cluster, (env) =>
        stackControllers(env, [stack], { secretStores: secretStores(env) }),
      );
      await process.settle();
      assert.deepEqual([used()?.metadata.finalizers, used()?.status?.users], [undefined, 0]);

      cluster.put(managedKind, user('first', by));
      await process.settle();
      assert.deepEqual([used()?.metadata.finalizers, used()?.status?.users], [['in-use.crossplane.io'], 1]);
      assert.equal(terminating().status, 'Unknown', 'it is not deleted');

      cluster.delete(kind, { name: 'used' });
      cluster.clockMs += 2_000;
      cluster.put(managedKind, user('late', by));
      await process.settle();
      assert.equal(used()?.status?.users, 1);
      assert.ok(process.events.some(({ reason }) => reason === 'UsageAccounting'));
      assert.equal(
        terminating().message,
        `in use by 1 managed resource: FavouriteDBInstance first; it is deleted once they are deleted or use another ${name}`,
      );
      const late = cluster.get(managedKind, { name: 'late' });
      const { message = '' } = getCondition(late?.status?.conditions, 'Synced');
      const refusal = `${name} used is being deleted and takes no new users; name another one, or, if it has no data, delete this resource`;
      assert.ok(message.endsWith(refusal), message);

      cluster.delete(managedKind, { name: 'first' });
      cluster.delete(managedKind, { name: 'late' });
      await process.settle();
      assert.deepEqual([used(), cluster.all(managedKind)], [undefined, []]);
      process.stop();
    });
  }
});
