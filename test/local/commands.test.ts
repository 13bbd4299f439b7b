import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
/** Commands that are one program of ours; those that are not read no flags, or hand them to another program. */
const commands = Object.entries(scripts).flatMap(([name, script]) => {
  const [, main] = /^node (\S*main\.ts|app\/trace\.ts)$/.exec(script) ?? [];
  return main === undefined ? [] : [[name, main] as const];
});

/** The arguments that a command requires first. */
const needed: Readonly<Record<string, readonly string[]>> = {
  'new-service': ['Kind', '--group', 'a.example.org'],
};

interface Ended {
  readonly code?: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(main: string, ...args: readonly string[]): Promise<Ended> {
  const options = { cwd: root, timeout: 60_000 };
  const running = promisify(execFile)(process.execPath, [main, ...args], options);
  return running.then(
    (result) => ({ code: 0, ...result }),
    (error: Ended) => error,
  );
}

test('there are commands to ask', () => {
  const names = [
    'aws',
    'bench',
    'control-plane',
    'demo',
    'favourite-cloud',
    'gcp',
    'image',
    'model',
    'mutants',
  ];
  const others = ['new-service', 'perturb', 'release', 'simulate', 'start', 'trace'];
  assert.deepEqual(commands.map(([name]) => name).toSorted(), [...names, ...others]);
});

describe('each command', { concurrency: 2 }, () => {
  for (const [name, main] of commands) {
    test(`${name} tells its flags when asked`, async () => {
      const { code, stdout, stderr } = await run(main, '--help');
      assert.equal(stderr, '');
      assert.match(stdout, /^ {2}(-\w, )?--[a-z-]+ /m);
      assert.equal(code, 0);
    });
    // The author's commands end with 1, as commander has it.
    const wrong = name === 'new-service' ? 1 : 2;
    test(`${name} ends with ${wrong} for a flag that is none, and names it`, async () => {
      const { code, stdout, stderr } = await run(main, ...(needed[name] ?? []), '--no-such-flag');
      assert.match(stderr, /--no-such-flag/);
      assert.doesNotMatch(stderr, /^ +at /m);
      assert.equal(stdout, '');
      assert.equal(code, wrong);
    });
  }
});

describe('if the reader of its output has ended', { concurrency: 2 }, () => {
  for (const [name, main, ...args] of [
    ['an emulator', 'testing/favourite-cloud/main.ts', '--port', '0'],
    ['sbom', 'tools/sbom.ts'],
  ] as const) {
    test(`${name} ends with 0 and writes no error`, { timeout: 60_000 }, async () => {
      const child = spawn(process.execPath, [main, ...args], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.destroy();
      const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
      assert.equal(stderr, '');
      assert.equal(code, 0);
    });
  }
});
