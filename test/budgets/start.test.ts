import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

/*
 * The files that the process loads at its start, as counts: a library that is loaded without need costs
 * every process memory and time.
 */

const root = join(import.meta.dirname, '..', '..');

/** Counts the modules that `main.ts` loads, and the heap that is alive then, in MiB. */
const counting = `
  import { registerHooks } from 'node:module';
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  let modules = 0;
  registerHooks({ load(url, context, next) { modules += 1; return next(url, context); } });
  process.on('exit', () => {
    gc();
    process.stderr.write(JSON.stringify({ modules, heapMiB: process.memoryUsage().heapUsed / 2 ** 20 }));
  });
`;

test('the process loads at most so many modules, and so much heap stays alive', async () => {
  const hooks = `data:text/javascript,${encodeURIComponent(counting)}`;
  const started = await promisify(execFile)(process.execPath, ['--import', hooks, 'main.ts', '--help'], {
    cwd: root,
  });
  const { modules, heapMiB } = JSON.parse(started.stderr) as {
    readonly modules: number;
    readonly heapMiB: number;
  };
  assert.ok(modules <= 1_600, `${modules} modules`);
  assert.ok(heapMiB <= 34.5, `${heapMiB.toFixed(1)} MiB`);
});
