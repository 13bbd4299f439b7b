import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available, getCondition } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import type { ExternalClient } from '../../../../controllers/managed/connecting/external-client.ts';
import type { ManagedService } from '../../../../controllers/managed/setup.ts';
import { FakeCluster } from '../../cluster-fake.ts';
import type { FakeProcess } from '../../environment-fake.ts';
import { managedService, providerConfig, providerConfigKind, startManaged } from '../../external-fake.ts';
import { managed, managedKind } from '../../objects.ts';

const found = { exists: true, isUpToDate: true, ready: available() };
const definedAt = 'Error\n    at a (/app/src/stack.ts:41:3)';

interface SceneOptions extends Partial<ManagedService> {
  readonly isCreated?: boolean;
  /** The call ends when its signal aborts. */
  readonly obeys?: boolean;
}

/** A process with one worker and the resource `db`, one of whose calls hangs. */
class Scene {
  readonly cluster = new FakeCluster();
  readonly process: FakeProcess;
  /** The calls of `db`. */
  readonly calls: string[] = [];
  /** Ends the call that hangs, with this answer or the usual one. */
  end = (_answer?: unknown): void => {};

  constructor(hangs: string, { isCreated = true, obeys = false, ...over }: SceneOptions = {}) {
    let isHanging = true;
    let exists = isCreated;
    const answers: Readonly<Record<string, () => unknown>> = {
      observe: () => (exists ? found : { exists: false, isUpToDate: false }),
      create: () => {
        exists = true;
        return {};
      },
      update: () => ({}),
      delete: () => ({}),
      system: () => 'cloud',
      disconnect: () => {},
    };
    const call = async (of: string, name: string, answer: () => unknown, signal?: unknown) => {
      if (of !== 'db') return answer();
      this.calls.push(name);
      if (name !== hangs || !isHanging) return answer();
      isHanging = false;
      return new Promise((resolve, reject) => {
        this.end = (given = answer()) => resolve(given);
        if (obeys && signal instanceof AbortSignal)
          signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    const connect = async ({ metadata: { name } }: Managed): Promise<ExternalClient> => {
      const methods = Object.entries(answers).map(([method, answer]) => [
        method,
        (...given: readonly unknown[]) => call(name, method, answer, given.at(-1)),
      ]);
      return (await call(name, 'connect', () => Object.fromEntries(methods))) as ExternalClient;
    };
    this.cluster.put(providerConfigKind, providerConfig('default', { source: 'InjectedIdentity' }));
    this.cluster.put(managedKind, managed({}, { name: 'db', uid: 'db' }));
    this.process = startManaged(this.cluster, managedService({ connect }, { definedAt, ...over }));
  }

  synced(name = 'db'): string | undefined {
    return getCondition(this.cluster.get(managedKind, { name })?.status?.conditions, 'Synced').message;
  }
}

const hanging = (name: string, seconds = 90): string =>
  `bug in the stack fcp: ${name} did not end within ${seconds} s${name === 'disconnect' ? '' : ', and ignores its signal'} (TypeError at src/stack.ts:41)`;

describe('a call that ignores its signal', () => {
  for (const name of ['connect', 'system', 'observe', 'create', 'disconnect']) {
    test(`${name} ends for the controllers after its deadline, with a condition that names it`, async () => {
      const scene = new Scene(name, { isCreated: name !== 'create' });
      await scene.process.settle(89_000);
      assert.notEqual(scene.synced(), hanging(name));
      await scene.process.settle(100_000);
      assert.equal(scene.synced(), hanging(name));
    });
  }

  test('differs from one that only takes too long: that is a failure as any other', async () => {
    const scene = new Scene('observe', { obeys: true });
    await scene.process.settle(100_000);
    assert.deepEqual(
      scene.process.events.map(({ message }) => message),
      ['observe did not end within 90 s'],
    );
  });

  test('gives its worker back', async () => {
    const scene = new Scene('observe');
    await scene.process.settle(80_000);
    scene.cluster.put(managedKind, managed({}, { name: 'other', uid: 'other' }));
    await scene.process.settle(1_000);
    assert.equal(scene.synced('other'), undefined);
    await scene.process.settle(100_000);
    const other = scene.cluster.get(managedKind, { name: 'other' });
    assert.equal(getCondition(other?.status?.conditions, 'Ready').status, 'True');
  });

  test('is the only call for its resource until it ends, and then its answer is dropped', async () => {
    const scene = new Scene('observe');
    await scene.process.settle(600_000);
    assert.deepEqual(scene.calls, ['connect', 'system', 'observe', 'disconnect']);
    scene.end({ ...found, status: { late: true } });
    await scene.process.settle(59_000);
    const db = scene.cluster.get(managedKind, { name: 'db' });
    assert.equal(getCondition(db?.status?.conditions, 'Ready').status, 'True');
    assert.equal((db?.status as { late?: boolean } | undefined)?.late, undefined);
    assert.equal(scene.synced(), undefined);
  });

  test('connect: its connection is closed when it comes at last', async () => {
    const scene = new Scene('connect');
    await scene.process.settle(100_000);
    assert.deepEqual(scene.calls, ['connect']);
    scene.end();
    await scene.process.settle(0);
    assert.deepEqual(scene.calls, ['connect', 'disconnect']);
  });

  test('create of a resource with an assigned name: an administrator has to look, and none is created', async () => {
    const scene = new Scene('create', { isCreated: false, externalNames: 'assigned' });
    await scene.process.settle(100_000);
    assert.match(scene.synced() ?? '', /^cannot determine creation result/);
    assert.ok(scene.process.events.some(({ message }) => message === hanging('create')));
    scene.end();
    await scene.process.settle(600_000);
    assert.equal(scene.calls.filter((call) => call === 'create').length, 1);
  });

  test('has the deadline that its service sets', async () => {
    const scene = new Scene('observe', { limits: { callMs: 10_000 } });
    await scene.process.settle(20_000);
    assert.equal(scene.synced(), hanging('observe', 10));
  });
});
