import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { besideOneThatIsBeingDeleted } from '../deletion-under-way.ts';
import type { Scene } from '../managed-scene.ts';

const things = ({ external }: Scene): readonly string[] => [...external.things.keys()];

describe('while a call deletes what another resource had outside', () => {
  test('nothing is made under that name, and that is said', async () => {
    const { scene } = await besideOneThatIsBeingDeleted();
    await scene.run();
    assert.deepEqual(
      [scene.decision, things(scene), scene.object?.metadata.finalizers],
      ['AwaitOtherDeletion', [], undefined],
    );
    assert.equal(
      scene.condition('Ready'),
      'False/Creating: waiting until what another resource had under its name is deleted',
    );
  });

  const endings: Readonly<Record<string, Error | undefined>> = {
    'it is done': undefined,
    'it has failed': new Error('no route to cloud'),
  };
  for (const [name, error] of Object.entries(endings)) {
    test(`it is made once ${name}`, async () => {
      const { scene, end, ended } = await besideOneThatIsBeingDeleted();
      await scene.run();
      end(error);
      await ended;
      await scene.run();
      assert.deepEqual([scene.decision, things(scene)], ['CreateExternal', ['shared']]);
    });
  }

  test('what is in another system is made', async () => {
    const { scene } = await besideOneThatIsBeingDeleted({ system: 'https://a.example' });
    scene.external.system = 'https://b.example';
    await scene.run();
    assert.deepEqual([scene.decision, things(scene)], ['CreateExternal', ['shared']]);
  });

  test('what has another name is made', async () => {
    const { scene } = await besideOneThatIsBeingDeleted({ name: 'its-own' });
    await scene.run();
    assert.deepEqual([scene.decision, things(scene)], ['CreateExternal', ['its-own']]);
  });
});
