import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import {
  controllerManagerSupport,
  prepareControllerManager,
} from '../../../local/control-plane/controller-manager-binary.ts';
import { emptyProgram, executable, machine } from '../machine.ts';

const program = 'kube-controller-manager';

async function managerMachine(t: TestContext, assets: readonly string[]) {
  const { home, preparation, state } = await machine(t, { [program]: emptyProgram });
  const directory = join(home, 'assets');
  await mkdir(directory);
  for (const name of assets) await writeFile(join(directory, name), emptyProgram, executable);
  const environment = { XDG_CACHE_HOME: home, KUBEBUILDER_ASSETS: directory };
  return {
    directory,
    state,
    support: () => controllerManagerSupport(environment),
    prepare: () => prepareControllerManager({ directory }, { environment, ...preparation }),
  };
}

test('a kube-controller-manager in KUBEBUILDER_ASSETS is used, and nothing is built', async (t) => {
  const { prepare, directory, state } = await managerMachine(t, [program]);
  assert.deepEqual(await prepare(), { by: 'assets', path: join(directory, program) });
  assert.equal(state.requests, 0);
});

test('without one in KUBEBUILDER_ASSETS its controllers are built once', async (t) => {
  const { prepare, support, state } = await managerMachine(t, []);
  const before = await support();
  assert.ok(before.by === 'none' && before.reason.includes('prepare.ts'));
  const built = await prepare();
  assert.equal(built.by, 'build');
  assert.deepEqual([await prepare(), await support()], [built, built]);
  assert.equal(state.requests, 1);
});

test('controllers that cannot be built are a reason', async (t) => {
  const { prepare, support, state } = await managerMachine(t, []);
  state.failure = 'Debian has moved';
  const reason = { by: 'none', reason: 'Debian has moved' };
  assert.deepEqual([await prepare(), await support()], [reason, reason]);
});
