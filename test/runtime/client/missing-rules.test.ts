import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { FancySQLInstanceKind } from '../../../apis/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { ApiError } from '../../../runtime/client/errors.ts';
import type { CustomResourceDefinition } from '../../../runtime/client/install-crds.ts';
import { CustomResourceDefinitionKind } from '../../../runtime/client/install-crds.ts';
import { missingRules } from '../../../runtime/client/missing-rules.ts';
import { inProcessClient } from '../../../testing/in-process-client.ts';
import { MemoryCluster } from '../../../testing/memory-cluster.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';

const directory = join(import.meta.dirname, '..', '..', '..', 'crds');
const claims = 'fancysqlinstances.database.crossplane.io';
const resources = 'favouritedbinstances.database.fcp.crossplane.io';
const remedy = 'run "kubectl apply -f crds/with-cel-rules/", or start with --install-crds';
const tenMinutesMs = 600_000;

/** A process that looks, over a cluster of that version. A class has no rules in either set. */
function world({ minor = 36 } = {}) {
  const clock = testClock();
  const cluster = new MemoryCluster(() => clock.now());
  const kinds: readonly Kind[] = [
    SecretKind,
    FavouriteDBInstanceKind,
    FavouriteDBInstanceClassKind,
    FancySQLInstanceKind,
  ];
  const asked: string[] = [];
  const refusal: { now?: ApiError } = {};
  const direct = inProcessClient(cluster, clock);
  const log = recordedLog();
  const { run$, told } = missingRules({
    ...{ directory, kinds, log, clock },
    client: {
      serverVersion: async () => ({ major: 1, minor }),
      async get(kind, key, signal) {
        asked.push(key.name);
        if (refusal.now !== undefined) throw refusal.now;
        return direct.get(kind, key, signal);
      },
    },
  });
  return {
    clock,
    asked,
    refusal,
    told,
    apply(set: '.' | 'with-cel-rules'): void {
      for (const { group, plural } of kinds.slice(1)) {
        const text = readFileSync(join(directory, set, `${group}_${plural}.yaml`), 'utf8');
        cluster.put(CustomResourceDefinitionKind, parse(text) as CustomResourceDefinition);
      }
    },
    async look(): Promise<void> {
      run$.subscribe({ error: assert.fail });
      await readingFiles(() => asked.length > 0 || minor < 25);
      await clock.settle();
    },
    warnings: () =>
      log.lines.flatMap(({ level, message, fields }) => (level === 'warn' ? [[message, fields]] : [])),
  };
}

/** Files are read in real time. */
async function readingFiles(isDone: () => boolean): Promise<void> {
  for (let turns = 0; turns < 150; turns += 1) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (isDone() && turns > 20) return;
  }
}

describe('definitions without the rules that their API server would ask', () => {
  test('are told of once, with what mends it, until they have them', async () => {
    const { apply, look, told, warnings, clock, asked } = world();
    apply('.');
    await look();
    assert.deepEqual(told(), [`definitions have no rules: ${claims}, ${resources}; ${remedy}`]);
    await clock.advance(tenMinutesMs);
    await readingFiles(() => asked.length === 4);
    const what =
      'definitions have no rules, and so the API server takes edits that cannot work, which conditions tell then';
    assert.deepEqual(warnings(), [[`${what}; ${remedy}`, { definitions: [claims, resources] }]]);
    apply('with-cel-rules');
    await clock.advance(tenMinutesMs);
    await readingFiles(() => asked.length === 6);
    assert.deepEqual(told(), []);
    await clock.advance(6 * tenMinutesMs);
    await readingFiles(() => asked.length > 6);
    assert.equal(asked.length, 6, 'nobody looks any more');
  });

  test('of those that may have some: classes have none in either set, and secrets no definition', async () => {
    const { apply, look, told, warnings, asked } = world();
    apply('with-cel-rules');
    await look();
    assert.deepEqual([told(), warnings(), asked], [[], [], [resources, claims]]);
  });

  test('are as they should be where the API server knows no rules', async () => {
    const { apply, look, told, asked } = world({ minor: 24 });
    apply('.');
    await look();
    assert.deepEqual([told(), asked], [[], []]);
  });

  test('are not looked for without the right to', async () => {
    const { apply, look, told, warnings, refusal } = world();
    apply('.');
    refusal.now = new ApiError('no', { code: 403, reason: 'Forbidden' });
    await look();
    assert.deepEqual([told(), warnings()], [[], []]);
  });

  test('are looked for again where the API server does not answer', async () => {
    const { apply, look, told, refusal, clock, asked } = world();
    apply('.');
    refusal.now = new ApiError('away', { code: 503, reason: 'ServiceUnavailable' });
    await look();
    assert.deepEqual(told(), []);
    delete refusal.now;
    await clock.advance(tenMinutesMs);
    await readingFiles(() => asked.length === 3);
    assert.equal(told().length, 1);
  });
});
