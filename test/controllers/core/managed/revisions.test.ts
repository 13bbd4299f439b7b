import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import { available } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails } from '../../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../../../apis/core/v1alpha1/secret.ts';
import { renewalGraceMs } from '../../../../controllers/core/managed/renewals.ts';
import { createRevisions } from '../../../../controllers/core/managed/revisions.ts';
import { conflict } from '../cluster-fake.ts';
import { Scene, secretKey } from '../managed-scene.ts';
import { managed, managedKind } from '../objects.ts';

const elsewhere = { ...secretKey, name: 'elsewhere' };
const db = { name: 'db' };

/** A database that has published its first password, `made-at-creation-1`. */
async function published(spec: Managed['spec'] = {}): Promise<Scene> {
  const scene = new Scene({ forProvider: { size: 1 }, ...spec });
  scene.external.isDiscreet = true;
  await scene.run();
  await scene.run();
  assert.equal(scene.secret?.password, 'made-at-creation-1');
  return scene;
}

const publishNowhere = (scene: Scene): unknown =>
  scene.cluster.edit(managedKind, db, ({ spec: { writeConnectionSecretToRef: _, ...spec }, ...found }) => ({
    ...found,
    spec,
  }));

const publishTo = (scene: Scene, to: typeof secretKey): unknown =>
  scene.cluster.edit(managedKind, db, (found) => ({
    ...found,
    spec: { ...found.spec, writeConnectionSecretToRef: to },
  }));

/** Takes away what the secret says was published there, and puts these details in the place of those. */
const loseRecord = (scene: Scene, details?: ConnectionDetails): unknown =>
  scene.cluster.edit(SecretKind, secretKey, ({ metadata: { annotations: _, ...metadata }, ...rest }) => ({
    ...rest,
    metadata,
    ...(details && { data: encodeDetails(details) }),
  }));

/** What is in its secret works, and it says so. */
function assertWorks(scene: Scene): void {
  assert.equal(scene.secret?.password, scene.external.things.get('db')?.password);
  assert.equal(scene.condition('Ready'), 'True/Available');
}

/** A run that sets another password, of which no status tells. */
async function changeUntold(scene: Scene): Promise<void> {
  const isConflicting = scene.cluster.gate;
  const updates = scene.external.count('update');
  scene.cluster.gate = ({ verb }) => {
    if (verb === 'updateStatus' && scene.external.count('update') > updates) throw conflict();
  };
  await assert.rejects(scene.run());
  scene.cluster.gate = isConflicting;
}

describe('a secret that was left out when details changed is not believed', () => {
  test('once the resource publishes there again', async () => {
    const scene = await published();
    publishTo(scene, elsewhere);
    await scene.run();
    assert.equal(scene.external.things.get('db')?.password, 'made-at-update-2');
    publishTo(scene, secretKey);
    await scene.run();
    assert.equal(scene.secret?.password, 'made-at-update-3');
    assertWorks(scene);
  });

  test('also where the status could not be told that they had', async () => {
    const scene = await published();
    publishTo(scene, elsewhere);
    await changeUntold(scene);
    publishTo(scene, secretKey);
    await scene.run();
    assertWorks(scene);
  });

  test('also where it is told only when the resource publishes nowhere, and the process ends', async () => {
    const scene = await published();
    publishTo(scene, elsewhere);
    await changeUntold(scene);
    publishNowhere(scene);
    await scene.run();
    scene.restart();
    publishTo(scene, secretKey);
    await scene.run();
    assertWorks(scene);
  });

  /** It publishes there, and ends before it can write the status. */
  async function endUntold(scene: Scene): Promise<void> {
    scene.cluster.gate = ({ verb }) => {
      if (verb === 'updateStatus' && scene.secret?.password !== undefined) throw conflict();
    };
    await assert.rejects(scene.run());
    assert.notEqual(scene.secret?.password, undefined);
    scene.cluster.gate = () => {};
    scene.restart();
  }
  /** Has it publish elsewhere, as long as that takes, and there again. */
  async function leadAround(scene: Scene): Promise<void> {
    for (const place of [elsewhere, secretKey]) {
      publishTo(scene, place);
      await scene.run();
      scene.cluster.clockMs += renewalGraceMs;
      await scene.run();
    }
    assertWorks(scene);
  }

  test('nor where who made it had published there, and told nobody', async () => {
    const scene = new Scene({ forProvider: { size: 1 } });
    scene.external.isDiscreet = true;
    await endUntold(scene);
    await leadAround(scene);
  });

  test('nor where who was about to set others had published them there, and told nobody', async () => {
    const scene = await published();
    scene.cluster.delete(SecretKind, secretKey);
    await endUntold(scene);
    await leadAround(scene);
  });

  test('nor is one that no longer says what was published there', async () => {
    const scene = await published();
    loseRecord(scene, { password: 'guessed' });
    await scene.run();
    assertWorks(scene);
  });
});

