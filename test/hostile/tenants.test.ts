import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind, KubernetesObject, ObjectMeta } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf, objectKey, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  connectionSecretType,
  externalName,
  finalizerNames,
} from '../../apis/core/v1alpha1/meta.ts';
import { controllerOf } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import {
  AmbivalentDBInstanceClassKind,
  AmbivalentDBInstanceKind,
} from '../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { recordKeys } from '../../controllers/core/claim/claim-record.ts';
import { reservationKey } from '../../controllers/core/claim-binding/reservation.ts';
import { publishedDetails } from '../../controllers/core/connection/published-details.ts';
import { ownerUidLabel } from '../../controllers/core/connection/store-publisher.ts';
import { comesBack } from '../../runtime/controller/work-queue.ts';
import { EventKind } from '../../runtime/events/event-recorder.ts';
import { looksAgain } from '../../runtime/process/run.ts';
import { kindOf } from './ordeal.ts';
import { claimKinds, classKinds, World } from './world.ts';

/*
 * Somebody with every right on claims and secrets of one namespace, `rogue`, who knows every name and UID there is,
 * against everybody else.
 */

const minuteMs = 60_000;
const managedClaimable = [FavouriteDBInstanceKind, AmbivalentDBInstanceKind, PostgreSQLDatabaseKind] as const;

