import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mergePatch } from '../../../runtime/cache/merge-patch.ts';
import { merged } from '../../../testing/merged.ts';

const cases: Record<string, { from: object; to: object; want: object | undefined }> = {
  'equal objects need no patch': {
    from: { a: 1, b: { c: [1] } },
    to: { b: { c: [1] }, a: 1 },
    want: undefined,
  },
  'a changed value': { from: { a: 1 }, to: { a: 2 }, want: { a: 2 } },
  'a new key': { from: {}, to: { a: { b: 1 } }, want: { a: { b: 1 } } },
  'a removed key becomes null': { from: { a: 1, b: 2 }, to: { b: 2 }, want: { a: null } },
  'an undefined key is absent': { from: { a: 1 }, to: { a: undefined }, want: { a: null } },
  'undefined on both sides is equal': { from: { a: undefined }, to: {}, want: undefined },
  'a null key is absent': { from: { a: null }, to: {}, want: undefined },
  'a wanted null removes': { from: { a: 1 }, to: { a: null }, want: { a: null } },
  'a wanted null that is absent is no change': { from: {}, to: { a: null }, want: undefined },
  'nulls inside a new object are left out': { from: {}, to: { a: { b: null, c: 1 } }, want: { a: { c: 1 } } },
  'only what differs inside': {
    from: { a: { b: 1, c: 2 } },
    to: { a: { b: 1, c: 3 } },
    want: { a: { c: 3 } },
  },
  'arrays are replaced whole': { from: { a: [1, 2] }, to: { a: [1, 3] }, want: { a: [1, 3] } },
  'arrays of equal objects are equal': {
    from: { a: [{ x: 1, y: 2 }] },
    to: { a: [{ y: 2, x: 1 }] },
    want: undefined,
  },
  'a shorter array differs': { from: { a: [1, 2] }, to: { a: [1] }, want: { a: [1] } },
  'an empty array is not an absent one': { from: {}, to: { a: [] }, want: { a: [] } },
  'an empty object is not an absent one': { from: {}, to: { a: {} }, want: { a: {} } },
  'an object replaces a value': { from: { a: 1 }, to: { a: { b: 1 } }, want: { a: { b: 1 } } },
  'a value replaces an object': { from: { a: { b: 1 } }, to: { a: 'x' }, want: { a: 'x' } },
  'an array replaces an object': { from: { a: { 0: 'x' } }, to: { a: ['x'] }, want: { a: ['x'] } },
  'keys that every object of JavaScript has are new, changed and removed like others': {
    from: JSON.parse('{"constructor":"a","toString":"a","valueOf":"a"}'),
    to: JSON.parse('{"__proto__":"b","toString":"b","hasOwnProperty":"b","valueOf":"a"}'),
    want: JSON.parse('{"constructor":null,"__proto__":"b","toString":"b","hasOwnProperty":"b"}'),
  },
  'a changed __proto__': {
    from: JSON.parse('{"data":{"__proto__":"a"}}'),
    to: JSON.parse('{"data":{"__proto__":"b"}}'),
    want: JSON.parse('{"data":{"__proto__":"b"}}'),
  },
  'a removed __proto__': {
    from: JSON.parse('{"data":{"__proto__":{"a":1}}}'),
    to: { data: {} },
    want: JSON.parse('{"data":{"__proto__":null}}'),
  },
  'falsy values are values': {
    from: { a: 0, b: '', c: false },
    to: { a: false, b: 0, c: '' },
    want: { a: false, b: 0, c: '' },
  },
};

describe('mergePatch', () => {
  for (const [name, { from, to, want }] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(mergePatch(from, to), want));
  }

  test('applying the patch gives what was wanted, for any two documents', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor((seed / 2147483648) * below);
    };
    const keys = ['k0', 'k1', 'k2', 'k3', '__proto__', 'constructor'] as const;
    const document = (depth: number): unknown => {
      switch (depth === 0 ? random(3) : random(5)) {
        case 0:
          return random(3);
        case 1:
          return `s${random(3)}`;
        case 2:
          return Array.from({ length: random(3) }, () => random(2));
        default:
          return Object.fromEntries(
            Array.from({ length: random(4) }, () => [keys[random(keys.length)], document(depth - 1)]),
          );
      }
    };
    let changes = 0;
    for (let run = 0; run < 2000; run += 1) {
      const from = { root: document(4) };
      const to = { root: document(4) };
      const patch = mergePatch(from, to);
      if (patch !== undefined) changes += 1;
      assert.deepEqual(merged(from, patch ?? {}), to);
      assert.equal(mergePatch(to, structuredClone(to)), undefined);
    }
    assert.ok(changes > 1000);
  });
});