describe('a secret that is named again is not believed', () => {
  /** What is made is named nowhere; deletes it outside, and has it made anew. */
  async function lost(): Promise<Scene> {
    const scene = await published();
    publishNowhere(scene);
    scene.external.things.delete('db');
    scene.external.observation = { isUpToDate: true };
    return scene;
  }
  async function named(scene: Scene): Promise<void> {
    scene.external.observation = {};
    publishTo(scene, secretKey);
    await scene.run();
    assertWorks(scene);
  }

  test('where its resource was made anew while it was published nowhere', async () => {
    const scene = await lost();
    await scene.run();
    assert.equal(scene.object?.status?.publishedRevision, 2);
    assert.equal(scene.external.things.get('db')?.password, 'made-at-creation-2');
    await scene.run();
    assert.equal(scene.object?.status?.publishedRevision, 2);
    await named(scene);
  });

  test('nor where the process was killed as it was made', async () => {
    const scene = await lost();
    await new Promise<void>((killed) => {
      scene.external.afterCall = (method) => {
        if (method !== 'create') return undefined;
        killed();
        return new Promise(() => {});
      };
      void scene.run();
    });
    scene.external.afterCall = () => {};
    scene.restart();
    await named(scene);
  });

  test('and is outdated once, however often that is refused, and however many processes begin', async () => {
    const scene = await lost();
    scene.external.gate = (method) => {
      if (method === 'create') throw new Error('this cannot be made');
    };
    await scene.run();
    const version = scene.object?.metadata.resourceVersion;
    assert.equal(scene.object?.status?.publishedRevision, 2);
    for (const _run of [1, 2]) await scene.run();
    scene.restart();
    await scene.run();
    assert.equal(scene.object?.metadata.resourceVersion, version);
  });

  test('nor where it is made anew nowhere once more, after it was published elsewhere', async () => {
    const scene = await lost();
    await scene.run();
    scene.external.observation = {};
    publishTo(scene, elsewhere);
    await scene.run();
    assert.equal(scene.object?.status?.publishedRevision, 4);
    publishNowhere(scene);
    scene.external.things.delete('db');
    scene.external.observation = { isUpToDate: true };
    await scene.run();
    assert.equal(scene.object?.status?.publishedRevision, 5);
    scene.external.observation = {};
    publishTo(scene, elsewhere);
    await scene.run();
    const password = decodeDetails(scene.cluster.get(SecretKind, elsewhere)).password;
    assert.equal(password, scene.external.things.get('db')?.password);
    publishTo(scene, secretKey);
    await scene.run();
    assertWorks(scene);
  });

  describe('by what is offered to another while it is published nowhere', () => {
    /** `toldCredentials` is what is on record of what its claim was told. */
    async function offeredNowhere(toldCredentials?: string): Promise<Scene> {
      const scene = await published();
      publishNowhere(scene);
      scene.cluster.edit(managedKind, db, ({ status, metadata, ...found }) => ({
        ...found,
        metadata: { ...metadata, annotations: { ...metadata.annotations, 'crossplane.io/reoffer': 'true' } },
        status: {
          ...omit(status, 'toldCredentials'),
          bindingPhase: 'Released' as const,
          ...(toldCredentials !== undefined && { toldCredentials }),
        },
      }));
      scene.external.observation = { isUpToDate: true, ready: available() };
      await scene.run();
      return scene;
    }

    test('which waits until it is published, and has another', async () => {
      const scene = await offeredNowhere('{"password":"xy"}');
      assert.equal(scene.object?.status?.bindingPhase, 'Released');
      await named(scene);
      assert.equal(scene.object?.status?.bindingPhase, 'Unbound');
      assert.notEqual(scene.secret?.password, 'made-at-creation-1');
    });

    test('nor where nothing is on record of what its claim was told', async () => {
      const scene = await offeredNowhere();
      assert.equal(scene.object?.status?.bindingPhase, 'Unbound');
      await named(scene);
      assert.notEqual(scene.secret?.password, 'made-at-creation-1');
    });
  });
});

