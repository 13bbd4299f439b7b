import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { projectRoot } from './project-copy.ts';

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');
const { scripts, engines } = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
};

describe('README.md', () => {
  test('the commands of the README exist, and every command for users is in it', () => {
    const [, table = ''] = /^## Commands\n(.*?)^## /ms.exec(read('README.md')) ?? [];
    const named = [...table.matchAll(/^\| `npm (?:run )?([\w:-]+)/gm)].map(([, script = '']) => script);
    const isPart = (script: string) => /^(pre|setup$|test:)/.test(script);
    assert.deepEqual(
      named.toSorted(),
      Object.keys(scripts)
        .filter((script) => !isPart(script))
        .toSorted(),
    );
  });

  test('npm runs commands under the Node that is needed, whatever Node npm itself runs on', async () => {
    // Without what an outer `npm run` has put in front of the path.
    const PATH = (process.env.PATH ?? '')
      .split(':')
      .filter((folder) => !folder.includes('node_modules'))
      .join(':');
    const options = { cwd: projectRoot, env: { ...process.env, PATH } };
    const { stdout } = await promisify(execFile)('npm', ['exec', '--call', 'node --version'], options);
    const [, needed] = /^>=(\d+)$/.exec(engines.node) ?? [];
    assert.ok(Number(/^v(\d+)\./.exec(stdout)?.[1]) >= Number(needed), stdout);
  });
});
