import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explore } from './explore.ts';
import { production } from './production.ts';
import { scenarios } from './scenarios.ts';

const obstacles = Object.keys(scenarios).filter((name) => scenarios[name]?.obstacle?.name === name);

describe('the scenario holds in every state', () => {
  /** A scenario with far fewer states than these does not explore what it says. */
  const atLeast = {
    vanish: 4_000,
    'edit-back': 1_500,
    foreign: 500,
    'by-hand': 600,
    'restore-status': 3_000,
    'restore-claims': 1_500,
    'restore-claims-class': 1_500,
    'restore-resource': 2_500,
    lost: 2_000,
    'no-update': 1_500,
    'no-change': 3_000,
    'only-observe': 900,
    observed: 2_000,
    'report-loss': 500,
    'parameter-edited': 1_500,
    'creation-refused': 8_000,
    'shown-late': 1_500,
    'keep-lost': 2_500,
    'keep-retain': 1_200,
    'keep-paused': 200,
    'keep-namespace-vanish': 50,
    'keep-empty': 1_000,
    'keep-vanish': 2_000,
    'keep-restore-resource': 900,
    held: 250,
    'no-collector': 100,
    'no-collector-vanish': 150,
    ...Object.fromEntries(obstacles.map((name) => [name, 40])),
  };
  for (const [name, least] of Object.entries(atLeast)) {
    test(name, () => {
      const { verdict, states } = explore(scenarios[name]!, production);
      assert.equal(verdict, 'holds');
      assert.ok(states >= least, `${states} states`);
    });
  }
});

test('a failure is shown with a shortest trace', () => {
  assert.deepEqual(explore(scenarios.failover!, production), {
    verdict: 'fails',
    states: 64,
    violation: {
      invariant: 'ReservingClaimExists',
      why: 'm-u101 (Unbound, Delete) is reserved for a claim that does not exist',
      trace: [
        'binding of claim A: RecordName A (finalizer: true, resourceRef: m-u101)',
        'binding of claim A decides: Create m-u101',
        'a user deletes claim A',
        'another process becomes the leader; under way: binding of claim A: Create m-u101',
        'binding of claim A decides: RemoveFinalizer A (finalizer: false)',
        "the former leader's call is carried out: Create m-u101",
        '(from here on, no more acts)',
        'binding of claim A: RemoveFinalizer A (finalizer: false)',
        'managed resource m-u101: GenerateCredential in the Secret of m-u101 (password: new, for: A)',
        'managed resource m-u101: CreateExternal m-u101 (password: p501)',
        'managed resource m-u101: RecordApplied m-u101 (phase: Unbound, applied: p501)',
      ],
    },
  });
});
