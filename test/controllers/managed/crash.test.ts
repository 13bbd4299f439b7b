import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cut, heal, Scene, settle } from '../managed-scene.ts';

type Names = 'deterministic' | 'assigned';

/** The number of calls of a run without a crash. */
async function callsOf(start: () => Scene): Promise<number> {
  const scene = start();
  await scene.run();
  return scene.cluster.calls.length + scene.external.calls.length;
}

const begin = (names: Names) => (): Scene =>
  new Scene({ forProvider: { size: 1 } }, {}, { externalNames: names });
/** The call of a creation: connect, finalizer, Secret, observe, preparation, create. */
const createCall = 6;

for (const names of ['deterministic', 'assigned'] as const) {
  const calls = await callsOf(begin(names));
  describe(`a process that is cut off during a creation, ${names} names`, () => {
    test('every call is one to cut at', () => assert.equal(calls, names === 'assigned' ? 11 : 10));
    for (let k = 1; k <= calls; k += 1) {
      for (const moment of ['before', 'after'] as const) {
        test(`${moment} call ${k} takes effect: there is one external resource, or the status asks an administrator`, async () => {
          const scene = begin(names)();
          const wasCut = cut(scene, k, moment);
          assert.equal(await Promise.race([scene.run(), wasCut]), 'cut');
          heal(scene);
          await settle(scene);
          assert.ok(scene.external.made <= 1, `${scene.external.made} external resources`);
          if (/cannot determine creation result/.test(scene.condition('Synced'))) {
            assert.equal(names, 'assigned');
            assert.ok('crossplane.io/external-create-pending' in scene.annotations);
          } else {
            assert.equal(scene.external.made, 1);
            assert.equal(scene.condition('Ready'), 'True/Available');
            assert.notEqual(scene.secret?.endpoint, undefined);
            assert.equal([...scene.external.resources.values()][0]?.password, scene.secret?.password);
            assert.equal(scene.object?.status?.credential?.pending, false);
          }
        });
      }
    }
  });
}

test('an interrupted creation is completed once an administrator has checked it and removed the mark', async () => {
  const scene = begin('assigned')();
  const wasCut = cut(scene, createCall, 'before');
  await Promise.race([scene.run(), wasCut]);
  heal(scene);
  await scene.run();
  assert.match(scene.condition('Synced'), /cannot determine creation result/);
  scene.annotate('crossplane.io/external-create-pending', undefined);
  await settle(scene);
  assert.equal(scene.external.made, 1);
  assert.equal(scene.condition('Ready'), 'True/Available');
});

test('a second attempt in the second of the first is marked as an attempt of its own', async () => {
  const scene = begin('assigned')();
  scene.external.failAt('create', new Error('quota exceeded'));
  await scene.run(); // fails, all within one second of the clock
  const wasCut = cut(scene, 4, 'after'); // the finalizer and the Secret are there: connect, observe, preparation, create
  await Promise.race([scene.run(), wasCut]);
  assert.equal(scene.external.made, 1);
  heal(scene);
  await settle(scene);
  assert.equal(scene.external.made, 1);
  assert.match(scene.condition('Synced'), /cannot determine creation result/);
});

describe('a creation without an answer', () => {
  const uncertain = async (): Promise<Scene> => {
    const { UncertainCreationError } = await import(
      '../../../controllers/managed/connecting/external-client.ts'
    );
    const scene = begin('assigned')();
    scene.external.after('create', () => {
      throw new Error('the connection was lost', { cause: new UncertainCreationError('no answer came') });
    });
    await scene.run();
    return scene;
  };
  test('assigned names: a creation without an answer is not repeated, and the status asks an administrator', async () => {
    const scene = await uncertain();
    assert.equal(scene.condition('Synced'), 'False/ReconcileError: the connection was lost');
    heal(scene);
    await settle(scene);
    assert.equal(scene.external.made, 1);
    assert.match(scene.condition('Synced'), /cannot determine creation result/);
  });
  test('assigned names: a resource that is found by its tags after the approval has its name recorded', async () => {
    const scene = await uncertain();
    scene.external.placeOf = () => 'assigned-1';
    scene.external.observation = { externalName: 'assigned-1' };
    heal(scene);
    scene.annotate('crossplane.io/external-create-pending', undefined);
    await settle(scene);
    assert.equal(scene.external.made, 1);
    assert.equal(scene.annotations['crossplane.io/external-name'], 'assigned-1');
    assert.equal(scene.condition('Synced'), 'True/ReconcileSuccess');
    const { resourceVersion } = scene.object?.metadata ?? {};
    await settle(scene);
    assert.equal(scene.object?.metadata.resourceVersion, resourceVersion);
  });
  test('assigned names: a recorded name stays, whatever is found', async () => {
    const scene = begin('assigned')();
    await settle(scene);
    scene.external.observation = { externalName: 'another' };
    await settle(scene);
    assert.equal(scene.annotations['crossplane.io/external-name'], 'assigned-1');
  });
  test('a run that is aborted during the creation does not record a failure', async () => {
    const scene = begin('assigned')();
    const abort = new AbortController();
    scene.external.after('create', () => {
      abort.abort(new Error('took too long'));
      throw abort.signal.reason;
    });
    await assert.rejects(scene.run(abort.signal), /the request was aborted/);
    assert.equal(scene.annotations['crossplane.io/external-create-failed'], undefined);
  });
});
