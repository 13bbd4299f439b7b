import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLruMap } from '../../../runtime/client/lru-map.ts';

describe('LRU map', () => {
  test('forgets what was not used for longest', () => {
    const map = createLruMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    assert.equal(map.get('a'), 1);
    map.set('c', 3);
    assert.deepEqual([map.get('a'), map.get('b'), map.get('c'), map.size], [1, undefined, 3, 2]);
  });

  test('setting counts as use, of the same key too', () => {
    const map = createLruMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 10);
    map.set('c', 3);
    assert.deepEqual([map.get('a'), map.get('b')], [10, undefined]);
  });

  test('a deleted entry makes room', () => {
    const map = createLruMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.delete('a');
    map.set('c', 3);
    assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [undefined, 2, 3]);
  });

  test('never holds more than its capacity', () => {
    const map = createLruMap<number, number>(100);
    for (let key = 0; key < 10_000; key += 1) map.set(key, key);
    assert.equal(map.size, 100);
  });
});
