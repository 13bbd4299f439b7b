import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { parseCommandLine } from '../../../emulators/favourite-cloud/command-line.ts';

const main = join(import.meta.dirname, '../../../emulators/favourite-cloud/main.ts');

const defaults = { provisioningMs: 2000, deletionMs: 1000, readDelayMs: 0, failRate: 0 };

describe('the command line', () => {
  test('has a default for everything, by flavour', () => {
    assert.deepEqual(parseCommandLine([]), { ...defaults, flavour: 'favourite', port: 18080 });
    assert.deepEqual(parseCommandLine(['--flavour', 'other']), {
      ...defaults,
      flavour: 'other',
      port: 18081,
    });
  });

  test('accepts every flag', () => {
    const line =
      '--port 0 --token t --data held.json --provisioning-time 1m30s --deletion-time 0 --read-delay 250ms --fail-rate .5 --rate-limit 9';
    assert.deepEqual(parseCommandLine(line.split(' ')), {
      flavour: 'favourite',
      port: 0,
      token: 't',
      dataFile: 'held.json',
      provisioningMs: 90_000,
      deletionMs: 0,
      readDelayMs: 250,
      failRate: 0.5,
      rateLimit: 9,
    });
  });

  const refused: readonly (readonly string[])[] = [
    ['--bogus'],
    ['--port', '70000'],
    ['--port', 'x'],
    ['--port'],
    ['--token', ''],
    ['--data', ''],
    ['--provisioning-time', '2'],
    ['--deletion-time', 'soon'],
    ['--read-delay', '-1s'],
    ['--fail-rate', '1.5'],
    ['--rate-limit', '0'],
    ['--flavour', 'sweet'],
  ];
  for (const args of refused) {
    test(`refuses ${args.join(' ')}, naming the flag`, () => {
      const said = parseCommandLine(args);
      assert.equal(typeof said, 'string');
      assert.ok(
        String(said)
          .split('\n')[0]
          ?.includes(args[0] ?? ''),
      );
    });
  }
});

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
