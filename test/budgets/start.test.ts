import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

/*
 * The modules of libraries that the process loads at its start, as counts: a library that is loaded without need costs
 * every process memory and time. The image has our own files in one bundle, so their number costs nothing.
 */

const root = join(import.meta.dirname, '..', '..');

/** Counts the modules of libraries and of Node.js that `main.ts` loads, and the heap that is alive then, in MiB. */
const counting = `
  import { registerHooks } from 'node:module';
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  let modules = 0;
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('node:') || url.includes('/node_modules/')) modules += 1;
      return next(url, context);
    },
  });
  process.on('exit', () => {
    gc();
    process.stderr.write(JSON.stringify({ modules, heapMiB: process.memoryUsage().heapUsed / 2 ** 20 }));
  });
`;

test('the process loads at most so many modules of libraries, and so much heap stays alive', async () => {
  const hooks = `data:text/javascript,${encodeURIComponent(counting)}`;
  const started = await promisify(execFile)(process.execPath, ['--import', hooks, 'main.ts', '--help'], {
    cwd: root,
  });
  const { modules, heapMiB } = JSON.parse(started.stderr) as {
    readonly modules: number;
    readonly heapMiB: number;
  };
  assert.ok(modules <= 1_160, `${modules} modules`);
  assert.ok(heapMiB <= 37.5, `${heapMiB.toFixed(1)} MiB`);
});
