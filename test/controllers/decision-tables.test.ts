import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { claimEndDecisions } from '../../controllers/claim-binding/decide-claim-end.ts';
import { orphanDecisions } from '../../controllers/claim-binding/decide-orphan.ts';
import { bindingDecisions } from '../../controllers/claim-binding/decision.ts';
import { defaultingDecisions } from '../../controllers/claim-defaulting/decide.ts';
import { schedulingDecisions } from '../../controllers/claim-scheduling/decide.ts';
import { inUseDecisions } from '../../controllers/in-use/decide.ts';
import {
  accessDecisions,
  credentialDecisions,
  firstDecisions,
  nextDecisions,
  operationDecisions,
} from '../../controllers/managed/run/decision.ts';
import { providerReadyDecisions } from '../../controllers/provider/decide-ready.ts';
import { propagationDecisions } from '../../controllers/secret-propagation/decide.ts';

const root = join(import.meta.dirname, '..', '..');
const document = readFileSync(join(root, 'docs/decision-tables.md'), 'utf8');
/** The names of each function's decisions, by the heading of their tables. That each is decided, the function's own tests show. */
const decisions: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Scheduling: [schedulingDecisions],
  Defaulting: [defaultingDecisions],
  Binding: [bindingDecisions],
  "The claim's end": [claimEndDecisions],
  Orphans: [orphanDecisions],
  'Secret propagation': [propagationDecisions],
  'Managed resources': [
    firstDecisions,
    accessDecisions,
    credentialDecisions,
    operationDecisions,
    nextDecisions,
  ],
  'Objects in use': [inUseDecisions],
  'Whether a provider works': [providerReadyDecisions],
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
const namesOfTable = (text: string): readonly string[] =>
  [...text.matchAll(/^\| ([^|]+) \|/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'decision' && name !== '---');

describe('docs/decision-tables.md', () => {
  test('is about every decision', () => {
    const headings = [...document.matchAll(/^## (.+): (controllers\/\S+)$/gm)];
    const titles = headings.map(([, heading]) => heading);
    assert.deepEqual(titles, Object.keys(decisions));
    for (const [, heading, file = ''] of headings)
      assert.ok(existsSync(join(root, file)), `${heading}: ${file}`);
  });

  test('says what wakes each controller as its triggers do', () => {
    const args = [join(root, 'app/generate.ts'), '--check'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });

  for (const [heading, tables] of Object.entries(decisions)) {
    const names = tables.flat();
    test(`has exactly the decisions of ${heading}, in their order`, () => {
      assert.deepEqual(namesOfTable(section(`${heading}:`)), names);
      for (const table of tables) assert.equal(new Set(table).size, table.length, 'no name twice in a table');
      assert.deepEqual(
        names.filter((name) => !/^([A-Z][a-z]+)+$/.test(name)),
        [],
        'a word that could be the reason of a condition',
      );
    });
  }

  /** The codes of the document: its hazards. */
  const explained = new Set(document.match(/\b[A-Z]\d+\b/g));
  const comment = /^\s*(?:\/\*\*?|\*|\/\/)(.*)$|\s\/\/\s(.*)$/gm;
  for (const file of globSync(['controllers/**/*.ts', 'stacks/*/{*,!(client|emulator|kinds)/**/*}.ts'], {
    cwd: root,
  })) {
    test(`explains every code in the comments of ${file}`, () => {
      const source = readFileSync(join(root, file), 'utf8');
      const comments = [...source.matchAll(comment)]
        .map(([, block = '', line = '']) => block + line)
        .join(' ');
      const codes = [...comments.matchAll(/\b[A-Z]\d+\b/g)].map(([code]) => code);
      const strange = codes.filter((code) => !explained.has(code));
      assert.deepEqual(strange, [], 'say in words what no table has');
    });
  }

  test('has every hazard, each with a file that tests it by name', () => {
    const rows = [...section('Hazards').matchAll(/^\| (H\d+) \|.*\| `([^`]+)` \|$/gm)];
    const hazards = rows.map(([, hazard]) => hazard);
    const wanted = Array.from({ length: 14 }, (_, i) => `H${i + 1}`);
    assert.deepEqual(hazards, wanted);
    for (const [, hazard, file = ''] of rows) {
      const path = join(root, 'test/controllers', file);
      assert.ok(existsSync(path), file);
      const named = new RegExp(`^ *(?:(?:test|describe)\\()?[\\'"\`]${hazard}: `, 'm');
      assert.match(readFileSync(path, 'utf8'), named, `${file} has no test "${hazard}: …"`);
    }
  });
});
