import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { projectRoot } from '../docs/project-copy.ts';
import { withoutRule } from './ablation.ts';
import type { Invariant } from './invariants.ts';
import { patched } from './patched.ts';
import { editsOf, rules } from './rules.ts';
import { scenarios } from './scenarios.ts';

describe('each edit of a rule matches its source exactly once', () => {
  for (const [name, rule] of Object.entries(rules)) {
    const edits = editsOf(rule);
    test(name, () => {
      assert.ok(edits.length > 0);
      for (const edit of edits) {
        const source = readFileSync(join(projectRoot, edit.file), 'utf8');
        assert.notEqual(patched(edit, source), source);
      }
    });
  }
});

test('each rule but one names a scenario that fails without it', () => {
  const unneeded = Object.keys(rules).filter((name) => rules[name]?.scenario === undefined);
  assert.deepEqual(unneeded, ['recordNeedsUnchangedResource']);
  for (const { scenario } of Object.values(rules)) assert.ok(scenario === undefined || scenario in scenarios);
});

describe('without the rule the scenario fails', () => {
  const failures: Readonly<Record<string, Invariant>> = {
    claimRefIsProtectedWhileBound: 'ClaimRefStays',
    boundUIDShowsBackupStatus: 'ReservingClaimExists',
    claimRefWithResourceVersion: 'ClaimsFreeResourceOnly',
    provisionedFollowsPolicy: 'ProvisionedFollowsPolicy',
    readClaimBeforeClaimRef: 'ReservingClaimExists',
    readResourceBeforeClaimEnds: 'ReservingClaimExists',
    orphanNamedByClaimIsReleased: 'NamedResourceStays',
    backupStatusIsReset: 'ComesToRest',
    deletingClaimCorrectsClaimRef: 'ReservingClaimExists',
    recordIsClearedFirst: 'ClaimCanLogIn',
  };
  for (const [name, invariant] of Object.entries(failures)) {
    test(name, async () => {
      await using ablation = withoutRule(name);
      const { scenario = '' } = rules[name]!;
      const { violation } = await ablation.explore({ scenario, mostStates: 1_000 });
      assert.equal(violation?.invariant, invariant);
    });
  }
});

test('a rule that does not exist is an error', async () => {
  await using ablation = withoutRule('noSuchRule');
  await assert.rejects(ablation.explore({ scenario: 'foreign', mostStates: 1 }));
});
