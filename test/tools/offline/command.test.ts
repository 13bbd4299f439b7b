import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { textProgress } from '../../../local/text-progress.ts';
import { CommandError, runCommand } from '../../../tools/offline/command.ts';
import { isRunning, processIdentity } from '../../../tools/offline/process-identity.ts';
import { temporaryFolder } from '../../local/temporary-folder.ts';

const MODULE = JSON.stringify(new URL('../../../tools/offline/command.ts', import.meta.url).href);

async function settings(t: TestContext) {
  const directory = await temporaryFolder(t);
  const options = {
    logPath: join(directory, 'logs/step.log'),
    pidDirectory: join(directory, 'pids'),
    env: { PATH: process.env.PATH },
  };
  return { directory, options };
}

test('a command that works leaves its whole output in the log', async (t) => {
  const { options } = await settings(t);
  await runCommand('sh', ['-c', 'echo out; echo err >&2'], options);
  assert.deepEqual((await readFile(options.logPath, 'utf8')).split('\n').toSorted(), [
    '',
    '$ sh -c echo out; echo err >&2',
    'err',
    'out',
  ]);
});

test('a command that fails names its log and shows the last 20 lines', async (t) => {
  const { options } = await settings(t);
  await assert.rejects(runCommand('sh', ['-c', 'seq 1 100; exit 3'], options), (error) => {
    assert.ok(error instanceof CommandError);
    assert.equal(error.logPath, options.logPath);
    const [first = '', ...lines] = error.message.split('\n');
    assert.match(first, /^sh ended by code 3; log: /);
    assert.ok(first.endsWith(options.logPath));
    const last = lines;
    assert.deepEqual(
      last,
      Array.from({ length: 20 }, (_, index) => String(index + 81)),
    );
    return true;
  });
});

test('a command that does not exist is an error of the same kind', async (t) => {
  const { options } = await settings(t);
  await assert.rejects(runCommand('no-such-command', [], options), CommandError);
});

test('when this process is killed, the command ends with everything it started', async (t) => {
  const { directory, options } = await settings(t);
  const script = `sleep 600 & echo $! > ${directory}/grandchild; wait`;
  const program = `
    import { runCommand } from ${MODULE};
    await runCommand('sh', ['-c', ${JSON.stringify(script)}], ${JSON.stringify(options)});
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' });
  const file = join(directory, 'grandchild');
  let pid = 0;
  // The reaper acts on the note of the process number, which is written after the start.
  const isNoted = () => existsSync(join(options.pidDirectory, 'command.pid'));
  while (pid === 0 || !isNoted()) {
    await sleep(10);
    pid = Number(await readFile(file, 'utf8').catch(() => 0));
  }
  const grandchild = await processIdentity(pid);
  assert.equal(await isRunning(grandchild), true);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  for (let tries = 0; tries < 1500 && (await isRunning(grandchild)) === true; tries++) await sleep(10);
  assert.equal(await isRunning(grandchild), false);
});

test('a long step gives signs of life and says how long it took', async () => {
  const lines: string[] = [];
  let now = 0;
  const progress = textProgress({ write: (line) => lines.push(line), now: () => now, heartbeatMs: 20 });
  const { promise, resolve } = Promise.withResolvers<string>();
  const step = progress.step('build it', () => promise);
  now = 15_000;
  while (lines.length < 2) await sleep(5);
  now = 90_500;
  resolve('built');
  assert.equal(await step, 'built');
  assert.equal(lines[0], 'control plane: build it ...');
  assert.equal(lines[1], 'control plane: build it: still working (15.0 s)');
  assert.equal(lines.at(-1), 'control plane: build it: done (90.5 s)');
});

test('a failed step is reported, and its error names the step', async () => {
  const lines: string[] = [];
  const progress = textProgress({ write: (line) => lines.push(line), now: () => 0 });
  const boom = new Error('boom');
  const step = progress.step('build it', () => Promise.reject(boom));
  await assert.rejects(step, { name: 'Error', message: 'cannot build it: boom', cause: boom });
  assert.deepEqual(lines, ['control plane: build it ...', 'control plane: build it: failed (0.0 s)']);
});
