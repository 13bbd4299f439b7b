import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import escapeRegExp from 'lodash/escapeRegExp.js';
import { projectRoot } from '../../docs/project-copy.ts';
import { guards } from './guards.ts';
import { tryWithout } from './try-guard.ts';
import { withoutGuard } from './without-guard.ts';

test('every guard of the list is in its source, once', () => {
  assert.ok(guards.length >= 60, `${guards.length} guards`);
  for (const guard of guards) {
    const source = readFileSync(join(projectRoot, guard.file), 'utf8');
    assert.notEqual(withoutGuard(guard, source), source, guard.against);
  }
});

test('a guard that is not there any more is an error', () => {
  const guard = { file: 'a.ts', was: 'x', becomes: 'y' };
  assert.equal(withoutGuard(guard, 'axb'), 'ayb');
  assert.throws(() => withoutGuard(guard, 'ab'), /a\.ts has 0 times: x/);
  assert.throws(() => withoutGuard(guard, 'axbx'), /a\.ts has 2 times: x/);
});

test('every unit test that a guard names exists: a title, or the end of one', () => {
  for (const { provenBy } of guards) {
    if (provenBy === undefined) continue;
    const [file = '', ...title] = provenBy.split(': ');
    const source = readFileSync(join(projectRoot, file), 'utf8');
    assert.match(source, new RegExp(`${escapeRegExp(title.join(': '))}['"\`]`), provenBy);
  }
});

test('the process is played without the guard', async () => {
  const guard = guards.find(({ against }) => against === 'a write of a status that changes nothing');
  assert.ok(guard);
  const caught = await tryWithout(guard, [1]);
  assert.match(caught?.what ?? '', /no write changes nothing/);
  assert.equal(await tryWithout(undefined, [1]), undefined);
});
