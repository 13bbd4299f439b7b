import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { testFiles } from '../processes.ts';

const root = join(import.meta.dirname, '..', '..');
const pages = globSync('{*.md,{deploy,docs,examples,local,stacks,test,testing}/**/*.md}', {
  cwd: root,
}).toSorted();

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string): ReadonlySet<string> =>
  new Set(
    [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

const rooms =
  '{apis,app,clients,controllers,crds,dashboard,demo,deploy,docs,examples,local,package,runtime,stacks,test,testing,tools,trace}';

/** Where a file or folder that a page names may be: `runtime/cache/watch.ts` and `deploy/` are paths, `decide.ts` a name. */
function globOf(named: string): string | undefined {
  if (/^[\w-]+\.(ts|json)$/.test(named)) return `{${rooms}/**/,}${named}`;
  const [room = ''] = named.split('/');
  const isPath = rooms.slice(1, -1).split(',').includes(room) && /\/([\w./*-]*\.\w+)?$/.test(named);
  return isPath ? named.replace(/\/$/, '').replaceAll(/<\w+>/g, '*') : undefined;
}

describe('the targets of links in the pages exist', () => {
  test('there are pages', () => assert.ok(pages.length >= 15, String(pages.length)));

  for (const page of pages) {
    const path = join(root, page);
    const text = readFileSync(path, 'utf8').replaceAll(/^```.*?^```$/gms, '');

    test(`${page}: links`, () => {
      const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => {
          const [file = '', anchor] = target.split('#');
          const to = file === '' ? path : join(dirname(path), file);
          if (!existsSync(to)) return true;
          return anchor !== undefined && !anchorsOf(to).has(anchor);
        });
      assert.deepEqual(broken, []);
    });

    test(`${page}: commands of npm`, () => {
      const named = [...readFileSync(path, 'utf8').matchAll(/\bnpm run (?:--silent )?([\w-]+(?::[\w-]+)*)/g)];
      const missing = named.map(([, script = '']) => script).filter((script) => !(script in scripts));
      assert.deepEqual(missing, []);
    });

    test(`${page}: files and folders it names`, () => {
      const names = new Set([...text.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name));
      const missing = [...names].filter((name) => {
        const glob = globOf(name);
        return glob !== undefined && globSync(glob, { cwd: root }).length === 0;
      });
      assert.deepEqual(missing, []);
    });
  }
});

describe('npm test runs', () => {
  // Without an argument it runs the short tests: see test/processes.ts.
  assert.match(scripts.test ?? '', / node test\/main\.ts$/);
  const short = testFiles('short');

  test('the proofs in docs/upgrade.md', () => {
    const page = readFileSync(join(root, 'docs/upgrade.md'), 'utf8');
    const [, table = ''] = /\| tested by \|\n\|[-|]+\|\n(.*?)\n\n/s.exec(page) ?? [];
    const proofs = table.split('\n').map((row) => row.split('|').at(-2) ?? '');
    const named = proofs.flatMap((proof) => [...proof.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    assert.ok(named.length >= 3);
    assert.deepEqual(
      named.filter((name) => !short.some((file) => file.startsWith(name))),
      [],
    );
  });

  test('the test files that docs/reliability.md names', () => {
    const page = readFileSync(join(root, 'docs/reliability.md'), 'utf8');
    const named = [...page.matchAll(/`(test\/[\w/-]+\.test\.ts)`/g)].map(([, name = '']) => name);
    assert.ok(named.length >= 5);
    assert.deepEqual(
      named.filter((name) => !short.includes(name)),
      [],
    );
  });
});

describe('the targets of links in code comments exist', () => {
  const sources = globSync('{main.ts,{apis,clients,controllers,dashboard,runtime,stacks,trace}/**/*.ts}', {
    cwd: root,
  }).map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);
  const named = (text: string, pattern: RegExp): readonly string[] =>
    [...new Set(text.match(pattern) ?? [])].toSorted();
  const pictures = sources.flatMap(([file, text]) => {
    const [picture] = /^\/\*\n.*?\*\//s.exec(text) ?? [];
    return picture === undefined ? [] : ([[file, picture]] as const);
  });

  test('there are pictures', () => assert.ok(pictures.length >= 10, String(pictures.length)));

  for (const [file, picture] of pictures) {
    test(`${file}: files in its picture`, () => {
      const [room] = file === 'main.ts' ? ['{app,controllers,runtime}'] : file.split('/');
      const names = named(picture, /(?<![\w*-])\w[\w-]*\.ts\b/g);
      const missing = names.filter((name) => globSync(`${room}/**/${name}`, { cwd: root }).length === 0);
      assert.deepEqual(missing, []);
    });
  }

  test('decisions, by number', () => {
    const missing = sources.flatMap(([file, text]) =>
      named(text, /docs\/decisions\/\d{4}/g)
        .filter((name) => globSync(`${name}-*.md`, { cwd: root }).length !== 1)
        .map((name) => `${file}: ${name}`),
    );
    assert.deepEqual(missing, []);
  });
});
