import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareNames } from '../../../../apis/core/v1alpha1/name-order.ts';

test('names are ordered by code points, as their UTF-8 bytes are, whatever a locale says', () => {
  const names = ['', 'A', 'a', 'a-b', 'aB', 'ab', 'abc', 'b', 'z', 'ä', '\ud83d\ude00', '\uffee', '10', '9'];
  const byBytes = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  assert.deepEqual(names.toReversed().toSorted(compareNames), byBytes);
  assert.deepEqual(
    names.map((name) => compareNames(name, name)),
    names.map(() => 0),
  );
});
