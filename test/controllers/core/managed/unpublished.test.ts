import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConnectionDetails } from '../../../../apis/core/v1alpha1/secret.ts';
import { encodeDetails, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { createUnpublishedDetails } from '../../../../controllers/core/managed/unpublished.ts';
import { broken } from '../cluster-fake.ts';
import { Scene, secretKey } from '../managed-scene.ts';
import { managed } from '../objects.ts';

/** A resource whose secret can be read and not written. */
function unwritable(scene: Scene): void {
  scene.cluster.gate = ({ verb, kind }) => {
    if (kind === 'Secret' && (verb === 'create' || verb === 'update')) throw broken();
  };
}
function writable(scene: Scene): void {
  scene.cluster.gate = () => undefined;
}

/** Somebody writes a password of his own into the secret. */
const edit = (scene: Scene): void =>
  void scene.cluster.edit(SecretKind, secretKey, (secret) => ({
    ...secret,
    data: { ...secret.data, ...encodeDetails({ password: 'edited' }) },
  }));

const works = (scene: Scene): boolean =>
  scene.external.things.get('db')?.password !== undefined &&
  scene.external.things.get('db')?.password === scene.secret?.password;

describe('credentials that cannot be published are not set anew each time', () => {
  test('of what is created: it begins with the first', async () => {
    const scene = new Scene({ forProvider: { size: 1 } });
    unwritable(scene);
    for (let times = 1; times <= 3; times += 1) await scene.run();
    assert.deepEqual([scene.external.count('create'), scene.external.count('update')], [1, 0]);
    assert.match(scene.condition('Synced'), /^False\/ReconcileError: .*etcd is unavailable/);
    writable(scene);
    await scene.run();
    assert.equal(scene.external.count('update'), 0);
    assert.ok(works(scene));
    assert.equal(scene.condition('Ready'), 'True/Available');
  });

  for (const isDiscreet of [true, false]) {
    const what = isDiscreet ? 'that tells none' : 'that can be asked';
    test(`of what was lost, in a system ${what}: it is renewed once`, async () => {
      const scene = new Scene({ forProvider: { size: 1 } });
      scene.external.isDiscreet = isDiscreet;
      await scene.run();
      edit(scene);
      unwritable(scene);
      for (let times = 1; times <= 3; times += 1) {
        await scene.run();
        assert.equal(scene.external.count('update'), 1);
        assert.match(scene.condition('Ready'), /^False\/Unavailable: .*etcd is unavailable/);
      }
      writable(scene);
      await scene.run();
      assert.equal(scene.condition('Ready'), 'True/Available');
      assert.equal(scene.external.count('update'), 1);
      assert.ok(works(scene));
    });
  }

  test('of a secret that was written in the same run, without them: it is no other process that wrote it', async () => {
    const scene = new Scene({ forProvider: { size: 1 } });
    scene.external.isDiscreet = true;
    await scene.run();
    scene.cluster.delete(SecretKind, secretKey);
    scene.cluster.gate = ({ verb, kind }) => {
      if (kind === 'Secret' && verb === 'update') throw broken();
    };
    await scene.run();
    assert.deepEqual(Object.keys(scene.secret ?? {}), ['endpoint']);
    writable(scene);
    await scene.run();
    assert.equal(scene.external.count('update'), 1);
    assert.ok(works(scene));
  });

  test('another process sets others, for it knows of none', async () => {
    const scene = new Scene({ forProvider: { size: 1 } });
    unwritable(scene);
    await scene.run();
    writable(scene);
    scene.restart();
    await scene.run();
    assert.equal(scene.external.count('update'), 1);
    assert.ok(works(scene));
  });

  for (const isAnswered of [true, false]) {
    const how = isAnswered ? 'which the creation finds' : 'which the creation fails upon';
    test(`of what was lost since and made anew by another process, ${how}: they are renewed`, async () => {
      const scene = new Scene({ forProvider: { size: 1 } });
      const { external } = scene;
      external.isDiscreet = true;
      unwritable(scene);
      await scene.run();
      writable(scene);
      external.things.delete('db');
      // What password it was made with nobody tells.
      external.creation = { details: {} };
      external.afterCall = (method) => {
        if (method !== 'create') return;
        external.put('db', { size: 1 }, 'theirs');
        if (!isAnswered) throw broken();
      };
      await scene.run();
      assert.deepEqual([scene.secret?.password, external.count('update')], [undefined, 0]);
      await scene.run();
      assert.equal(external.count('update'), 1);
      assert.ok(works(scene));
    });
  }

  test('where another process has published its own meanwhile, they are renewed', async () => {
    const scene = new Scene({ forProvider: { size: 1 } });
    scene.external.isDiscreet = true;
    await scene.run();
    edit(scene);
    unwritable(scene);
    await scene.run();
    writable(scene);
    scene.cluster.edit(SecretKind, secretKey, ({ metadata, ...secret }) => ({
      ...secret,
      metadata: { ...metadata, annotations: { 'crossplane.io/published-revision': '2' } },
      data: { ...secret.data, ...encodeDetails({ password: 'theirs' }) },
    }));
    await scene.run();
    assert.equal(scene.external.count('update'), 2);
    assert.ok(works(scene));
  });
});

describe('what is recalled of what could not be published', () => {
  const before = { endpoint: 'a', password: 'old' };
  const rows: Record<
    string,
    { kept: ConnectionDetails; published: ConnectionDetails; recalled: ConnectionDetails | 'superseded' }
  > = {
    'the secrets, where nothing has been published since': {
      kept: { ...before, password: 'new' },
      published: before,
      recalled: { password: 'new' },
    },
    'nothing, where only addresses were to be published': {
      kept: { ...before, endpoint: 'b' },
      published: before,
      recalled: {},
    },
    'nothing, where they were written after all': {
      kept: { ...before, password: 'new' },
      published: { ...before, password: 'new' },
      recalled: {},
    },
    'that somebody else has published since': {
      kept: { ...before, password: 'new' },
      published: { ...before, password: 'theirs' },
      recalled: 'superseded',
    },
  };
  for (const [name, { kept, published, recalled }] of Object.entries(rows)) {
    test(name, () => {
      const unpublished = createUnpublishedDetails();
      unpublished.keep(managed(), kept, { details: before, revision: 1 });
      assert.deepEqual(unpublished.recall(managed(), published), recalled);
    });
  }

  test('of each resource its own, and nothing once it is published', () => {
    const unpublished = createUnpublishedDetails();
    const [one, other] = [managed({}, { uid: 'one' }), managed({}, { uid: 'other' })];
    unpublished.keep(one, { password: 'new' }, { details: {}, revision: 0 });
    assert.deepEqual(unpublished.recall(other, {}), {});
    assert.deepEqual(unpublished.recall(one, {}), { password: 'new' });
    unpublished.forget(one);
    assert.deepEqual(unpublished.recall(one, {}), {});
  });
});
