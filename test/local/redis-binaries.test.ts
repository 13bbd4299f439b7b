import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { prepareRedis, redisSupport } from '../../local/redis-binaries.ts';
import { emptyProgram, executable, machine } from './machine.ts';

async function redisMachine(t: TestContext) {
  const programs = { 'redis-server': emptyProgram, 'redis-cli': emptyProgram };
  const { home, environment, preparation, state } = await machine(t, programs);
  return {
    home,
    state,
    support: () => redisSupport(environment),
    prepare: () => prepareRedis({ environment, ...preparation }),
  };
}

describe('a Redis', () => {
  test("is the machine's own if it has both programs: nothing is fetched", async (t) => {
    const { home, prepare, state } = await redisMachine(t);
    for (const name of ['redis-server', 'redis-cli'])
      await writeFile(join(home, name), emptyProgram, executable);
    assert.deepEqual(await prepare(), {
      by: 'machine',
      server: join(home, 'redis-server'),
      cli: join(home, 'redis-cli'),
    });
    assert.equal(state.requests, 0);
  });

  test('a Redis that is not installed is fetched and proved once', async (t) => {
    const { prepare, support, state } = await redisMachine(t);
    const before = await support();
    assert.ok(before.by === 'none' && before.reason.includes('prepare.ts'));
    assert.equal((await prepare()).by, 'debian');
    assert.deepEqual(await prepare(), await support());
    assert.deepEqual([state.requests, state.proved], [1, 1]);
  });

  test('that cannot be had is an answer with its reason, and is not tried again at once', async (t) => {
    const { prepare, support, state } = await redisMachine(t);
    state.failure = 'no archive';
    assert.deepEqual(await prepare(), { by: 'none', reason: 'no archive' });
    assert.deepEqual(await prepare(), await support());
    assert.equal(state.requests, 1);
  });
});