/** A world in which teams have what one can have. */
async function inhabited(isEnforced: boolean): Promise<World> {
  const world = new World(1, { isEnforced });
  const { clock } = world.simulation;
  const classes = [
    [FancySQLInstanceKind, FavouriteDBInstanceClassKind, 'small'],
    [FancySQLInstanceKind, AmbivalentDBInstanceClassKind, 'other-small'],
    [PostgreSQLInstanceKind, PostgreSQLDatabaseClassKind, 'shared'],
  ] as const;
  const writeConnectionSecretToRef = (name: string) => ({ namespace: 'infra', name });
  const handMade = (name: string, spec: object = {}, status: object = {}) =>
    world.put(
      FavouriteDBInstanceKind,
      { name },
      {
        spec: {
          writeConnectionSecretToRef: writeConnectionSecretToRef(name),
          forProvider: { fancinessLevel: 1 },
          reclaimPolicy: 'Retain',
          ...spec,
        },
        status,
      },
    );
  handMade('taken');
  handMade('reserved', {
    claimRef: {
      apiVersion: apiVersionOf(FancySQLInstanceKind),
      kind: 'FancySQLInstance',
      namespace: 'team',
      name: 'to-come',
    },
  });
  handMade('stored', {
    claimRef: {
      apiVersion: apiVersionOf(FancySQLInstanceKind),
      kind: 'FancySQLInstance',
      namespace: 'team',
      name: 'none-yet',
    },
    publishConnectionDetailsTo: { name: 'kept' },
  });
  handMade('left');
  world.start();
  await clock.advance(minuteMs);
  for (const [index, [kind, classKind, name]] of classes.entries()) {
    const classRef = { apiVersion: apiVersionOf(classKind), kind: classKind.kind, name };
    world.put(
      kind,
      { namespace: 'team', name: `db-${index}` },
      {
        spec: { classRef, writeConnectionSecretToRef: { name: `conn-${index}` } },
      },
    );
  }
  const resourceRef = (name: string) => ({
    apiVersion: apiVersionOf(FavouriteDBInstanceKind),
    kind: 'FavouriteDBInstance',
    name,
  });
  for (const name of ['taken', 'left']) {
    world.put(
      FancySQLInstanceKind,
      { namespace: 'team', name },
      {
        spec: { resourceRef: resourceRef(name), writeConnectionSecretToRef: { name } },
      },
    );
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
 * What belongs to others: all there is, in the cluster and behind it, as it is stored. Counts of users are nobody's. On the
 * PostgreSQL server that is what bears these names; absent: all.
 */
function othersOwn(world: World, outside?: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  const isRogues = (object: KubernetesObject): boolean =>
    object.metadata.namespace === 'rogue' ||
    (object as Partial<Managed>).spec?.claimRef?.namespace === 'rogue' ||
    /^rogue-/.test(controllerOf(object)?.name ?? '');
  const objects = world.cluster.objects().filter((object) => object.kind !== 'Event' && !isRogues(object));
  const isTheirs = ({ name }: { readonly name: string }): boolean => outside?.has(name) ?? true;
  return {
    ...Object.fromEntries(
      objects.map((object) => {
        const { status: _, ...unused } = object as KubernetesObject & { status?: object };
        const { resourceVersion: _v, ...metadata } = object.metadata;
        const key = `${object.apiVersion} ${object.kind} ${objectKeyText(object.metadata)}`;
        return [key, object.kind === 'ProviderConfig' ? { ...unused, metadata } : object];
      }),
    ),
    instances: [world.favourite, world.other].map((cloud) =>
      cloud.instances().filter(({ item }) => !item.tags['crossplane-name']?.startsWith('rogue-')),
    ),
    databases: world.postgresql.databases().filter(isTheirs),
    roles: world.postgresql.roles().filter(isTheirs),
    grants: world.postgresql
      .grants()
      .filter(({ on }) => isTheirs({ name: /"([^"]*)"$/.exec(on)?.[1] ?? '' })),
    memberships: world.postgresql
      .memberships()
      .filter((one) => Object.values(one).some((name) => isTheirs({ name: String(name) }))),
    events: world.cluster
      .all(EventKind)
      .filter(({ involvedObject }) => !JSON.stringify(involvedObject).includes('rogue'))
      .map(({ involvedObject, reason, message }) => ({ involvedObject, reason, message })),
  };
}

type Own = ReturnType<typeof othersOwn>;

/** The names of what is on the PostgreSQL server. */
const databaseNames = (world: World): ReadonlySet<string> =>
  new Set([...world.postgresql.databases(), ...world.postgresql.roles()].map(({ name }) => name));

/** Passwords, tokens and all that a secret of somebody else holds. */
const othersSecrets = (world: World): readonly string[] =>
  world.cluster
    .all<Secret>(SecretKind)
    .filter(({ metadata }) => metadata.namespace !== 'rogue')
    .flatMap((secret) => {
      const { password, credentials, uri } = decodeDetails(secret);
      return [password, credentials, uri].filter((value) => value !== undefined);
    });

const metadataOf = (name: string, rest: Partial<ObjectMeta> = {}): ObjectMeta => ({
  namespace: 'rogue',
  name,
  ...rest,
});

type Attack = readonly [what: string, object: KubernetesObject];

const claimOf = (kind: Kind, what: string, spec: object, rest: Partial<ObjectMeta> = {}): Attack => [
  what,
  {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: metadataOf('', rest),
    spec,
  } as KubernetesObject,
];
const secretOf = (what: string, rest: Partial<ObjectMeta>, own: object = {}): Attack => [
  what,
  {
    apiVersion: 'v1',
    kind: 'Secret',
    type: connectionSecretType,
    metadata: metadataOf('', rest),
    data: { password: 'cm9ndWU=', endpoint: 'cm9ndWU=' },
    ...own,
  } as KubernetesObject,
];

/** Everything there is that somebody else has. */
const things = (world: World): readonly KubernetesObject[] =>
  world.cluster.objects().filter(({ kind, metadata }) => kind !== 'Event' && metadata.namespace !== 'rogue');
const classRefs = (world: World) =>
  classKinds.flatMap((kind: Kind) =>
    world.cluster
      .all(kind)
      .map(({ metadata: { name } }) => ({ apiVersion: apiVersionOf(kind), kind: kind.kind, name })),
  );
const named = ({ apiVersion, kind, metadata: { namespace, name, uid } }: KubernetesObject) => ({
  apiVersion,
  kind,
  name,
  ...(namespace && { namespace }),
  ...(uid && { uid }),
});
/** What of others' goes by a name: objects, and what stands outside. */
const texts = (world: World): readonly string[] => [
  ...new Set(
    things(world).flatMap((thing) => [
      thing.metadata.name,
      thing.metadata.uid ?? '',
      objectKeyText(thing.metadata),
      externalName(thing) ?? '',
      `${(thing as Partial<Managed>).spec?.claimRef?.uid}/${thing.metadata.uid}`,
    ]),
  ),
];

/** Every annotation that controllers read. */
const annotationNames = [
  ...Object.values(annotationKeys),
  ...Object.values(recordKeys),
  reservationKey,
  publishedDetails,
  'to.propagate.crossplane.io/x',
  'from.propagate.crossplane.io/namespace',
  'from.propagate.crossplane.io/name',
];

const attacks: Readonly<Record<string, (world: World) => readonly Attack[]>> = {
  'a claim names what others have as its resource': (world) =>
    claimKinds.flatMap((kind) =>
      things(world).flatMap((thing) => {
        const spec = { resourceRef: named(thing), writeConnectionSecretToRef: { name: 'loot' } };
        const [classRef] = classRefs(world).filter(({ kind: of }) => of === `${thing.kind}Class`);
        return [
          claimOf(kind, `resourceRef ${thing.kind} ${thing.metadata.name}`, spec),
          claimOf(kind, 'the same, with its class', { ...spec, ...(classRef && { classRef }) }),
          claimOf(kind, 'the same, of a claim that bears the name of its claim', spec, {
            name: (thing as Partial<Managed>).spec?.claimRef?.name ?? 'to-come',
          }),
        ];
      }),
    ),
  'a claim names what others have as its class': (world) =>
    claimKinds.flatMap((kind) =>
      things(world)
        .filter((thing) => !classKinds.some((one) => one.kind === thing.kind))
        .map((thing) =>
          claimOf(kind, `classRef ${thing.kind} ${thing.metadata.name}`, { classRef: named(thing) }),
        ),
    ),
  'a claim wants the secret of somebody else for its own': (world) =>
    things(world)
      .filter(({ kind }) => kind === 'Secret')
      .flatMap(({ metadata: { namespace, name } }) =>
        [name, `${namespace}/${name}`, `../${namespace}/${name}`, `${namespace}%2F${name}`].map((secret) =>
          claimOf(FancySQLInstanceKind, `writeConnectionSecretToRef ${secret}`, {
            classSelector: { matchLabels: { size: 'small' } },
            writeConnectionSecretToRef: { name: secret },
          }),
        ),
      ),
  'a claim asks for the external name of what others have': (world) =>
    classRefs(world).flatMap((classRef) =>
      [
        ...databaseNames(world),
        ...[world.favourite, world.other].flatMap((cloud) => cloud.instances().map(({ item }) => item.name)),
      ].map((text) =>
        claimOf(
          classRef.kind.startsWith('PostgreSQL') ? PostgreSQLInstanceKind : FancySQLInstanceKind,
          `external name ${text}`,
          { classRef, writeConnectionSecretToRef: { name: 'loot' } },
          { annotations: { [annotationKeys.externalName]: text } },
        ),
      ),
    ),
  'a claim bears annotations, finalizers and owners of others': (world) =>
    claimKinds.flatMap((kind) => [
      ...annotationNames.flatMap((key) =>
        texts(world)
          .filter((_, index) => index % 40 === 7)
          .map((text) =>
            claimOf(
              kind,
              `${key}: ${text}`,
              { classSelector: { matchLabels: { size: 'small' } } },
              { annotations: { [key]: text } },
            ),
          ),
      ),
      ...things(world).map((thing) =>
        claimOf(
          kind,
          `owner ${thing.kind} ${thing.metadata.name}`,
          {},
          {
            ownerReferences: [{ ...named(thing), uid: thing.metadata.uid ?? '', controller: true }],
            finalizers: Object.values(finalizerNames),
          },
        ),
      ),
    ]),
  'a secret says that what others have controls it': (world) =>
    things(world).flatMap((thing) =>
      [connectionSecretType, 'Opaque'].flatMap((type) => {
        const owner = { ...named(thing), uid: thing.metadata.uid ?? '', controller: true };
        const targets = things(world).filter(({ kind }) => kind === 'Secret');
        return [
          secretOf(
            `controlled by ${thing.kind} ${thing.metadata.name}`,
            { ownerReferences: [owner] },
            { type },
          ),
          ...targets.map(({ metadata: { namespace = '', name } }) =>
            secretOf(
              `the same, from and to ${namespace}/${name}`,
              {
                ownerReferences: [owner],
                labels: { [ownerUidLabel]: thing.metadata.uid ?? '' },
                annotations: {
                  'from.propagate.crossplane.io/namespace': namespace,
                  'from.propagate.crossplane.io/name': name,
                  'to.propagate.crossplane.io/x': `${namespace}/${name}`,
                },
              },
              { type },
            ),
          ),
        ];
      }),
    ),
  'a secret bears every annotation that is read': (world) =>
    annotationNames.flatMap((key) =>
      texts(world)
        .filter((_, index) => index % 3 === 0)
        .map((text) => secretOf(`${key}: ${text}`, { annotations: { [key]: text } })),
    ),
};

for (const isEnforced of [true, false]) {
  describe(isEnforced ? 'a tenant against all others' : 'the same, on a server that knows no rules', () => {
    for (const [name, of] of Object.entries(attacks)) {
      test(name, () => attacked(of, isEnforced));
    }
  });
}

async function attacked(of: (world: World) => readonly Attack[], isEnforced: boolean): Promise<void> {
  const world = await inhabited(isEnforced);
  const { cluster, simulation } = world;
  const { clock } = simulation;
  const before = othersOwn(world);
  const outside = databaseNames(world);
  const secrets = othersSecrets(world);
  const given = of(world);
  const logged = simulation.log.length;
  assert.ok(given.length > 20, `${given.length} attacks`);
  const made = given.flatMap(([what, object], index) => {
    const metadata = { ...object.metadata, name: object.metadata.name || `a-${index}` };
    const kind = kindOf(object);
    return tried(() => cluster.create(kind, { ...object, metadata })) ? [{ what, kind, metadata }] : [];
  });
  await clock.advance(minuteMs);
  assertUntouched(world, { before, outside, secrets });

  // Edited to and fro, as long as the API server lets them.
  for (const [index, { kind, metadata }] of made.entries()) {
    const other = given[(index + 1) % given.length]?.[1];
    if (other === undefined || kindOf(other) !== kind || cluster.find(kind, metadata) === undefined) continue;
    const {
      apiVersion: _v,
      kind: _k,
      metadata: { name: _n, ...rest },
      type: _t,
      ...own
    } = other as KubernetesObject & { type?: string };
    tried(() => cluster.patch(kind, objectKey(metadata), { ...own, metadata: rest }));
  }
  await clock.advance(minuteMs);
  assertUntouched(world, { before, outside, secrets });

  for (const { kind, metadata } of made) cluster.leave(kind, metadata);
  await clock.advance(2 * minuteMs);
  assertUntouched(world, { before, outside, secrets });
  assertUnwoken(simulation.log.slice(logged));
  world.assertNoFault();
  world.assertEveryWriteChanges();
  simulation.kill();
}

/** Nothing of others' was looked at sooner than it would have been: nobody spends their turns, or asks their clouds. */
function assertUnwoken(log: readonly string[]): void {
  const ownTime = new Set<string>([...Object.values(comesBack), looksAgain]);
  const woken = log.flatMap((line) => {
    const { kind, namespace, name = '', because = [], msg } = JSON.parse(line) as Line;
    const isOthers = namespace !== 'rogue' && !name.startsWith('rogue-') && kind !== 'ProviderConfig';
    const reasons = because.filter((reason) => !ownTime.has(reason));
    return msg === 'reconciled' && isOthers && reasons.length > 0 ? [`${kind} ${name}: ${reasons}`] : [];
  });
  assert.deepEqual([...new Set(woken)], []);
}

interface Line {
  readonly msg: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
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

/** Others have what they had, to the last resourceVersion, and the tenant has learnt none of it. */
function assertUntouched(
  world: World,
  {
    before,
    outside,
    secrets,
  }: { readonly before: Own; readonly outside: ReadonlySet<string>; readonly secrets: readonly string[] },
): void {
  const after = othersOwn(world, outside);
  assert.deepEqual(Object.keys(after).toSorted(), Object.keys(before).toSorted());
  for (const [key, value] of Object.entries(before)) assert.deepEqual(after[key], value, key);
  const seen = [
    ...world.cluster
      .objects()
      .filter(({ metadata }) => metadata.namespace === 'rogue')
      .map((object) =>
        object.kind === 'Secret' ? JSON.stringify(decodeDetails(object as Secret)) : JSON.stringify(object),
      ),
    ...world.cluster.all(EventKind).map((event) => JSON.stringify(event)),
  ];
  for (const secret of secrets) {
    const text = seen.find((each) => each.includes(JSON.stringify(secret).slice(1, -1)));
    assert.equal(text, undefined, 'the tenant has read a secret');
  }
}
