import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { returnReasons } from '../../runtime/controller/work-queue.ts';
import { syncPeriodOver } from '../../runtime/process/run.ts';
import type { Attack, Victims } from './attacks.ts';
import { asEdit, attacks } from './attacks.ts';
import { assertUntouched, databaseNames, heldIn, inhabited } from './inhabited.ts';
import { kindOf } from './ordeal.ts';
import type { World } from './world.ts';

const minuteMs = 60_000;
/** The objects that may be attacked. */
const victimsOf = (world: World): Victims => ({
  objects: world.cluster.objects(),
  outside: [
    ...databaseNames(world),
    ...[world.favourite, world.other].flatMap((cloud) => cloud.instances().map(({ item }) => item.name)),
  ],
});

for (const isEnforced of [true, false]) {
  describe(isEnforced ? 'a tenant against all others' : 'the same, on a server that knows no rules', () => {
    for (const [name, of] of Object.entries(attacks)) {
      test(name, () => attacked(of, isEnforced));
    }
  });
}

async function attacked(of: (victims: Victims) => readonly Attack[], isEnforced: boolean): Promise<void> {
  const world = await inhabited(isEnforced);
  const { cluster, simulation } = world;
  const { clock } = simulation;
  const held = heldIn(world);
  const given = of(victimsOf(world));
  const logged = simulation.log.length;
  assert.ok(given.length > 20, `${given.length} attacks`);
  const made = given.flatMap(([what, object], index) => {
    const metadata = { ...object.metadata, name: object.metadata.name || `a-${index}` };
    const kind = kindOf(object);
    return tried(() => cluster.create(kind, { ...object, metadata })) ? [{ what, kind, metadata }] : [];
  });
  await clock.advance(minuteMs);
  assertUntouched(world, held);

  // Edited to and fro, as long as the API server lets them.
  for (const [index, { kind, metadata }] of made.entries()) {
    const other = given[(index + 1) % given.length];
    if (other === undefined || kindOf(other[1]) !== kind || cluster.find(kind, metadata) === undefined)
      continue;
    tried(() => cluster.patch(kind, objectKey(metadata), asEdit(other)));
  }
  await clock.advance(minuteMs);
  assertUntouched(world, held);

  for (const { kind, metadata } of made) cluster.leave(kind, metadata);
  await clock.advance(2 * minuteMs);
  assertUntouched(world, held);
  assertUnwoken(simulation.log.slice(logged));
  world.assertNoFault();
  world.assertEveryWriteChanges();
  simulation.kill();
}

/**
 * No resource of others was observed earlier than otherwise: an attacker does not use their turns, or call
 * their clouds.
 */
function assertUnwoken(log: readonly string[]): void {
  const ownTime = new Set<string>([...Object.values(returnReasons), syncPeriodOver]);
  const woken = log.flatMap((line) => {
    const { kind, namespace, name = '', because = [], msg } = JSON.parse(line) as Line;
    const isOthers = namespace !== 'rogue' && !name.startsWith('rogue-') && kind !== 'ProviderConfig';
    const reasons = because.filter((reason) => !ownTime.has(reason));
    return msg === 'reconciled' && isOthers && reasons.length > 0 ? [`${kind} ${name}: ${reasons}`] : [];
  });
  assert.deepEqual([...new Set(woken)], []);
}

interface Line extends Partial<Readonly<Record<'msg' | 'kind' | 'namespace' | 'name', string>>> {
  readonly because?: readonly string[];
}

function tried(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
