import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { faults } from '../../trace/model/faults.ts';

test('docs/trace.md has every fault, in the order in which causes are looked for', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'trace.md'), 'utf8');
  const [, table = ''] = page.split('## What it finds');
  const named = [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  assert.deepEqual(
    named,
    faults.map(([name]) => name),
  );
});
