import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../../../tools/offline/lock.ts';
import { isRunning, processIdentity } from '../../../tools/offline/process-identity.ts';
import { temporaryFolder } from '../../local/temporary-folder.ts';

const MODULE = JSON.stringify(new URL('../../../tools/offline/lock.ts', import.meta.url).href);

/** A process that takes the lock and runs `body`, in which `note(text)` appends to a shared file. */
function contender(directory: string, body: string) {
  const program = `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { withLock } from ${MODULE};
    const note = (text) => appendFileSync(${JSON.stringify(join(directory, 'notes'))}, text + '\\n');
    await withLock(${JSON.stringify(join(directory, 'work.lock'))}, async () => { ${body} }, { pollMs: 5 });
  `;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' });
}

async function notes(directory: string): Promise<string[]> {
  const text = await readFile(join(directory, 'notes'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

test('processes hold the lock one after the other', async (t) => {
  const directory = await temporaryFolder(t);
  const body =
    "for (const word of ['in', 'still in', 'out']) { note(process.pid + ' ' + word); await sleep(20); }";
  const children = [1, 2, 3, 4].map(() => contender(directory, body));
  for (const [code] of await Promise.all(children.map((child) => once(child, 'exit')))) assert.equal(code, 0);
  const lines = await notes(directory);
  assert.equal(lines.length, 12);
  for (let turn = 0; turn < 12; turn += 3) {
    const pid = lines[turn]?.split(' ')[0];
    assert.deepEqual(lines.slice(turn, turn + 3), [`${pid} in`, `${pid} still in`, `${pid} out`]);
  }
});

test('the lock of a killed process is taken over, and only one of many takes it', async (t) => {
  const directory = await temporaryFolder(t);
  const holder = contender(directory, "note('held'); await sleep(600_000);");
  while ((await notes(directory)).length === 0) await sleep(10);
  const waits: number[] = [];
  const takeOvers: number[] = [];
  let inside = 0;
  let most = 0;
  const runs = [1, 2, 3, 4, 5].map(() =>
    withLock(
      join(directory, 'work.lock'),
      async () => {
        most = Math.max(most, ++inside);
        await sleep(5);
        inside--;
      },
      { pollMs: 2, onWait: (pid) => waits.push(pid), onTakeOver: (pid) => takeOvers.push(pid) },
    ),
  );
  while (waits.length < 5) await sleep(5);
  assert.equal(inside, 0);
  assert.ok(holder.pid !== undefined);
  assert.deepEqual(waits, [holder.pid, holder.pid, holder.pid, holder.pid, holder.pid]);
  holder.kill('SIGKILL');
  await Promise.all(runs);
  assert.equal(most, 1);
  assert.deepEqual(takeOvers, [holder.pid]);
  assert.equal((await readdir(directory)).filter((name) => name.startsWith('work.lock')).length, 1);
});

test('work that fails gives the lock back and keeps its error', async (t) => {
  const path = join(await temporaryFolder(t), 'work.lock');
  const boom = new Error('boom');
  const failed = withLock(path, () => Promise.reject(boom));
  await assert.rejects(failed, boom);
  assert.equal(await withLock(path, async () => 'next'), 'next');
});

test('a holder on another machine is waited for while it gives signs of life, and not longer', async (t) => {
  const directory = await temporaryFolder(t);
  const path = join(directory, 'work.lock');
  const stranger = { machine: 'elsewhere', pid: 7, started: '1' };
  const events: string[] = [];
  const note = (text: string) => events.push(text);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const other = withLock(path, () => ended, { owner: stranger, silentMs: 600 });
  const file = join(directory, 'work.lock.1');
  while (!existsSync(file)) await sleep(5);
  // A sign of life is the time of the file.
  await utimes(file, 0, 0);
  while ((await stat(file)).mtimeMs === 0) await sleep(5);
  const ours = withLock(path, async () => note('ours'), {
    pollMs: 10,
    onWait: () => note('wait'),
    onTakeOver: () => note('take over'),
  });
  while (events.length === 0) await sleep(5);
  end();
  await other;
  await ours;
  assert.deepEqual(events, ['wait', 'ours']);

  await appendFile(join(directory, 'work.lock.9'), JSON.stringify({ token: 'silent', owner: stranger }));
  await withLock(path, async () => note('ours again'), {
    silentMs: 200,
    pollMs: 10,
    onTakeOver: (pid) => note(`take over ${pid}`),
  });
  assert.deepEqual(events.slice(2), ['take over 7', 'ours again']);
});

test('a process is told apart from a later one with its number', async () => {
  const own = await processIdentity();
  assert.equal(await isRunning(own), true);
  assert.equal(await isRunning({ ...own, started: '1' }), process.platform !== 'linux');
  assert.equal(await isRunning({ ...own, machine: 'elsewhere' }), undefined);
  const child = spawn(process.execPath, ['--eval', '']);
  assert.ok(child.pid !== undefined);
  const gone = await processIdentity(child.pid);
  await once(child, 'exit');
  assert.equal(await isRunning(gone), false);
});
