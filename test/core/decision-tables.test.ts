import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const root = join(import.meta.dirname, '..', '..');
const document = readFileSync(join(root, 'docs/decision-tables.md'), 'utf8');
/** The decisions that answer with a row. */
const sources = globSync('controllers/core/**/decide.ts', { cwd: root }).filter((file) =>
  /\brow: '/.test(readFileSync(join(root, file), 'utf8')),
);

const rowName = '(?:[KSXH]?\\d{1,2}|async)(?: [a-z]+)*';

/** The rows that a decision function names. */
const rowsOfSource = (file: string): readonly string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(new RegExp(`'(${rowName})'`, 'g'))].map(
    ([, row = '']) => row,
  );

/** The part of the document below the heading that ends with `name`. */
function section(name: string): string {
  const [, text] = document.split('\n## ').flatMap((part) => {
    const [heading = '', ...lines] = part.split('\n');
    return heading.includes(name) ? [heading, lines.join('\n')] : [];
  });
  assert.ok(text, `no section "${name}" in docs/decision-tables.md`);
  return text;
}

const rowsOfTable = (text: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^\\| (${rowName}) \\|`, 'gm'))].map(([, row = '']) => row);

const sorted = (rows: readonly string[]) => [...new Set(rows)].toSorted();

describe('docs/decision-tables.md', () => {
  test('is about the five controllers', () => {
    const folders = sources.map((file) => file.split('/').at(-2));
    const five = ['claim-binding', 'claim-defaulting', 'claim-scheduling', 'managed', 'secret-propagation'];
    assert.deepEqual(folders.toSorted(), five);
  });

  for (const file of sources) {
    test(`has exactly the rows of ${file}`, () => {
      const documented = rowsOfTable(section(file));
      assert.ok(documented.length > 4);
      assert.deepEqual(sorted(documented), sorted(rowsOfSource(file)));
      assert.equal(new Set(documented).size, documented.length, 'no row twice');
    });
  }

  test('has every hazard, each with a file that tests it by name', () => {
    const rows = [...section('Hazards').matchAll(/^\| (H\d+) \|.*\| `([^`]+)` \|$/gm)];
    assert.deepEqual(
      rows.map(([, hazard]) => hazard),
      Array.from({ length: 14 }, (_, i) => `H${i + 1}`),
    );
    for (const [, hazard, file = ''] of rows) {
      const path = join(root, 'test/core', file);
      assert.ok(existsSync(path), file);
      assert.ok(readFileSync(path, 'utf8').includes(`${hazard}: `), `${file} has no test "${hazard}: …"`);
    }
  });
});
