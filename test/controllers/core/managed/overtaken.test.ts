import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedSpec } from '../../../../apis/core/v1alpha1/managed.ts';
import { UncertainCreationError } from '../../../../controllers/core/managed/external-client.ts';
import type { Overtaken } from '../../../../controllers/core/managed/overtaken.ts';
import { createOvertaken } from '../../../../controllers/core/managed/overtaken.ts';
import { isConflict } from '../../../../runtime/client/errors.ts';
import { broken, conflict, FakeCluster } from '../cluster-fake.ts';
import { FakeExternal, startStack } from '../external-fake.ts';
import { finalizers, Scene, secretKey } from '../managed-scene.ts';
import { deletionTimestamp, managed, managedKind } from '../objects.ts';

const db = { name: 'db' };
const kept = { 'crossplane.io/external-name': 'db' };
const writesSecret: ManagedSpec = { writeConnectionSecretToRef: secretKey };
type Options = ConstructorParameters<typeof Scene>[2];

/** A resource whose deletion begins before it has a finalizer; it is gone after the creation, as soon as that has ended. */
function overtaken(spec: ManagedSpec = {}, options: Options = {}): Scene {
  const scene = new Scene({ forProvider: { size: 1 }, ...spec }, {}, options);
  const end = scene.cluster.beginDeleting(managedKind, db);
  scene.external.afterCall = (method) => {
    if (method === 'create') end();
  };
  return scene;
}

/** The same, after the run that created something for it. */
async function made(spec: ManagedSpec = {}, options: Options = {}): Promise<Scene> {
  const scene = overtaken(spec, options);
  await scene.run().catch(() => {});
  assert.deepEqual([scene.object, scene.external.made, scene.isWoken], [undefined, 1, true]);
  scene.cluster.takeWrites();
  return scene;
}

/** Somebody takes its finalizers away, but for some. */
function letGo({ cluster }: Scene, left: readonly string[] = []): void {
  cluster.edit(managedKind, db, ({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, finalizers: left },
  }));
}

const things = ({ external }: Scene): readonly string[] => [...external.things.keys()];

/** Another of the name, as it is before anybody has looked at it; or after, with `finalizers`. */
function comesAgain(scene: Scene, metadata: Partial<ObjectMeta> = {}, spec: ManagedSpec = {}): void {
  scene.cluster.put(
    managedKind,
    managed({ forProvider: { size: 1 }, ...spec }, { uid: 'uid-again', ...metadata }),
  );
}

