import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { call, tokenOf } from './caller.ts';

const main = join(import.meta.dirname, '../../../../demo/gcp/main.ts');

describe('the process', { timeout: 60_000 }, () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'services-stack-gcp-'));
  });
  after(() => rm(directory, { recursive: true }));

  const run = (...args: readonly string[]): ChildProcess & { stdout: NodeJS.ReadableStream } =>
    spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const urlOf = async (child: ReturnType<typeof run>): Promise<string> => {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    return line;
  };
  const keyIn = async (file: string) => JSON.parse(await readFile(file, 'utf8'));
  const topics = ['GET', '/v1/projects/example-project/topics'] as const;

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`prints its URL, accepts its key file, creates keys, and ends with 0 at ${signal}`, async () => {
      const file = join(directory, 'key.json');
      const child = run('--port', '0', '--no-redis', '--key-file', file);
      const url = await urlOf(child);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      // The second time the file is there, with the port of the first.
      const key = { ...(await keyIn(file)), token_uri: `${url}/token` };
      assert.deepEqual((await call({ url }, await tokenOf(key), topics)).body, {});

      const second = join(directory, 'second.json');
      assert.deepEqual(await once(run('key', second, '--url', url), 'close'), [0, null]);
      assert.deepEqual((await call({ url }, await tokenOf(await keyIn(second)), topics)).body, {});

      child.kill(signal);
      assert.deepEqual(await once(child, 'close'), [0, null]);
      assert.deepEqual(await once(run('key', '--url', url), 'close'), [1, null]);
    });
  }
});
