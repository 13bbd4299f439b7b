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

  test('the leader, PostgreSQL and a cloud are killed at the same time: claims recover, and nothing is violated', async () => {
    const notes: string[] = [];
    const { faults, violations, lives } = await run(world, {
      claims: 8,
      minutes: 0.05,
      // The first round of this seed has all three.
      seed: 30,
      only: ['SIGKILL leader', 'SIGKILL postgresql', 'SIGKILL other'],
      quietSeconds: 0,
      note: (text) => notes.push(text),
    });
    assert.deepEqual(violations, [], notes.join('\n'));
    assert.equal(faults.length, 3);
    assert.ok(faults.every(({ recoveryMs }) => recoveryMs !== undefined));
    assert.ok(lives.length > 2, 'the killed replica was started again');
  });
});
