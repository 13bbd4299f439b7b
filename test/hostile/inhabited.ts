import assert from 'node:assert/strict';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import type { CoreEvent } from '../../runtime/events/event-kind.ts';
import { EventKind } from '../../runtime/events/event-kind.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import {
  AmbivalentDBInstanceClassKind,
  AmbivalentDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { claimKinds } from '../fakes/defined-kinds.ts';
import { referenceOf } from '../fakes/object-of.ts';
import { learnt, othersObjects, othersSecrets } from './attacks.ts';
import { World } from './world.ts';

const minuteMs = 60_000;
const managedClaimable = [FavouriteDBInstanceKind, AmbivalentDBInstanceKind, PostgreSQLDatabaseKind] as const;

/** A world in which teams have what one can have. */
export async function inhabited(isEnforced: boolean): Promise<World> {
  const world = new World(1, { isEnforced });
  const { clock } = world.simulation;
  const classes = [
    [FancySQLInstanceKind, FavouriteDBInstanceClassKind, 'small'],
    [FancySQLInstanceKind, AmbivalentDBInstanceClassKind, 'other-small'],
    [PostgreSQLInstanceKind, PostgreSQLDatabaseClassKind, 'shared'],
  ] as const;
  const handMade = (name: string, given: object = {}) => {
    const spec = {
      writeConnectionSecretToRef: { namespace: 'infra', name },
      forProvider: { fancinessLevel: 1 },
      reclaimPolicy: 'Retain',
      ...given,
    };
    world.put(FavouriteDBInstanceKind, { name }, { spec, status: {} });
  };
  const claimRef = (name: string) => ({ ...referenceOf(FancySQLInstanceKind, name), namespace: 'team' });
  handMade('taken');
  handMade('reserved', { claimRef: claimRef('to-come') });
  handMade('stored', { claimRef: claimRef('none-yet'), publishConnectionDetailsTo: { name: 'kept' } });
  handMade('left');
  world.start();
  await clock.advance(minuteMs);
  for (const [index, [kind, classKind, name]] of classes.entries()) {
    const writeConnectionSecretToRef = { name: `conn-${index}` };
    const spec = { classRef: referenceOf(classKind, name), writeConnectionSecretToRef };
    world.put<Claim>(kind, { namespace: 'team', name: `db-${index}` }, { spec });
  }
  for (const name of ['taken', 'left']) {
    const resourceRef = referenceOf(FavouriteDBInstanceKind, name);
    const spec = { resourceRef, writeConnectionSecretToRef: { name } };
    world.put(FancySQLInstanceKind, { namespace: 'team', name }, { spec });
  }
  await clock.advance(minuteMs);
  world.cluster.leave(FancySQLInstanceKind, { namespace: 'team', name: 'left' });
  await clock.advance(minuteMs);
  const phases = [...claimKinds, ...managedClaimable].flatMap((kind) =>
    world.cluster
      .all<Claim | Managed>(kind as Kind<Claim | Managed>)
      .map(({ metadata, status }) => `${metadata.name.slice(0, 9)} ${status?.bindingPhase}`),
  );
  assert.deepEqual(phases.toSorted(), [
    'db-0 Bound',
    'db-1 Bound',
    'db-2 Bound',
    'left Released',
    'reserved Unbound',
    'stored Unbound',
    'taken Bound',
    'taken Bound',
    'team-db-0 Bound',
    'team-db-1 Bound',
    'team-db-2 Bound',
  ]);
  return world;
}

/**
 * The objects of others: all objects in the cluster and behind it, as they are stored. On the PostgreSQL
 * server the objects with these names; absent: all.
 */
export function othersOwn(world: World, outside?: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  const isForeign = ({ name }: { readonly name: string }): boolean => outside?.has(name) ?? true;
  return {
    ...othersObjects(world.cluster.objects()),
    instances: [world.favourite, world.other].map((cloud) =>
      cloud.instances().filter(({ item }) => !item.tags['crossplane-name']?.startsWith('rogue-')),
    ),
    databases: world.postgresql.databases().filter(isForeign),
    roles: world.postgresql.roles().filter(isForeign),
    grants: world.postgresql
      .grants()
      .filter(({ on }) => isForeign({ name: /"([^"]*)"$/.exec(on)?.[1] ?? '' })),
    memberships: world.postgresql
      .memberships()
      .filter((one) => Object.values(one).some((name) => isForeign({ name: String(name) }))),
    events: world.cluster
      .all(EventKind)
      .filter(({ involvedObject }) => !JSON.stringify(involvedObject).includes('rogue'))
      .filter((event) => !isRequestForData(event))
      .map(({ involvedObject, reason, message }) => ({ involvedObject, reason, message })),
  };
}

/** An Event for administrators: a claim of the tenant names a Released resource, and the Event says whose data it has. */
const isRequestForData = ({ reason, message }: CoreEvent): boolean =>
  reason === 'Released' && /^\w+ rogue\/\S+ asks for this resource, which has the data of /.test(message);

/** The objects and secrets of others before an attack. */
export interface Held {
  readonly before: ReturnType<typeof othersOwn>;
  readonly outside: ReadonlySet<string>;
  readonly secrets: readonly string[];
}

/** The names of what is on the PostgreSQL server. */
export const databaseNames = (world: World): ReadonlySet<string> =>
  new Set([...world.postgresql.databases(), ...world.postgresql.roles()].map(({ name }) => name));

/** All that others have now. */
export const heldIn = (world: World): Held => ({
  before: othersOwn(world),
  outside: databaseNames(world),
  secrets: othersSecrets(world.cluster.objects()),
});

/** Others have what they had, to the last resourceVersion, and the tenant has learnt none of it. */
export function assertUntouched(world: World, { before, outside, secrets }: Held): void {
  const after = othersOwn(world, outside);
  assert.deepEqual(Object.keys(after).toSorted(), Object.keys(before).toSorted());
  for (const [key, value] of Object.entries(before)) assert.deepEqual(after[key], value, key);
  assert.deepEqual(learnt(world.cluster.objects(), secrets), [], 'the tenant has read secrets');
}
