import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { bindingRows } from '../../../controllers/core/claim-binding/decide.ts';
import { deletedRows } from '../../../controllers/core/claim-binding/decide-deleted.ts';
import { orphanRows } from '../../../controllers/core/claim-binding/decide-orphan.ts';
import { defaultingRows } from '../../../controllers/core/claim-defaulting/decide.ts';
import { schedulingRows } from '../../../controllers/core/claim-scheduling/decide.ts';
import {
  accessRows,
  firstRows,
  nextRows,
  operationRows,
  overtakenRows,
} from '../../../controllers/core/managed/decide.ts';
import { providerConfigRows } from '../../../controllers/core/provider/decide.ts';
import { providerReadyRows } from '../../../controllers/core/provider/decide-ready.ts';
import { propagationRows } from '../../../controllers/core/secret-propagation/decide.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const document = readFileSync(join(root, 'docs/decision-tables.md'), 'utf8');
/** The rows of each decision, by the heading of its table. That each of them is decided, the decision's own tests show. */
const decisions: Readonly<Record<string, readonly string[]>> = {
  Scheduling: schedulingRows,
  Defaulting: defaultingRows,
  Binding: bindingRows,
  'Deleted claims': deletedRows,
  Orphans: orphanRows,
  'Secret propagation': propagationRows,
  'Managed resources': [...firstRows, ...overtakenRows, ...accessRows, ...operationRows, ...nextRows],
  ProviderConfigs: providerConfigRows,
  'Whether a provider works': providerReadyRows,
};

/** The part of the document below the heading that ends with `name`. */
function section(name: string): string {
  const [, text] = document.split('\n## ').flatMap((part) => {
    const [heading = '', ...lines] = part.split('\n');
    return heading.includes(name) ? [heading, lines.join('\n')] : [];
  });
  assert.ok(text, `no section "${name}" in docs/decision-tables.md`);
  return text;
}

/** The first column of the tables in a text. */
const rowsOfTable = (text: string): readonly string[] =>
  [...text.matchAll(/^\| ([^|]+) \|/gm)]
    .map(([, row = '']) => row)
    .filter((row) => row !== 'row' && row !== '---');

describe('docs/decision-tables.md', () => {
  test('is about every decision', () => {
    const headings = [...document.matchAll(/^## (.+): (controllers\/\S+)$/gm)];
    assert.deepEqual(
      headings.map(([, heading]) => heading),
      Object.keys(decisions),
    );
    for (const [, heading, file = ''] of headings)
      assert.ok(existsSync(join(root, file)), `${heading}: ${file}`);
  });

  test('says what wakes each controller as its triggers do', () => {
    const args = [join(root, 'controllers/generate.ts'), '--check'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });

  for (const [heading, rows] of Object.entries(decisions)) {
    test(`has exactly the rows of ${heading}, in their order`, () => {
      assert.deepEqual(rowsOfTable(section(`${heading}:`)), rows);
      assert.equal(new Set(rows).size, rows.length, 'no row twice');
    });
  }

  /** The codes and row numbers of the document: those of its tables, and those of the lists of what fails. */
  const explained = new Set(document.match(/\b[A-Z]\d+\b|(?<=^\| )\d+/gm));
  const comment = /^\s*(?:\/\*\*?|\*|\/\/)(.*)$|\s\/\/\s(.*)$/gm;
  for (const file of globSync('controllers/**/*.ts', { cwd: root })) {
    test(`explains every code in the comments of ${file}`, () => {
      const source = readFileSync(join(root, file), 'utf8');
      const comments = [...source.matchAll(comment)]
        .map(([, block = '', line = '']) => block + line)
        .join(' ');
      const rows = [...comments.matchAll(/\b[Rr]ows? ((?:\d+(?:, | and | to |–)?)+)/g)];
      const codes = [...comments.matchAll(/\b[A-Z]\d+\b/g)].map(([code]) => code);
      const numbers = rows.flatMap(([, list = '']) => list.match(/\d+/g) ?? []);
      const strange = [...codes, ...numbers].filter((code) => !explained.has(code));
      assert.deepEqual(strange, [], 'say in words what no table has');
    });
  }

  test('has every hazard, each with a file that tests it by name', () => {
    const rows = [...section('Hazards').matchAll(/^\| (H\d+) \|.*\| `([^`]+)` \|$/gm)];
    assert.deepEqual(
      rows.map(([, hazard]) => hazard),
      Array.from({ length: 14 }, (_, i) => `H${i + 1}`),
    );
    for (const [, hazard, file = ''] of rows) {
      const path = join(root, 'test/controllers/core', file);
      assert.ok(existsSync(path), file);
      const named = new RegExp(`^ *(?:test|describe)\\([\\'"\`]${hazard}: `, 'm');
      assert.match(readFileSync(path, 'utf8'), named, `${file} has no test "${hazard}: …"`);
    }
  });
});
