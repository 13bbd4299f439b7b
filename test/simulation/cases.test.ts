import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { NetworkKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import * as fcp from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { PostgreSQLDatabaseClassKind } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { play } from './play.ts';
import type { CallFault, ListedFault, Pace, Scenario, Step } from './scenario.ts';
import { brisk } from './shrink.ts';
import { claimOf, managedByHand, nameOf } from './workload/exemplars.ts';
import { credentialsSecret, inventory } from './workload/inventory.ts';

/*
 * Histories that once broke an invariant, as small as `npm run simulate` made them: a seed, the acts that matter, and the
 * faults that happened. The administrator's objects are those of every run.
 */

interface Case extends Pick<Scenario, 'seed' | 'troubleMs' | 'replicas'> {
  /** The delays. Everything else happens at once. */
  readonly pace: Partial<Pace>;
  readonly steps: readonly (readonly [atMs: number, act: Step['act']])[];
  readonly faults?: Readonly<Record<string, CallFault>>;
}

const creates = (object: ReturnType<typeof claimOf>): Step['act'] => ({ type: 'create', object });
const orders = claimOf(FancySQLInstanceKind, 'team-a', 0);
const apiVersion = apiVersionOf(PostgreSQLDatabaseClassKind);
const otherKindRef = { apiVersion, kind: PostgreSQLDatabaseClassKind.kind, name: 'small' };
const provider = { apiVersion: apiVersionOf(fcp.ProviderKind), kind: 'Provider', name: 'favourite' };

const cases: Readonly<Record<string, Case>> = {
  'a wall clock that is set back while external resources are created stops nothing': {
    seed: 50003283,
    troubleMs: 60_000,
    pace: { provisioningMs: 30_000 },
    steps: [
      [2_600, creates(claimOf(FancySQLInstanceKind, 'team-a', 1, { classRef: otherKindRef }))],
      [4_292, creates(claimOf(PostgreSQLInstanceKind, 'team-a', 3))],
      [
        17_638,
        creates(
          claimOf(FancySQLInstanceKind, 'team-a', 0, { classSelector: { matchLabels: { size: 'large' } } }),
        ),
      ],
      [27_056, creates(claimOf(FancySQLInstanceKind, 'team-b', 2))],
      [32_777, { type: 'set wall clock', byMs: -11_999_662 }],
    ],
    faults: {
      'p1 SELECT postgresql  3': { type: 'refused', code: 503 },
      'p1 COMMIT postgresql  2': { type: 'unreachable' },
    },
  },
  'a wall clock that is set forward right after a creation creates no second external resource': {
    seed: 60004817,
    troubleMs: 120_000,
    pace: { watchMs: 5_000, readDelayMs: 3_000 },
    steps: [
      [29_501, creates(managedByHand(NetworkKind))],
      [33_290, { type: 'set wall clock', byMs: 53_019_560 }],
    ],
  },
  "a Bound claim keeps its copy when its resource's Secret is deleted and the provider is not reached": {
    seed: 50006512,
    troubleMs: 300_000,
    pace: { outsideMs: 500 },
    replicas: 2,
    steps: [
      [26_199, creates(orders)],
      [
        60_096,
        {
          type: 'edit',
          of: provider,
          patch: { spec: { credentialsSecretRef: { ...credentialsSecret.favourite, key: 'nothing' } } },
        },
      ],
      [231_715, { type: 'delete', of: { ...nameOf(orders), given: 'source secret' } }],
    ],
  },
  'a claim is reported on once although one of the stacks is listed late': {
    seed: 50012453,
    troubleMs: 120_000,
    pace: {},
    steps: [
      [
        11_397,
        creates(
          claimOf(FancySQLInstanceKind, 'team-a', 1, { classSelector: { matchLabels: { size: 'x' } } }),
        ),
      ],
    ],
    faults: { 'p1 list Provider 2': { type: 'slow', thereMs: 0, backMs: 49_252 } },
  },
};

for (const [rule, { pace, steps, faults = {}, ...its }] of Object.entries(cases)) {
  test(rule, async () => {
    const listed = Object.entries(faults).map(([call, fault]): ListedFault => ({ call, fault }));
    const { violations, fired } = await play({
      ...its,
      objects: inventory,
      pace: { ...brisk, ...pace },
      collectsGarbage: false,
      faults: listed,
      steps: steps.map(([atMs, act]) => ({ atMs, act })),
    });
    assert.deepEqual(violations, []);
    assert.deepEqual(new Set(fired), new Set(listed), 'every fault of the case happens');
  });
}
