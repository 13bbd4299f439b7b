import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { prepareRules, rulesSupport } from '../../../local/control-plane/definitions-server-binary.ts';
import { emptyProgram, executable, machine } from '../machine.ts';

const day = 24 * 60 * 60 * 1_000;

/** A machine with a kube-apiserver of that version. */
async function serverMachine(t: TestContext, version: string) {
  const { home, preparation, state } = await machine(t, { 'apiextensions-apiserver': emptyProgram });
  const directory = join(home, 'servers');
  await mkdir(directory);
  await writeFile(join(directory, 'kube-apiserver'), `#!/bin/sh\necho 'Kubernetes ${version}'\n`, executable);
  const environment = { XDG_CACHE_HOME: home };
  const time = { nowMs: 0 };
  return {
    state,
    time,
    requests: () => state.requests,
    support: () => rulesSupport({ directory }, environment),
    prepare: () => prepareRules({ directory }, { environment, ...preparation, now: () => time.nowMs }),
  };
}

describe('the server that enforces rules', () => {
  for (const version of ['v1.28.0', 'v1.36.4']) {
    test(`kube-apiserver ${version} itself: nothing is built`, async (t) => {
      const { prepare, requests } = await serverMachine(t, version);
      assert.deepEqual(await prepare(), { by: 'itself' });
      assert.equal(requests(), 0);
    });
  }

  test('before 1.28 a definitions server beside it, which is built once', async (t) => {
    const { prepare, support, requests } = await serverMachine(t, 'v1.27.16');
    const before = await support();
    assert.deepEqual(before, {
      by: 'none',
      reason: 'there is no definitions server; npm run control-plane gets one',
    });
    assert.equal((await prepare()).by, 'definitions server');
    assert.deepEqual(await prepare(), await support());
    assert.equal(requests(), 1);
  });

  for (const [what, given] of Object.entries({
    'cannot be built': { failure: 'unstable has moved', isBroken: false },
    'does not work': { failure: undefined, isBroken: true },
  })) {
    test(`a server that ${what} is an answer with its reason, and is tried again after a day`, async (t) => {
      const { prepare, support, requests, state, time } = await serverMachine(t, 'v1.20.2');
      Object.assign(state, given);
      const first = await prepare();
      assert.ok(first.by === 'none');
      assert.match(first.reason, new RegExp(given.failure ?? 'it does not refuse'));
      assert.doesNotMatch(first.reason, /\n/);
      time.nowMs = day - 1;
      assert.deepEqual(await prepare(), first);
      assert.equal(requests(), 1);
      time.nowMs = day;
      Object.assign(state, { failure: undefined, isBroken: false });
      assert.equal((await prepare()).by, 'definitions server');
      assert.equal((await support()).by, 'definitions server');
      assert.equal(requests(), 2);
    });
  }
});
