import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { parseCommandLine } from '../../../emulators/gcp/command-line.ts';
import { call, tokenOf } from './caller.ts';

const main = join(import.meta.dirname, '../../../emulators/gcp/main.ts');

describe('the command line', () => {
  const defaults = {
    port: 18085,
    provisioningMs: 2000,
    updateMs: 1000,
    deletionMs: 1000,
    readDelayMs: 0,
    tokenLifetimeMs: 3_600_000,
    failRate: 0,
    quotas: {},
    disabled: [],
  };

  test('has a default for everything', () => {
    assert.deepEqual(parseCommandLine([]), { act: 'serve', hasRedis: true, options: defaults });
  });

  test('accepts every flag', () => {
    const line =
      '--port 0 --data held.json --key-file key.json --provisioning-time 1m30s --update-time 5s --deletion-time 0 --read-delay 250ms --token-lifetime 1m --fail-rate .5 --rate-limit 9 --quota-instances 3 --quota-gb 16 --disable redis.googleapis.com --disable pubsub.googleapis.com --no-redis';
    assert.deepEqual(parseCommandLine(line.split(' ')), {
      act: 'serve',
      hasRedis: false,
      keyFile: 'key.json',
      options: {
        port: 0,
        dataFile: 'held.json',
        provisioningMs: 90_000,
        updateMs: 5000,
        deletionMs: 0,
        readDelayMs: 250,
        tokenLifetimeMs: 60_000,
        failRate: 0.5,
        rateLimit: 9,
        quotas: { instances: 3, memoryGb: 16 },
        disabled: ['redis.googleapis.com', 'pubsub.googleapis.com'],
      },
    });
  });

  test('the command key gets a key', () => {
    assert.deepEqual(parseCommandLine(['key']), { act: 'key', url: 'http://127.0.0.1:18085', account: {} });
    const line =
      'key out.json --url http://127.0.0.1:1/ --project some-project --name somebody --role roles/viewer --role roles/redis.viewer';
    assert.deepEqual(parseCommandLine(line.split(' ')), {
      act: 'key',
      file: 'out.json',
      url: 'http://127.0.0.1:1',
      account: { project: 'some-project', name: 'somebody', roles: ['roles/viewer', 'roles/redis.viewer'] },
    });
  });

  const refused: readonly (readonly [string, RegExp])[] = [
    ['--bogus', /^Unknown option '--bogus'/],
    ['serve', /^Unexpected argument 'serve'/],
    ['--port 70000', /^--port: /],
    ['--provisioning-time 2', /^--provisioning-time: /],
    ['--update-time soon', /^--update-time: /],
    ['--token-lifetime -1s', /--token-lifetime/],
    ['--fail-rate 1.5', /^--fail-rate: /],
    ['--rate-limit 0', /^--rate-limit: /],
    ['--quota-gb many', /^--quota-gb: /],
    ['--data ', /^--data: must name a file\n/],
    ['--key-file ', /^--key-file: must name a file\n/],
    ['--disable compute.googleapis.com', /^--disable: "compute/],
    ['key a b', /^key: takes one file/],
    ['key --url here', /^--url: "here"/],
    ['--token-lifetime 0', /^--token-lifetime: "0" is less than 1000ms/],
    ['--token-lifetime 25h', /^--token-lifetime: "25h" is more than 24h/],
    ['--quota-gb -1', /^--quota-gb: "-1" is no number from 0 to 1000000/],
    ['key --role roles/god', /^--role: "roles\/god" is none of /],
    ['key --name X', /^--name: "X" is no name of a service account/],
  ];
  for (const [line, said] of refused) {
    test(`refuses ${line}, naming what is wrong`, () => {
      const answer = parseCommandLine(line.split(' '));
      assert.equal(typeof answer, 'string');
      assert.match(String(answer), said);
    });
  }
});

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