describe('a managed resource whose deletion overtook its finalizer', () => {
  for (const externalNames of ['deterministic', 'assigned'] as const) {
    test(`leaves nothing outside that was made for it: ${externalNames} names`, async () => {
      const scene = await made({}, { externalNames });
      await scene.run();
      assert.deepEqual([things(scene), scene.decision], [[], 'DeleteExternal']);
      assert.equal(scene.secret, undefined);
      // Where names are assigned they come first, and there was nothing to write them to.
      const deletions = externalNames === 'assigned' ? [] : ['delete Secret infra/db-connection'];
      assert.deepEqual(scene.cluster.takeWrites(), deletions, 'it is gone: nothing is written to it');
      for (const event of ['Warning DeletionOvertookFinalizer', 'Normal DeletedExternalResource']) {
        assert.ok(scene.events.includes(event), scene.events.join());
      }
      assert.deepEqual(await scene.run(), { type: 'done' });
      assert.equal(scene.decision, 'ResourceGone', 'and is forgotten');
    });

    test(`nor what may have been made, for all that is known: ${externalNames} names`, async () => {
      const scene = overtaken({}, { externalNames });
      const { afterCall } = scene.external;
      scene.external.afterCall = (method) => {
        void afterCall(method);
        if (method === 'create') throw new UncertainCreationError('no answer');
      };
      // Found by whose it is, as a client must where names are assigned.
      scene.external.placeOf = () => (externalNames === 'assigned' ? 'assigned-1' : 'db');
      await scene.run();
      assert.deepEqual(things(scene).length, 1);
      await scene.run();
      assert.deepEqual(things(scene), []);
    });
  }

  const keeping: Readonly<Record<string, ManagedSpec>> = {
    'deletionPolicy Orphan': { deletionPolicy: 'Orphan' },
    'reclaimPolicy Retain': { reclaimPolicy: 'Retain' },
    'managementPolicies without Delete': {
      managementPolicies: ['Observe', 'Create', 'Update', 'LateInitialize'],
    },
  };
  for (const [name, spec] of Object.entries(keeping)) {
    test(`leaves what its policies keep: ${name}`, async () => {
      const scene = await made(spec);
      await scene.run();
      assert.deepEqual([things(scene), scene.decision], [['db'], 'OrphanExternal']);
      assert.deepEqual(await scene.run(), { type: 'done' });
    });
  }

  test('leaves what it was only to look at', async () => {
    const scene = new Scene({ managementPolicies: ['Observe'] });
    const end = scene.cluster.beginDeleting(managedKind, db);
    scene.external.put('db');
    await scene.run();
    end();
    for (const decision of ['OrphanExternal', 'ResourceGone']) {
      await scene.run();
      assert.equal(scene.decision, decision);
    }
    assert.deepEqual([things(scene), scene.external.count('delete')], [['db'], 0]);
  });

  test('goes by its policies as they were when it went', async () => {
    const scene = overtaken();
    const { afterCall } = scene.external;
    scene.external.afterCall = (method) => {
      if (method === 'create') {
        scene.cluster.edit(managedKind, db, (object) => ({
          ...object,
          spec: { ...object.spec, deletionPolicy: 'Orphan' as const },
        }));
      }
      void afterCall(method);
    };
    await scene.run();
    await scene.run();
    assert.deepEqual(things(scene), ['db']);
  });

  for (const outcome of ['is made', 'cannot be made in the end'] as const) {
    test(`leaves nothing that ${outcome} while another process, which finds nothing, lets go of it`, async () => {
      const scene = new Scene();
      scene.external.afterCall = (method) => {
        if (method !== 'create' || scene.external.made > 1) return;
        scene.cluster.delete(managedKind, db, deletionTimestamp);
        letGo(scene);
        if (outcome !== 'is made') throw new Error('the last step failed');
      };
      await scene.run().catch(() => {});
      assert.deepEqual([scene.object, scene.isWoken, things(scene)], [undefined, true, ['db']]);
      await scene.run();
      assert.deepEqual([scene.decision, things(scene)], ['DeleteExternal', []]);
      assert.ok(scene.events.includes('Warning DeletionOvertookFinalizer'), scene.events.join());
      assert.deepEqual(await scene.run(), { type: 'done' });
    });
  }

  test('leaves nothing though the object is there still when it is asked for, held by somebody else only', async () => {
    const scene = new Scene({}, { finalizers: ['example.org/other'] });
    scene.cluster.afterCall = ({ verb }) => {
      if (verb === 'updateStatus') throw broken();
    };
    await scene.run().catch(() => {});
    scene.cluster.afterCall = () => {};
    await scene.process.synced();
    scene.process.hold(managedKind);
    scene.cluster.delete(managedKind, db, deletionTimestamp);
    letGo(scene, ['example.org/other']);
    await scene.run();
    assert.equal(scene.decision, 'UpToDate');
    scene.process.release(managedKind);
    letGo(scene);
    await scene.run();
    assert.deepEqual([scene.object, scene.isWoken, things(scene)], [undefined, true, []]);
  });

  const events: Readonly<
    Record<string, { meanwhile: (overtaken: Overtaken, of: Managed) => void; isLeft: boolean }>
  > = {
    'while it is being created': { meanwhile: () => {}, isLeft: true },
    'after that, and nothing has been heard of it since': {
      meanwhile: (overtaken, of) => overtaken.end(of),
      isLeft: true,
    },
    'after that, and a write has found it there since': {
      meanwhile(overtaken, of) {
        overtaken.end(of);
        overtaken.settle(of);
      },
      isLeft: false,
    },
    'while it is being created, whatever another write has found': {
      meanwhile: (overtaken, of) => overtaken.settle(of),
      isLeft: true,
    },
  };
  for (const [when, { meanwhile, isLeft }] of Object.entries(events)) {
    test(`that somebody let go of it is ${isLeft ? 'no' : 'the'} end of it where the watch tells ${when}`, () => {
      const overtaken = createOvertaken(new Scene().process.env);
      const made = managed({}, { finalizers, annotations: kept });
      overtaken.begin(made);
      meanwhile(overtaken, made);
      const object = managed({}, { annotations: kept, deletionTimestamp });
      assert.equal(overtaken.goesUnreleased({ type: 'deleted', object, isLast: true }), isLeft);
      assert.equal(overtaken.of(db) !== undefined, isLeft);
    });
  }

  const externalIdentity = '{"name":"db"}';
  for (const [how, metadata, isLeft] of [
    ['who only takes its finalizer away knows of it, and keeps it', {}, false],
    ['who lets go of it has deleted it, and may not know what is made now', { deletionTimestamp }, true],
  ] as const) {
    test(`once another process has said that it is there, ${how}`, () => {
      const overtaken = createOvertaken(new Scene().process.env);
      const made = managed({}, { finalizers, annotations: kept });
      overtaken.begin(made);
      const object = { ...managed({}, { annotations: kept, ...metadata }), status: { externalIdentity } };
      assert.equal(overtaken.goesUnreleased({ type: 'deleted', object, isLast: true }), isLeft);
      assert.equal(overtaken.isMaking(made), isLeft);
    });
  }

  test('what was there before is no word of that', () => {
    const overtaken = createOvertaken(new Scene().process.env);
    const made = {
      ...managed({}, { finalizers, annotations: kept }),
      status: { externalIdentity },
    };
    overtaken.begin(made);
    const object = { ...managed({}, { annotations: kept }), status: { externalIdentity } };
    assert.equal(overtaken.goesUnreleased({ type: 'deleted', object, isLast: true }), true);
  });

  test('is not made if the watch has told so by then', async () => {
    const scene = new Scene();
    const end = scene.cluster.beginDeleting(managedKind, db);
    scene.cluster.afterCall = ({ verb, kind }) => {
      if (verb === 'update' && kind === managedKind.kind) end();
    };
    await scene.run();
    await scene.run();
    assert.deepEqual([scene.external.made, scene.object], [0, undefined]);
    assert.deepEqual(await scene.run(), { type: 'done' });
  });

  const others: Readonly<Record<string, (scene: Scene) => void>> = {
    'and has none': () => {},
    'and another has its name by then': (scene) =>
      comesAgain(scene, { annotations: { 'crossplane.io/paused': 'true' } }),
  };
  for (const [name, then] of Object.entries(others)) {
    test(`is not made for one that another process has let go of while this one looked ${name}`, async () => {
      const scene = new Scene();
      scene.external.gate = (method) => {
        if (method === 'create') throw new Error('no route to cloud');
      };
      await scene.run();
      assert.deepEqual(
        scene.object?.metadata.finalizers,
        finalizers,
        'it is on record: nothing is left to write',
      );
      scene.external.gate = (method) => {
        if (method !== 'observe' || scene.object?.metadata.uid === 'uid-again') return;
        scene.cluster.delete(managedKind, db, deletionTimestamp);
        letGo(scene);
        assert.equal(scene.object, undefined);
        then(scene);
      };
      await scene.run();
      assert.deepEqual([scene.decision, scene.external.made, things(scene)], ['CreateExternal', 0, []]);
    });
  }

  test('is seen to again and again while the external system fails, and nothing is written', async () => {
    const scene = await made();
    scene.external.gate = (method) => {
      if (method === 'delete') throw new Error('no route to cloud');
    };
    for (let run = 0; run < 3; run += 1) assert.deepEqual(await scene.run(), { type: 'requeue' });
    scene.external.gate = () => {};
    assert.deepEqual([things(scene), scene.cluster.takeWrites()], [['db'], []]);
    await scene.run();
    assert.deepEqual(things(scene), []);
  });

  test('is not seen to while the API server cannot say whether another has its name', async () => {
    const scene = await made();
    scene.cluster.gate = () => {
      throw new Error('etcd is unavailable');
    };
    await assert.rejects(scene.run(), /^Error: cannot get managed resource: etcd is unavailable$/);
    assert.deepEqual(things(scene), ['db']);
    scene.cluster.gate = () => {};
    await scene.run();
    assert.deepEqual(things(scene), []);
  });

  test('waits for a deletion that the external system sees through', async () => {
    const scene = await made();
    scene.external.isDeletionSlow = true;
    assert.equal((await scene.run()).type, 'after');
    scene.external.observation = { operation: 'delete' };
    assert.deepEqual([(await scene.run()).type, scene.decision], ['after', 'AwaitDeletion']);
    scene.external.things.clear();
    assert.deepEqual([await scene.run(), scene.decision], [{ type: 'done' }, 'RemoveFinalizer']);
  });
});

