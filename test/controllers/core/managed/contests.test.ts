import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { secretPublisher } from '../../../../controllers/core/connection/connection-publisher.ts';
import { connectionSecrets } from '../../../../controllers/core/indexes.ts';
import { createContests } from '../../../../controllers/core/managed/contests.ts';
import { unsettled } from '../../../../runtime/controller/reconcile.ts';
import { testClock } from '../../../../testing/test-clock.ts';
import { finalizers, Scene } from '../managed-scene.ts';
import { managed } from '../objects.ts';

describe('how long another process that has set credentials at the same time is left to set others', () => {
  const [firstMs, minuteMs] = [3_000, 60_000];
  const rows: Record<
    string,
    { lostAtMs: readonly number[]; askedAtMs: number; random?: number; is: number }
  > = {
    'not at all where nobody has': { lostAtMs: [], askedAtMs: 0, is: 0 },
    'for 3 s': { lostAtMs: [0], askedAtMs: 0, is: firstMs },
    'and up to as long again, by chance': { lostAtMs: [0], askedAtMs: 0, random: 0.5, is: 1.5 * firstMs },
    'until they are over': { lostAtMs: [0], askedAtMs: 2_000, is: 1_000 },
    'and no longer': { lostAtMs: [0], askedAtMs: 3_001, is: 0 },
    'twice as long each time': { lostAtMs: [0, 4_000, 11_000], askedAtMs: 11_000, is: 4 * firstMs },
    'for a minute at most': {
      lostAtMs: [0, 1, 2, 3, 4, 5, 6, 7].map((minutes) => minutes * minuteMs),
      askedAtMs: 7 * minuteMs,
      is: minuteMs,
    },
    'for 3 s again, 10 minutes after the last time': {
      lostAtMs: [0, 4_000, 15 * minuteMs],
      askedAtMs: 15 * minuteMs,
      is: firstMs,
    },
  };
  for (const [name, { lostAtMs, askedAtMs, random = 0, is }] of Object.entries(rows)) {
    test(name, async () => {
      const clock = testClock();
      const startedMs = clock.elapsedMs();
      const until = (atMs: number) => clock.advance(startedMs + atMs - clock.elapsedMs());
      const contests = createContests({ clock, random: () => random });
      for (const atMs of lostAtMs) {
        await until(atMs);
        contests.lost(managed());
      }
      await until(askedAtMs);
      assert.equal(contests.awaitedMs(managed()), is);
      assert.equal(contests.awaitedMs(managed({}, { uid: 'of another' })), 0);
    });
  }
});

describe('of two processes that set a password at a time, in a system that can be asked whether one works', () => {
  /** What another process does, which publishes a password that it has set. */
  async function publishElsewhere({ process: { env }, object }: Scene, password: string): Promise<void> {
    const publisher = secretPublisher(connectionSecrets(env));
    await publisher.publish(object ?? assert.fail(), { password }, new AbortController().signal);
  }

  /** This process has set one, and another one was published by then. */
  async function contested(): Promise<Scene> {
    const annotations = { 'crossplane.io/external-name': 'db' };
    const scene = new Scene({ forProvider: { size: 1 } }, { finalizers, annotations });
    const { external } = scene;
    external.put('db', { size: 1 }, 'lost');
    external.observation = { setsCredentials: false };
    external.afterCall = async (method) => {
      if (method !== 'update') return;
      external.afterCall = () => {};
      await publishElsewhere(scene, 'theirs');
    };
    await scene.run();
    return scene;
  }

  test('who publishes second says that neither counts, and leaves the other one to set a new one', async () => {
    const scene = await contested();
    const result = await scene.run();
    assert.deepEqual([scene.decision, scene.external.count('update')], ['CredentialsSetElsewhere', 1]);
    assert.deepEqual(result, unsettled(4_500));
    assert.equal(scene.condition('Ready'), 'False/Unavailable: password unknown');
  });

  test('which is used once it is there', async () => {
    const scene = await contested();
    scene.external.put('db', { size: 1 }, 'new');
    await publishElsewhere(scene, 'new');
    await scene.run();
    assert.deepEqual([scene.decision, scene.external.count('update')], ['UpToDate', 1]);
    assert.equal(scene.condition('Ready'), 'True/Available');
  });

  test('and does it itself if that has ended', async () => {
    const scene = await contested();
    scene.cluster.clockMs += 4_500;
    await scene.run();
    assert.deepEqual([scene.decision, scene.external.count('update')], ['Update', 2]);
    assert.equal(scene.secret?.password, scene.external.things.get('db')?.password);
    assert.equal(scene.condition('Ready'), 'True/Available');
  });
});
