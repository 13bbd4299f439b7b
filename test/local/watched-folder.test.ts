import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../runtime/widgets.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('the folder of a process that ends as soon as it exists is removed', async (t) => {
  const folder = await temporaryFolder(t);
  const script = `
    import { readdirSync } from 'node:fs';
    import { watchedFolder } from ${JSON.stringify(join(import.meta.dirname, '../../local/watched-folder.ts'))};
    void watchedFolder('example');
    while (readdirSync(process.env.TMPDIR).length === 0);
    console.log(readdirSync(process.env.TMPDIR).join());
    process.exit();`;
  const env = { ...process.env, TMPDIR: folder };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env,
  });
  assert.match(stdout, /^services-stack-example-\w+\n$/);
  await until('the folder is removed', () => readdirSync(folder).length === 0);
});
