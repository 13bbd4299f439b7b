import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available, getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import { decodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { Progress } from '../../../controllers/managed/connecting/external-client.ts';
import { FakeCluster } from '../cluster-fake.ts';
import type { FakeProcess } from '../environment-fake.ts';
import { managedService, startManaged } from '../external-fake.ts';
import { deletionTimestamp, managed, managedKind } from '../objects.ts';

type Names = 'deterministic' | 'assigned';
const db = { name: 'db' };
const secretKey = { namespace: 'infra', name: 'db-connection' };
const takesMs = 30_000;

interface Operation {
  readonly endsAtMs: number;
  /** The action of the case, done once. */
  readonly effect: () => void;
  readonly result: Progress;
  isDone: boolean;
}

/**
 * A vendor's system in memory. Each request takes half a minute and returns the name of an operation; a
 * resource that is being created does not show before its end. The system refuses a second resource of the
 * same name, and names the operation that creates the first.
 */
class Vendor {
  readonly accounts = new Map<string, { size: unknown; password: string }>();
  readonly operations = new Map<string, Operation>();
  /** The creation of each name that is under way. */
  readonly #creations = new Map<string, string>();
  made = 0;
  updates = 0;

  readonly #cluster: FakeCluster;
  readonly #names: Names;

  constructor(cluster: FakeCluster, names: Names) {
    this.#cluster = cluster;
    this.#names = names;
  }

  /** Operations that have ended have had their effect. */
  #advance(): void {
    for (const operation of this.operations.values()) {
      if (operation.isDone || operation.endsAtMs > this.#cluster.clockMs) continue;
      operation.isDone = true;
      operation.effect();
    }
  }

  #begin(effect: () => void, result: Progress = { state: 'done' }): { readonly operation: string } {
    const name = `operations/${this.operations.size + 1}`;
    const endsAtMs = this.#cluster.clockMs + takesMs;
    this.operations.set(name, { endsAtMs, effect, result, isDone: false });
    this.#cluster.step();
    return { operation: name };
  }

  connector() {
    return {
      connect: async () => ({
        observe: async (object: Managed) => {
          this.#advance();
          const name = externalName(object) ?? '';
          const account = this.accounts.get(name);
          if (account === undefined) return { exists: false, isUpToDate: false };
          const { size } = object.spec.forProvider as { readonly size: number };
          const isUpToDate = account.size === size;
          return { exists: true, isUpToDate, ready: available(), details: { endpoint: name } };
        },
        create: async (object: Managed) => {
          this.#advance();
          const wanted = externalName(object);
          const name = this.#names === 'assigned' ? `assigned-${this.made + 1}` : (wanted ?? '');
          const before = this.#creations.get(name);
          if (before !== undefined) return { operation: before };
          this.made += 1;
          const password = `p-${this.made}`;
          const { size } = object.spec.forProvider as { readonly size: number };
          this.#creations.set(name, `operations/${this.operations.size + 1}`);
          const effect = () => void this.accounts.set(name, { size, password });
          const externally = this.#names === 'assigned' ? { externalName: name } : {};
          return this.#begin(effect, { state: 'done', details: { password }, ...externally });
        },
        update: async (object: Managed) => {
          this.updates += 1;
          const name = externalName(object) ?? '';
          const { size } = object.spec.forProvider as { readonly size: number };
          return this.#begin(() => {
            const account = this.accounts.get(name);
            if (account !== undefined) this.accounts.set(name, { ...account, size });
          });
        },
        delete: async (object: Managed) => {
          const name = externalName(object) ?? '';
          return this.#begin(() => {
            this.accounts.delete(name);
            this.#creations.delete(name);
          });
        },
        poll: async (name: string): Promise<Progress> => {
          this.#advance();
          const operation = this.operations.get(name);
          if (operation === undefined) return { state: 'unknown' };
          return operation.isDone ? operation.result : { state: 'running' };
        },
      }),
    };
  }
}

function worldOf(names: Names) {
  const cluster = new FakeCluster();
  const vendor = new Vendor(cluster, names);
  cluster.put(managedKind, managed({ forProvider: { size: 1 }, writeConnectionSecretToRef: secretKey }));
  const creationGraceMs = 2 * takesMs; // for so long it may not show
  const start = (): FakeProcess =>
    startManaged(cluster, managedService(vendor.connector(), { externalNames: names, creationGraceMs }));
  return { cluster, vendor, start };
}

type World = ReturnType<typeof worldOf>;
const object = ({ cluster }: World): Managed | undefined => cluster.get(managedKind, db);
const reported = (world: World, type: string): string =>
  getCondition(object(world)?.status?.conditions, type).message ?? '';
const resize = ({ cluster }: World): void =>
  cluster.set(managedKind, db, { spec: { forProvider: { size: 2 } } });
const remove = ({ cluster }: World): void => cluster.delete(managedKind, db, deletionTimestamp);

