import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestFirst } from '../../../../apis/core/v1alpha1/likeness.ts';

test('the name that a user mistyped comes first, and then the others by likeness and name', () => {
  const names = ['aurora', 'big', 'large', 'medium', 'small', 'smaller', 'tiny'];
  assert.deepEqual(nearestFirst('samll', names, String).slice(0, 3), ['small', 'smaller', 'aurora']);
  assert.deepEqual(nearestFirst('xyz', ['b', 'a'], String), ['a', 'b']);
});
