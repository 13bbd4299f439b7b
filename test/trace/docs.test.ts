import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import uniq from 'lodash/uniq.js';
import { faultTable } from '../../trace/model/fault-table.ts';

test('docs/trace.md lists every fault in the order of the fault table', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'trace.md'), 'utf8');
  const [, table = ''] = page.split('## What it finds');
  const named = [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  assert.deepEqual(named, uniq(faultTable.map(({ name }) => name)));
});