const longMs = 300_000;

/** The action of a user, and the expected result. */
const stories: Readonly<
  Record<
    string,
    { begin(world: World): Promise<void>; act(world: World): void; assertDone(world: World): void }
  >
> = {
  'a creation': {
    begin: async () => {},
    act: () => {},
    assertDone(world) {
      const secret = decodeDetails(world.cluster.get(SecretKind, secretKey));
      const [name, account] = [...world.vendor.accounts][0] ?? assert.fail('nothing is there');
      assert.deepEqual([world.vendor.accounts.size, world.vendor.made], [1, 1]);
      assert.deepEqual(secret, { endpoint: name, password: account.password });
      assert.equal(getCondition(object(world)?.status?.conditions, 'Ready').status, 'True');
    },
  },
  'an update': {
    begin: async ({ start }) => (await start().settle(longMs)).stop(),
    act: resize,
    assertDone(world) {
      const sizes = [...world.vendor.accounts.values()].map(({ size }) => size);
      assert.deepEqual(sizes, [2]);
      assert.ok(world.vendor.updates <= 2, `${world.vendor.updates} updates`); // the one whose name was lost, and another
      assert.equal(getCondition(object(world)?.status?.conditions, 'Ready').status, 'True');
    },
  },
  'a deletion': {
    begin: async ({ start }) => (await start().settle(longMs)).stop(),
    act: remove,
    assertDone(world) {
      assert.deepEqual([...world.vendor.accounts], []);
      assert.equal(object(world), undefined);
      assert.equal(world.cluster.get(SecretKind, secretKey), undefined);
    },
  },
};

const isUndetermined = (world: World): boolean =>
  /cannot determine creation result/.test(reported(world, 'Synced'));

for (const names of ['deterministic', 'assigned'] as const) {
  for (const [what, { begin, act, assertDone }] of Object.entries(stories)) {
    /** How many steps it takes when nothing goes wrong. */
    const stepsOf = async (): Promise<number> => {
      const world = worldOf(names);
      await begin(world);
      act(world);
      world.cluster.stepsLeft = 1_000;
      const process = await world.start().settle(longMs);
      const taken = 1_000 - world.cluster.stepsLeft;
      process.stop();
      world.cluster.stepsLeft = Number.POSITIVE_INFINITY;
      assertDone(world);
      assert.equal(object(world)?.status?.operation, undefined);
      return taken;
    };

    describe(`${what} by an asynchronous operation, ${names} names`, () => {
      test('continues after a crash at any step', async () => {
        const steps = await stepsOf();
        assert.ok(steps >= 3, `${steps} steps`);
        let humans = 0;
        for (let k = 1; k <= steps; k += 1) {
          const world = worldOf(names);
          await begin(world);
          act(world);
          world.cluster.stepsLeft = k;
          await world.start().settle(longMs);
          world.cluster.stepsLeft = Number.POSITIVE_INFINITY;
          const process = await world.start().settle(longMs);
          assert.deepEqual(process.errors, [], `after step ${k}`);
          process.stop();
          if (isUndetermined(world)) {
            humans += 1;
            assert.deepEqual([names, what], ['assigned', 'a creation'], `after step ${k}`);
            assert.ok(world.vendor.made <= 1, `${world.vendor.made} made`);
          } else assertDone(world);
        }
        // Between the call and the write of its answer; a name that is assigned cannot be found again.
        assert.equal(humans > 0, names === 'assigned' && what === 'a creation');
      });

      test('continues when another process becomes the leader between any two steps', async () => {
        const world = worldOf(names);
        await begin(world);
        act(world);
        for (let round = 0; round < 12 && !isUndetermined(world); round += 1) {
          // Two steps: the external call, and the write that records its answer.
          world.cluster.stepsLeft = 2;
          const process = await world.start().settle(longMs);
          world.cluster.stepsLeft = Number.POSITIVE_INFINITY;
          if (!process.hasCrashed) break;
        }
        const process = await world.start().settle(longMs);
        process.stop();
        if (!isUndetermined(world)) assertDone(world);
        assert.ok(world.vendor.made <= 1, `${world.vendor.made} made`);
      });
    });
  }

  test(`a resource that is deleted during its creation leaks nothing, wherever the process ends, ${names} names`, async () => {
    for (let k = 1; k <= 12; k += 1) {
      const world = worldOf(names);
      world.cluster.stepsLeft = k;
      await world.start().settle(takesMs / 3);
      world.cluster.stepsLeft = Number.POSITIVE_INFINITY;
      remove(world);
      const process = await world.start().settle(longMs);
      process.stop();
      if (isUndetermined(world)) {
        assert.equal(names, 'assigned');
        continue; // it stays until a human has looked
      }
      assert.deepEqual([[...world.vendor.accounts], object(world)], [[], undefined], `after step ${k}`);
    }
  });
}
