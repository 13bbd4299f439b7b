import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';

const main = join(import.meta.dirname, '../../../testing/favourite-cloud/main.ts');

describe('the process', { timeout: 30_000 }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`prints its URL, serves, and ends with 0 at ${signal}`, async () => {
      const child = spawn(process.execPath, [main, '--port', '0', '--token', 'secret']);
      const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
      const response = await fetch(`${url}/v1/instances`, { headers: { authorization: 'Bearer secret' } });
      assert.deepEqual(await response.json(), { instances: [] });
      child.kill(signal);
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    });
  }
});
