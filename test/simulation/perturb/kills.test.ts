import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenBy, killsAfterWrites } from './kills.ts';

test('a kill after each write of an example applied ends as if there had been none', async () => {
  const kills = await killsAfterWrites();
  assert.ok(kills.length > 60, `${kills.length} points`);
  assert.deepEqual(await brokenBy(kills), []);
});
