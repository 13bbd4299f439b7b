import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { play } from './play.ts';
import type { Scenario } from './scenario.ts';

const folder = join(import.meta.dirname, 'cases');

const disasters = ['restore', 'freeze', 'set wall clock', 'lose'];

/**
 * What breaks promises with no fault of a call; so does who deletes what is not his, or a secret, or edits one, and AWS or
 * Google Cloud where it shows for seconds what was before.
 */
const hasDisaster = ({ steps, pace, stacks }: Scenario): boolean =>
  (stacks !== undefined && pace.readDelayMs >= 3_000) ||
  steps.some(
    ({ act }) =>
      disasters.includes(act.type) ||
      (act.type === 'delete' && act.of.given !== undefined) ||
      ((act.type === 'edit' || act.type === 'delete') && act.of.kind === 'Secret'),
  );

describe('what once broke a promise does so no more', () => {
  for (const file of readdirSync(folder)) {
    test(file.replace(/\.json$/, '').replaceAll('-', ' '), async () => {
      const scenario = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Scenario;
      const { violations, fired } = await play(scenario);
      assert.deepEqual(violations, []);
      assert.ok(fired.length > 0 || hasDisaster(scenario), 'nothing goes wrong in it any more');
    });
  }
});
