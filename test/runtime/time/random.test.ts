import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../../../runtime/time/random.ts';

const draw = (seed: number, count: number): readonly number[] =>
  Array.from({ length: count }, seededRandom(seed));

describe('seeded chance', () => {
  test('the same seed draws the same, another one does not', () => {
    assert.deepEqual(draw(7, 50), draw(7, 50));
    assert.notDeepEqual(draw(7, 5), draw(8, 5));
  });
  test('draws are those of mulberry32', () =>
    assert.deepEqual(
      draw(1, 3).map((number) => number * 2 ** 32),
      [2693262067, 11749833, 2265367787],
    ));
  test('lies in [0, 1) and is spread evenly', () => {
    const buckets = new Array<number>(10).fill(0);
    for (const number of draw(42, 10_000)) {
      assert.ok(number >= 0 && number < 1);
      buckets[Math.floor(number * 10)]! += 1;
    }
    for (const count of buckets) assert.ok(Math.abs(count - 1000) < 120, `${buckets}`);
  });
});
