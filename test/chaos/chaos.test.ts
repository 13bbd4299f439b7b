import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { run } from './run.ts';
import type { World } from './world.ts';
import { startWorld } from './world.ts';

describe('a short run against real faults', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ seed: 1, pollInterval: '2s' });
  });
  after(() => world?.stop());

  test('of a cloud that is killed and one that is cut off: claims recover, and nothing is violated', async () => {
    const notes: string[] = [];
    const { faults, rounds, violations, lives } = await run(world, {
      claims: 4,
      minutes: 0.05,
      seed: 1,
      only: ['SIGKILL other', 'cut favourite'],
      quietSeconds: 0,
      note: (text) => notes.push(text),
    });
    assert.deepEqual(violations, [], notes.join('\n'));
    assert.ok(rounds > 0 && faults.length >= rounds);
    assert.ok(faults.every(({ recoveryMs }) => recoveryMs !== undefined));
    assert.equal(lives.length, 2, 'neither replica ended');
  });
});