describe('where no new password may be set', () => {
  const spec: Managed['spec'] = { managementPolicies: ['Observe', 'Create', 'Delete'] };

  test('the first one counts once the resource publishes there again', async () => {
    const scene = await published(spec);
    publishTo(scene, elsewhere);
    await scene.run();
    assert.equal(scene.condition('Ready'), 'False/Unavailable: password unknown');
    publishTo(scene, secretKey);
    await scene.run();
    assertWorks(scene);
  });

  test('one that was lost stays lost', async () => {
    const scene = await published(spec);
    loseRecord(scene, { password: 'guessed' });
    for (let times = 1; times <= 3; times += 1) {
      await scene.run();
      assert.equal(scene.condition('Ready'), 'False/Unavailable: password unknown');
    }
  });
});

describe('revisions are counted', () => {
  test('with each change of the details, in the secret and in the status, and by no write of its own', async () => {
    const scene = await published();
    const revision = () => [
      scene.cluster.get(SecretKind, secretKey)?.metadata.annotations?.['crossplane.io/published-revision'],
      scene.object?.status?.publishedRevision,
    ];
    assert.deepEqual(revision(), ['1', 1]);
    const { length } = scene.cluster.writes;
    scene.restart();
    await scene.run();
    assert.equal(scene.cluster.writes.length, length);
    scene.cluster.delete(SecretKind, secretKey);
    await scene.run();
    assert.deepEqual(revision(), ['3', 3]);
  });

  test('not of details that an earlier version published', async () => {
    const scene = await published();
    loseRecord(scene);
    scene.cluster.edit(managedKind, db, ({ status: { publishedRevision: _, ...status } = {}, ...rest }) => ({
      ...rest,
      status,
    }));
    scene.restart();
    const { length } = scene.cluster.writes;
    await scene.run();
    assert.equal(scene.cluster.writes.length, length);
    assertWorks(scene);
  });

  test('not for as long as new credentials cannot be set', async () => {
    const scene = await published();
    scene.cluster.delete(SecretKind, secretKey);
    scene.external.gate = (method) => {
      if (method === 'update') throw new Error('the cloud is busy');
    };
    await scene.run();
    const { length } = scene.cluster.writes;
    for (let times = 1; times <= 3; times += 1) await scene.run();
    assert.equal(scene.cluster.writes.length, length);
  });

  for (const text of ['999999999', '1000000000', '-1', '1e3', '']) {
    test(`and an edit of the number to "${text}" has new credentials set once at most`, async () => {
      const scene = await published();
      scene.cluster.edit(SecretKind, secretKey, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: {
          ...metadata,
          annotations: { ...metadata.annotations, 'crossplane.io/published-revision': text },
        },
      }));
      await scene.run();
      scene.cluster.delete(SecretKind, secretKey);
      await scene.run();
      assertWorks(scene);
      const { length } = scene.cluster.writes;
      for (let times = 1; times <= 3; times += 1) await scene.run();
      assert.equal(scene.cluster.writes.length, length);
      assert.ok(scene.external.count('update') <= 2);
    });
  }

  test('not where nothing is published', async () => {
    const scene = new Scene({ forProvider: { size: 1 }, writeConnectionSecretToRef: undefined } as never);
    await scene.run();
    assert.equal(scene.object?.status?.publishedRevision, undefined);
  });
});

test('the newest revision is what the status says, or what was published and could not be told yet', () => {
  const at = (publishedRevision?: number): Managed =>
    managed({}, { status: publishedRevision === undefined ? {} : { publishedRevision } });
  const revisions = createRevisions();
  assert.equal(revisions.newest(at()), 0);
  assert.equal(revisions.newest(at(3)), 3);
  revisions.published(at(3), 4);
  assert.equal(revisions.newest(at(3)), 4);
  assert.equal(revisions.newest(at(5)), 5);
  assert.equal(revisions.newest(at(3)), 3, 'it need not be remembered any more');
});
