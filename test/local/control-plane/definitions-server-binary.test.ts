import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import type { BinarySource } from '../../../local/control-plane/binary-cache.ts';
import { prepareRules, rulesSupport } from '../../../local/control-plane/definitions-server-binary.ts';
import { textProgress } from '../../../local/control-plane/progress.ts';

const day = 24 * 60 * 60 * 1_000;
const quiet = textProgress({ write: () => {} });
const executable = { mode: 0o755 };

/** A machine with a kube-apiserver of that version, and a source that notes that it was asked. */
async function machine(t: TestContext, version: string) {
  const home = await mkdtemp(join(tmpdir(), 'definitions-server-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  const directory = join(home, 'servers');
  await mkdir(directory);
  await writeFile(join(directory, 'kube-apiserver'), `#!/bin/sh\necho 'Kubernetes ${version}'\n`, executable);
  const environment = { XDG_CACHE_HOME: home };
  let asked = 0;
  const state = { nowMs: 0, fails: false, isBroken: false };
  const source: BinarySource = {
    name: 'source',
    async produce({ target }) {
      asked += 1;
      if (state.fails) throw new Error('unstable has moved\nand more of it');
      await writeFile(join(target, 'apiextensions-apiserver'), '#!/bin/sh\n', executable);
    },
  };
  return {
    state,
    asked: () => asked,
    support: () => rulesSupport({ directory }, environment),
    prepare: () =>
      prepareRules(
        { directory },
        {
          environment,
          progress: quiet,
          sources: [source],
          prove: async () => {
            if (state.isBroken) throw new Error('it does not refuse');
          },
          now: () => state.nowMs,
        },
      ),
  };
}

describe('the server that enforces rules', () => {
  for (const version of ['v1.28.0', 'v1.36.4']) {
    test(`kube-apiserver ${version} itself: nothing is built`, async (t) => {
      const { prepare, asked } = await machine(t, version);
      assert.deepEqual(await prepare(), { by: 'itself' });
      assert.equal(asked(), 0);
    });
  }

  test('before 1.28 a definitions server beside it, which is built once', async (t) => {
    const { prepare, support, asked } = await machine(t, 'v1.27.16');
    const before = await support();
    assert.ok(before.by === 'nobody' && before.reason.includes('prepare.ts'));
    assert.equal((await prepare()).by, 'definitions server');
    assert.deepEqual(await prepare(), await support());
    assert.equal(asked(), 1);
  });

  for (const [what, given] of Object.entries({
    'cannot be built': { fails: true, isBroken: false, reason: /unstable has moved/ },
    'does not work': { fails: false, isBroken: true, reason: /it does not refuse/ },
  })) {
    test(`one that ${what} is an answer with its reason, and is tried again after a day`, async (t) => {
      const { prepare, support, asked, state } = await machine(t, 'v1.20.2');
      Object.assign(state, { fails: given.fails, isBroken: given.isBroken });
      const first = await prepare();
      assert.ok(first.by === 'nobody');
      assert.match(first.reason, given.reason);
      assert.doesNotMatch(first.reason, /\n/);
      state.nowMs = day - 1;
      assert.deepEqual(await prepare(), first);
      assert.equal(asked(), 1);
      state.nowMs = day;
      Object.assign(state, { fails: false, isBroken: false });
      assert.equal((await prepare()).by, 'definitions server');
      assert.equal((await support()).by, 'definitions server');
      assert.equal(asked(), 2);
    });
  }
});
