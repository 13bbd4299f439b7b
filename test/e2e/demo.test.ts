import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { demo, root } from './demo-run.ts';

/** The claims in docs/start-laptop.md: namespace, kind, name, phase and reason of each. */
const shownInDocs = (): readonly string[] => {
  const page = readFileSync(join(root, 'docs/start-laptop.md'), 'utf8');
  const [, table = assert.fail('no table')] =
    /^NAMESPACE {3}KIND.*\n((?:team-.*\n(?: {4}.*\n)?)+)/m.exec(page) ?? [];
  return [...table.matchAll(/^(team-\S+) +(\S+) +(\S+) +(\S+) +(\S+)/gm)].map(([, ...cells]) =>
    cells.join(' '),
  );
};

test('npm run demo -- --once checks that every claim can be used, takes everything down and exits 0', async () => {
  const { code, output } = await demo(['--once']);
  assert.equal(code, 0, output);
  assert.match(output, /Checked: all \d+ bound claims can be used/);
  for (const claim of [
    'cart',
    'search',
    'posts',
    'comments',
    'orders',
    'cart-db',
    'posts-db',
    'warehouse',
    'invoices-db',
    'stock-db',
    'ratings-db',
    'comments-db',
    'drafts-db',
    'archive',
    'sessions',
  ]) {
    assert.match(output, new RegExp(`\\b${claim}\\b.* Bound +Available`), `${claim} is shown Bound`);
  }
  const shown = new Set(output.split('\n').map((line) => line.split(/ +/).slice(0, 5).join(' ')));
  assert.ok(shownInDocs().length > 10);
  const missing = shownInDocs().filter((line) => !shown.has(line));
  assert.deepEqual(missing, []);
  assert.match(output, /dreams: Unbound, NoMatchingClass: .*size=enormous/);
  assert.match(output, /team-shop\/cart-db-connection: database, .*password.*uri/);
});