describe('another managed resource of that name', () => {
  test('takes up what the first one made: it is not deleted', async () => {
    const scene = await made();
    comesAgain(scene);
    await scene.run();
    assert.deepEqual([scene.external.count('delete'), things(scene)], [0, ['db']]);
    assert.equal(scene.condition('Ready'), 'True/Available');
    scene.cluster.delete(managedKind, db, deletionTimestamp);
    await scene.run();
    assert.deepEqual([scene.external.count('delete'), things(scene), scene.object], [1, [], undefined]);
  });

  test('which the store does not show yet is waited for', async () => {
    const scene = await made();
    scene.process.hold(managedKind);
    comesAgain(scene);
    await scene.run();
    assert.deepEqual([scene.external.count('delete'), things(scene)], [0, ['db']]);
  });

  test('which comes while what the first one made is looked at keeps it', async () => {
    const scene = await made();
    scene.process.hold(managedKind);
    scene.external.gate = (method) => {
      if (method === 'observe' && scene.object === undefined) comesAgain(scene);
    };
    await assert.rejects(scene.run(), isConflict);
    assert.deepEqual([scene.external.count('delete'), things(scene)], [0, ['db']]);
    scene.process.release(managedKind);
    await scene.run();
    assert.deepEqual([things(scene), scene.condition('Ready')], [['db'], 'True/Available']);
  });

  test('which goes before anybody has looked at it has taken up nothing', async () => {
    const scene = await made();
    comesAgain(scene, { annotations: { 'crossplane.io/paused': 'true' } });
    await scene.run();
    assert.deepEqual([scene.decision, things(scene)], ['Paused', ['db']]);
    scene.cluster.delete(managedKind, db);
    await scene.run();
    assert.deepEqual(things(scene), []);
  });

  for (const [name, annotations] of Object.entries({
    'which stands for something else does not keep it': { 'crossplane.io/external-name': 'another' },
    'which is overtaken like the first leaves nothing either': kept,
  })) {
    test(name, async () => {
      const scene = await made();
      comesAgain(scene, { annotations });
      scene.external.afterCall = () => {};
      if (annotations === kept) {
        const end = scene.cluster.beginDeleting(managedKind, db);
        await scene.run();
        end();
      }
      await scene.run();
      assert.deepEqual(things(scene), annotations === kept ? [] : ['another']);
    });
  }

  test('of two that were overtaken, and stood for different things, nothing is left', async () => {
    const scene = await made();
    const end = (() => {
      comesAgain(scene, { annotations: { 'crossplane.io/external-name': 'another' } });
      return scene.cluster.beginDeleting(managedKind, db);
    })();
    scene.external.gate = (method) => {
      if (method === 'delete') throw new Error('no route to cloud');
    };
    await scene.run();
    end();
    scene.external.gate = () => {};
    assert.deepEqual(things(scene), ['db', 'another']);
    assert.deepEqual([await scene.run(), things(scene)], [{ type: 'after', delayMs: 0 }, ['another']]);
    assert.deepEqual([await scene.run(), things(scene)], [{ type: 'done' }, []]);
  });

  test('does not take over the password of what the first one made, where it stands for something else', async () => {
    const scene = await made();
    const { external, secret } = scene;
    assert.notEqual(secret?.password, undefined);
    external.isDiscreet = true;
    external.afterCall = () => {};
    external.put('another', { size: 1 }, 'nobody-knows');
    comesAgain(scene, { annotations: { 'crossplane.io/external-name': 'another' } }, writesSecret);
    await scene.run();
    await scene.run();
    assert.deepEqual(things(scene), ['another']);
    assert.equal(scene.secret?.password, external.things.get('another')?.password);
  });

  test('is not given the name that the first one was assigned', async () => {
    const scene = overtaken({}, { externalNames: 'assigned' });
    const { afterCall } = scene.external;
    scene.external.afterCall = (method) => {
      void afterCall(method);
      if (method === 'create') comesAgain(scene, { annotations: { team: 'shop' } });
    };
    const running = scene.run().catch(() => {});
    await scene.cluster.clock.advance(1_000);
    await running;
    assert.deepEqual(scene.annotations, { team: 'shop' });
  });

  test('whose name is not given yet is waited for, where names are assigned', async () => {
    const scene = await made({}, { externalNames: 'assigned' });
    comesAgain(scene, {
      finalizers,
      annotations: { 'crossplane.io/external-create-pending': '2026-01-02T03:00:00Z' },
    });
    await scene.run();
    assert.deepEqual(things(scene), ['assigned-1']);
    scene.cluster.edit(managedKind, db, ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, annotations: { 'crossplane.io/external-name': 'assigned-1' } },
    }));
    await scene.run();
    letGo(scene);
    scene.cluster.delete(managedKind, db);
    await scene.run();
    assert.deepEqual(things(scene), ['assigned-1'], 'it was taken up, and given away');
  });
});

