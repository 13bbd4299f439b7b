import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(import.meta.dirname, 'legacy-cases.md'), 'utf8');

/** A test that a case names: its file, and its title or how that begins, with the suites around it if need be. */
interface Named {
  readonly file: string;
  readonly titles: readonly string[];
}
interface Case {
  /** The names of the cases that have the same behaviour and tests. */
  readonly names: readonly string[];
  readonly here: string;
  readonly tests: readonly Named[];
}
interface Suite {
  readonly name: string;
  /** How many cases its heading promises. */
  readonly count: number;
  readonly cases: readonly Case[];
}

const plain = (markdown: string): string => markdown.replaceAll(/\\([*[])/g, '$1');

function namedIn(cell: string): readonly Named[] {
  if (cell === '') return [];
  return cell.split('<br>').map((reference) => {
    const [, file = '', title = ''] = /^`([\w./-]+)` (.+)$/.exec(reference) ?? [];
    assert.ok(title, `no reference to a test: ${reference}`);
    return { file: `test/${file}.test.ts`, titles: plain(title).split(' › ') };
  });
}

const suites: readonly Suite[] = page
  .split('\n## ')
  .slice(1)
  .map((section) => {
    const [, name = '', count] = /^(.+) \((\d+)\)\n/.exec(section) ?? [];
    const cases = [...section.matchAll(/^\| (?!case |---)(.+?) \| (.+?) \|(?: (.*))? \|$/gm)];
    return {
      name,
      count: Number(count),
      cases: cases.map(([, caseNames = '', here = '', cell = '']) => ({
        names: caseNames.split('<br>'),
        here,
        tests: namedIn(cell),
      })),
    };
  });
const named = suites.flatMap(({ cases }) => cases.flatMap(({ tests }) => tests));

/** Whether `title` equals `beginning`, or continues after one of its whole words. */
const begins = (title: string, beginning: string): boolean =>
  title.startsWith(beginning) && !/^\w/.test(title.slice(beginning.length));

describe('legacy-cases.md', () => {
  let registered: Readonly<Record<string, readonly (readonly string[])[]>> = {};
  before(() => {
    const files = [...new Set(named.map(({ file }) => file))].filter((file) => existsSync(join(root, file)));
    const script = join(import.meta.dirname, 'registered-tests.ts');
    const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
    registered = JSON.parse(execFileSync(process.execPath, [script, ...files], options));
  });
  const exists = ({ file, titles }: Named): boolean =>
    (registered[file] ?? []).some((full) => {
      const innermost = full.slice(-titles.length);
      return (
        innermost.length === titles.length &&
        titles.every((title, i) => {
          const isLast = i === titles.length - 1;
          return isLast ? begins(innermost[i] ?? '', title) : innermost[i] === title;
        })
      );
    });

  test('each suite has as many cases as its heading says', () => {
    assert.ok(suites.length >= 10 && named.length >= 400, `${suites.length} suites, ${named.length} tests`);
    for (const { name, count, cases } of suites) {
      const names = cases.flatMap((each) => each.names);
      assert.equal(names.length, count, name);
      assert.equal(new Set(names).size, count, `${name}: no case twice`);
    }
  });

  test('each case names its test, or has the reason for none', () => {
    const mute = suites.flatMap(({ name, cases }) =>
      cases
        .filter(({ tests, here }) => (tests.length === 0) !== /^does not apply: \S/.test(here))
        .map((each) => `${name}: ${each.names.join()}`),
    );
    assert.deepEqual(mute, []);
  });

  for (const { name, cases } of suites) {
    test(`${name}: every named test exists`, () => {
      const missing = cases.flatMap(({ names, tests }) =>
        tests.filter((each) => !exists(each)).map((each) => ({ cases: names, ...each })),
      );
      assert.deepEqual(missing, []);
    });
  }

  test('a test that does not exist is reported', () => {
    const file = 'test/controllers/managed/reconciler.test.ts';
    const title = 'ResourceGone: a deleted managed resource';
    assert.ok(exists({ file, titles: [title] }), 'the same words, where they are');
    const invented: readonly Named[] = [
      { file, titles: [title.slice(0, -1)] },
      { file, titles: ['another suite', title] },
      { file, titles: ['a deleted managed resource'] },
      { file: 'test/controllers/no-such.test.ts', titles: [title] },
    ];
    assert.deepEqual(invented.filter(exists), []);
  });
});
