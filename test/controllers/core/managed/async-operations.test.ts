import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { objectKeyText } from '../../../../apis/core/v1alpha1/kind.ts';
import { createOperationTracker } from '../../../../controllers/core/managed/async-operations.ts';
import { managed } from '../objects.ts';

const object = managed();
const another = managed({}, { uid: 'another-uid' });
const key = { name: 'db' };

/** A tracker, and the objects whose operations have settled. */
function tracking() {
  const tracker = createOperationTracker();
  const settled: string[] = [];
  tracker.settled$.subscribe((request) => settled.push(objectKeyText(request)));
  return { tracker, settled };
}

/** Long enough for whoever waits for a promise that has settled. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('operations that outlive a run', () => {
  const outcomes: Record<string, { operation: () => Promise<unknown>; outcome: object }> = {
    'that succeed bring what they yield': {
      operation: () => Promise.resolve({ externalName: 'n' }),
      outcome: { state: 'succeeded', result: { externalName: 'n' } },
    },
    'that yield nothing succeed': {
      operation: () => Promise.resolve(),
      outcome: { state: 'succeeded', result: {} },
    },
    'that fail say why': {
      operation: () => Promise.reject(new Error('quota exceeded')),
      outcome: { state: 'failed', error: new Error('quota exceeded') },
    },
  };
  for (const [name, { operation, outcome }] of Object.entries(outcomes)) {
    test(`${name}, and wake their object`, async () => {
      const { tracker, settled } = tracking();
      tracker.track(object, 'create', operation());
      assert.deepEqual(tracker.get(object), { type: 'create', outcome: { state: 'ongoing' } });
      assert.deepEqual(settled, []);
      await turn();
      assert.deepEqual(tracker.get(object), { type: 'create', outcome });
      assert.deepEqual(settled, ['db']);
    });
  }

  test('are those of one object, not of another that has its name', () => {
    const { tracker } = tracking();
    tracker.track(object, 'update', new Promise(() => {}));
    assert.equal(tracker.get(another), undefined);
  });

  test('are forgotten, and then their end wakes nobody', async () => {
    const { tracker, settled } = tracking();
    tracker.track(object, 'update', Promise.resolve());
    tracker.forget(key);
    await turn();
    assert.deepEqual([tracker.get(object), settled], [undefined, []]);
  });

  test('are forgotten once recorded, unless another has begun since', () => {
    const { tracker } = tracking();
    tracker.track(object, 'create', new Promise(() => {}));
    const first = tracker.get(object);
    tracker.track(object, 'update', new Promise(() => {}));
    const second = tracker.get(object);
    tracker.forget(key, first);
    assert.equal(tracker.get(object), second);
    tracker.forget(key, second);
    assert.equal(tracker.get(object), undefined);
  });
});