describe('what is no overtaking', () => {
  test('what goes in order is let go by whoever deletes it', async () => {
    const scene = new Scene();
    await scene.run();
    scene.cluster.delete(managedKind, db, deletionTimestamp);
    await scene.run();
    assert.deepEqual([scene.object, scene.isWoken, things(scene)], [undefined, false, []]);
  });

  test('who takes the finalizer away keeps what is outside', async () => {
    const scene = new Scene();
    await scene.run();
    letGo(scene);
    scene.cluster.delete(managedKind, db);
    await scene.run();
    assert.deepEqual([scene.decision, scene.isWoken, things(scene)], ['ResourceGone', false, ['db']]);
  });

  /** What the first status write comes to, once it is carried out; and how often two runs ask the API server. */
  const untold: Readonly<
    Record<string, { answer?: () => Error; isRefused?: true; names?: 'assigned'; reads: number }>
  > = {
    'was answered': { reads: 0 },
    'was carried out, and answered with a conflict': { answer: () => conflict('it'), reads: 1 },
    'was carried out, and its answer was lost': { answer: broken, reads: 1 },
    'was not answered, of one whose name is assigned': { answer: broken, names: 'assigned', reads: 1 },
    // The attempt itself asks, too: there is no write before it.
    'had nothing to say, as an attempt failed like the one before': { isRefused: true, reads: 2 },
  };
  for (const [what, { answer, isRefused, names = 'deterministic', reads }] of Object.entries(untold)) {
    test(`who does so when it has been made keeps it, too, if a status write ${what}`, async () => {
      const scene = new Scene({}, {}, { externalNames: names });
      scene.external.gate = (method) => {
        if (method === 'create' && isRefused) throw new Error('quota exceeded');
      };
      let answers = answer === undefined ? [] : [answer];
      scene.cluster.afterCall = ({ verb, kind }) => {
        if (verb !== 'updateStatus' || kind !== managedKind.kind) return;
        const [lost] = answers;
        answers = [];
        if (lost !== undefined) throw lost();
      };
      await scene.run().catch(() => {});
      scene.cluster.takeWrites();
      await scene.run();
      assert.deepEqual(scene.cluster.takeWrites(), []);
      const asked = scene.cluster.calls.filter(
        ({ verb, kind }) => verb === 'get' && kind === managedKind.kind,
      );
      assert.equal(asked.length, reads);
      await scene.run();
      if (isRefused) scene.external.put('db');
      const kept = things(scene);
      letGo(scene);
      scene.cluster.delete(managedKind, db);
      await scene.run();
      assert.deepEqual([scene.decision, scene.isWoken, things(scene)], ['ResourceGone', false, kept]);
      assert.equal(kept.length, 1);
    });
  }

  test('the API server is asked again where it could not say whether one is there', async () => {
    const scene = new Scene();
    scene.cluster.before('updateStatus', managedKind, () => {
      scene.cluster.afterCall = ({ verb }) => {
        if (verb === 'updateStatus') throw broken();
      };
    });
    await scene.run().catch(() => {});
    scene.cluster.afterCall = () => {};
    scene.cluster.before('get', managedKind, () => {
      throw broken();
    });
    await assert.rejects(scene.run(), /^Error: cannot get managed resource: etcd is unavailable$/);
    await scene.run();
    letGo(scene);
    scene.cluster.delete(managedKind, db);
    await scene.run();
    assert.deepEqual([scene.isWoken, things(scene)], [false, ['db']]);
  });

  test('what only this process knew is lost with it', async () => {
    const scene = await made();
    scene.restart();
    await scene.run();
    assert.deepEqual([scene.decision, things(scene)], ['ResourceGone', ['db']]);
  });
});

test('a controller is woken by the end of what was overtaken, and leaves nothing', async () => {
  const cluster = new FakeCluster();
  const external = new FakeExternal();
  const process = startStack(cluster, external);
  await process.settle();
  cluster.put(managedKind, managed({ forProvider: { size: 1 } }));
  const end = cluster.beginDeleting(managedKind, db);
  await process.settle();
  assert.equal(external.things.size, 1);
  end();
  await process.settle();
  assert.deepEqual([external.things.size, cluster.get(managedKind, db)], [0, undefined]);
});
