import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fullBucket, refilled } from '../../../runtime/time/token-bucket.ts';

describe('a token bucket', () => {
  const rate = { perSecond: 2, burst: 10 };
  const cases: Record<string, { readonly tokens: number; readonly nowMs: number; readonly want: number }> = {
    'earns with time': { tokens: 3, nowMs: 1_500, want: 4 },
    'pays its credit back': { tokens: -4, nowMs: 2_000, want: -2 },
    'holds no more than its burst': { tokens: 9, nowMs: 60_000, want: 10 },
    'earns nothing from a clock that went back': { tokens: 3, nowMs: 0, want: 3 },
  };
  for (const [name, { tokens, nowMs, want }] of Object.entries(cases)) {
    test(name, () =>
      assert.deepEqual(refilled({ tokens, atMs: 1_000 }, rate, nowMs), { tokens: want, atMs: nowMs }),
    );
  }
  test('begins full', () => assert.deepEqual(fullBucket(rate, 5), { tokens: 10, atMs: 5 }));
});
