import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { codeBlocks, commandsOf } from './code-blocks.ts';
import { projectRoot } from './project-copy.ts';

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');
const { scripts, engines } = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
};

describe('README.md and CONTRIBUTING.md', () => {
  test('the commands of CONTRIBUTING.md are all commands of the project', () => {
    const [, table = ''] = /^## Commands\n(.*?)^## /ms.exec(read('CONTRIBUTING.md')) ?? [];
    const named = [...table.matchAll(/^\| `npm (?:run )?([\w:-]+)/gm)].map(([, script = '']) => script);
    const isPart = (script: string) => /^(pre|setup$|test:unit$)/.test(script);
    const whole = Object.keys(scripts).filter((script) => !isPart(script));
    assert.deepEqual(named.toSorted(), whole.toSorted());
  });

  // test/cluster/docs.test.ts applies these files.
  test('the manifests of the first pages are those that their commands apply', () => {
    const start = join(projectRoot, 'examples/start');
    const applied = readdirSync(start).flatMap((file) =>
      readFileSync(join(start, file), 'utf8').split('---\n'),
    );
    for (const [page, count] of Object.entries({ 'README.md': 1, 'docs/start-postgresql.md': 2 })) {
      const shown = codeBlocks(read(page)).filter(({ language }) => language === 'yaml');
      const isApplied = shown.map(({ content }) => applied.includes(content));
      assert.deepEqual(isApplied, Array(count).fill(true), page);
    }
  });

  // test/cluster/docs.test.ts runs the commands of the pages.
  test('the commands of README.md are on the pages for a start', () => {
    const commands = (page: string) =>
      commandsOf(read(page)).map((command) => command.replace(/ +#.*$/, '').trim());
    const onPages = [...commands('docs/start-laptop.md'), ...commands('docs/start-postgresql.md')];
    const missing = commands('README.md').filter((command) => !onPages.includes(command));
    assert.deepEqual(missing, []);
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
