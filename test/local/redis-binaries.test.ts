import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import type { BinarySource } from '../../local/control-plane/binary-cache.ts';
import { textProgress } from '../../local/control-plane/progress.ts';
import { prepareRedis, redisSupport } from '../../local/redis-binaries.ts';

const quiet = textProgress({ write: () => {} });
const executable = { mode: 0o755 };

/** A machine with one folder in its search path, and a source that records each call. */
async function machine(t: TestContext) {
  const home = await mkdtemp(join(tmpdir(), 'redis-binaries-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  const environment = { XDG_CACHE_HOME: home, PATH: home };
  const state = { asked: 0, proved: 0, fails: false };
  const source: BinarySource = {
    name: 'source',
    async produce({ target }) {
      state.asked += 1;
      if (state.fails) throw new Error('no archive\nand more of it');
      for (const name of ['redis-server', 'redis-cli'])
        await writeFile(join(target, name), '#!/bin/sh\n', executable);
    },
  };
  return {
    home,
    state,
    support: () => redisSupport(environment),
    prepare: () =>
      prepareRedis({
        environment,
        progress: quiet,
        sources: [source],
        prove: async () => {
          state.proved += 1;
        },
      }),
  };
}

describe('a Redis', () => {
  test("is the machine's own if it has both programs: nothing is fetched", async (t) => {
    const { home, prepare, state } = await machine(t);
    for (const name of ['redis-server', 'redis-cli'])
      await writeFile(join(home, name), '#!/bin/sh\n', executable);
    assert.deepEqual(await prepare(), {
      by: 'machine',
      server: join(home, 'redis-server'),
      cli: join(home, 'redis-cli'),
    });
    assert.equal(state.asked, 0);
  });

  test('else it is fetched and proved once', async (t) => {
    const { prepare, support, state } = await machine(t);
    const before = await support();
    assert.ok(before.by === 'nobody' && before.reason.includes('prepare.ts'));
    assert.equal((await prepare()).by, 'debian');
    assert.deepEqual(await prepare(), await support());
    assert.deepEqual(state, { asked: 1, proved: 1, fails: false });
  });

  test('that cannot be had is an answer with its reason, and is not tried again at once', async (t) => {
    const { prepare, support, state } = await machine(t);
    state.fails = true;
    assert.deepEqual(await prepare(), { by: 'nobody', reason: 'no archive' });
    assert.deepEqual(await prepare(), await support());
    assert.equal(state.asked, 1);
  });
});
