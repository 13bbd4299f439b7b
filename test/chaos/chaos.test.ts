import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { run } from './run.ts';
import type { World } from './world.ts';
import { startWorld } from './world.ts';

const main = join(import.meta.dirname, 'main.ts');

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

describe('the command', () => {
  for (const [args, message] of [
    [['--claims', 'many'], /^--claims: "many"/],
    [['--only', 'earthquake'], /^--only: .*earthquake/],
  ] as const) {
    test(`${args.join(' ')} ends it with 2 and a message that names the flag`, async () => {
      const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
      let told = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        told += text;
      });
      const [code] = await once(child, 'close');
      assert.equal(code, 2);
      assert.match(told, message);
    });
  }
});
