import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import range from 'lodash/range.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { credentialAnnotation, encodeNote } from '../../controllers/credential.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { objectOf, referenceOf } from '../fakes/object-of.ts';
import { rogue } from './attacks.ts';
import { World } from './world.ts';

/*
 * One database serves a claim of team `team`, then one of the tenant, then one of `team` again. After each change of its
 * objects in turn the tenant does something with its own claim and its own Secret.
 */

/** More changes than there are until the last claim is Bound. */
const steps = 45;
/** Unit tests try a third of the steps with each act, and each step with some; with `HOSTILE_RUNS` they try all. */
const stride = process.env.HOSTILE_RUNS === undefined ? 3 : 1;
/** Longer than it takes until a claim is Bound. */
const phaseMs = 20_000;
const minuteMs = 60_000;

function claimOf(namespace: string, name: string, resource: string): Claim {
  const resourceRef = referenceOf(FavouriteDBInstanceKind, resource);
  const spec = { resourceRef, writeConnectionSecretToRef: { name } };
  return objectOf(FancySQLInstanceKind, { namespace, name }, { spec });
}

type Cluster = World['cluster'];
type Act = (cluster: Cluster, step: number) => void;

const own = (step: number) => ({ namespace: rogue, name: `next-${step}` });
function secretOf(step: number, type: string, annotations = {}): Secret {
  const data = encodeDetails({ password: 'guess', own: 'value' });
  return objectOf(SecretKind, { ...own(step), annotations }, { type, data });
}
const fromSource = (step: number) => ({
  'from.propagate.crossplane.io/namespace': 'infra',
  'from.propagate.crossplane.io/name': `shared-${step}`,
});
const forged = (step: number) => encodeNote({ key: 'a2V5', for: `FancySQLInstance ${rogue}/next-${step}` });

const acts: Readonly<Record<string, Act>> = {
  'edits the data of its Secret': (cluster, step) =>
    cluster.patch(SecretKind, own(step), { data: encodeDetails({ password: 'guess' }) }),
  'removes owner and annotations of its Secret': (cluster, step) =>
    cluster.patch(SecretKind, own(step), { metadata: { ownerReferences: null, annotations: null } }),
  'deletes its Secret': (cluster, step) => cluster.delete(SecretKind, own(step)),
  'replaces its Secret': (cluster, step) => {
    if (cluster.find(SecretKind, own(step)) !== undefined) cluster.delete(SecretKind, own(step));
    cluster.create(SecretKind, secretOf(step, 'Opaque'));
  },
  'replaces its Secret by a copy of the source that it made up': (cluster, step) => {
    if (cluster.find(SecretKind, own(step)) !== undefined) cluster.delete(SecretKind, own(step));
    const annotations = { ...fromSource(step), [credentialAnnotation]: forged(step) };
    cluster.create(SecretKind, secretOf(step, connectionSecretType, annotations));
  },
  'annotates its Secret as a copy': (cluster, step) =>
    cluster.patch(SecretKind, own(step), {
      metadata: { annotations: { ...fromSource(step), [credentialAnnotation]: forged(step) } },
    }),
  'names another Secret': (cluster, step) =>
    cluster.patch(FancySQLInstanceKind, own(step), {
      spec: { writeConnectionSecretToRef: { name: `renamed-${step}` } },
    }),
  'annotates its claim': (cluster, step) =>
    cluster.patch(FancySQLInstanceKind, own(step), {
      metadata: { annotations: { ...fromSource(step), [credentialAnnotation]: forged(step) } },
    }),
  'names the database of another claim': (cluster, step) =>
    cluster.patch(FancySQLInstanceKind, own(step), { spec: { resourceRef: { name: 'taken' } } }),
  'deletes its claim': (cluster, step) => cluster.delete(FancySQLInstanceKind, own(step)),
  'removes the finalizer of its claim, deletes it and creates it again': (cluster, step) => {
    if (cluster.find(FancySQLInstanceKind, own(step)) !== undefined) {
      cluster.patch(FancySQLInstanceKind, own(step), { metadata: { finalizers: null } });
      if (cluster.find(FancySQLInstanceKind, own(step)) !== undefined)
        cluster.delete(FancySQLInstanceKind, own(step));
    }
    cluster.create(FancySQLInstanceKind, claimOf(rogue, `next-${step}`, `shared-${step}`) as never);
  },
};

/** A request that the API server refuses has no effect. */
function tried(act: () => unknown): void {
  try {
    act();
  } catch {
    // refused
  }
}

const passwordOf = (secret: KubernetesObject): string | undefined => decodeDetails(secret as Secret).password;

async function handOver(act: Act, first: number): Promise<void> {
  const world = new World(1);
  const { cluster, simulation } = world;
  const { clock } = simulation;
  const all = range(1 + (first % stride), steps + 1, stride);
  /** The objects that each side could read. */
  const read = { team: new Set<string>(), [rogue]: new Set<string>() };
  const counts = new Map<number, number>();
  let isCounting = false;

  cluster.witness((kind, before, after) => {
    const { namespace = '', name = '' } = (after ?? before)?.metadata ?? {};
    const password = kind.kind === 'Secret' && after !== undefined ? passwordOf(after) : undefined;
    if (password !== undefined && password !== 'guess' && (namespace === 'team' || namespace === rogue))
      read[namespace].add(password);
    const step = Number(/-(\d+)$/.exec(name)?.[1]);
    if (!isCounting || Number.isNaN(step) || kind.kind === 'Event') return;
    const count = (counts.get(step) ?? 0) + 1;
    counts.set(step, count);
    if (count === step) tried(() => act(cluster, step));
  });

  const put = (name: string): void => {
    const writeConnectionSecretToRef = { namespace: 'infra', name };
    const spec = { writeConnectionSecretToRef, forProvider: { fancinessLevel: 1 }, reclaimPolicy: 'Retain' };
    world.put(FavouriteDBInstanceKind, { name }, { spec });
  };
  const claim = (namespace: string, name: string, resource: string): void =>
    tried(() => cluster.create(FancySQLInstanceKind, claimOf(namespace, name, resource) as never));
  /** An administrator makes the database available to one claim. */
  const offer = (step: number, namespace: string, name: string): void =>
    tried(() => {
      const claimRef = { ...referenceOf(FancySQLInstanceKind, name), namespace, uid: null };
      cluster.patch(FavouriteDBInstanceKind, { name: `shared-${step}` }, { spec: { claimRef } });
    });

  for (const step of all) put(`shared-${step}`);
  put('taken');
  world.start();
  claim('team', 'taken', 'taken');
  for (const step of all) claim('team', `previous-${step}`, `shared-${step}`);
  await clock.advance(phaseMs);
  for (const step of all)
    cluster.delete(FancySQLInstanceKind, { namespace: 'team', name: `previous-${step}` });
  await clock.advance(phaseMs);
  isCounting = true;
  for (const step of all) {
    offer(step, rogue, `next-${step}`);
    claim(rogue, `next-${step}`, `shared-${step}`);
  }
  await clock.advance(phaseMs);
  for (const step of all) tried(() => cluster.delete(FancySQLInstanceKind, own(step)));
  await clock.advance(phaseMs);
  for (const step of all) {
    offer(step, 'team', `later-${step}`);
    claim('team', `later-${step}`, `shared-${step}`);
  }
  await clock.advance(minuteMs);

  const both = [...read[rogue]].filter((password) => read.team.has(password));
  assert.deepEqual(both, [], 'no password was readable on both sides');
  assert.ok(read.team.size > all.length && read[rogue].size > 0, 'both sides had passwords');
  assertUsable(world, 'taken', 'taken');
  for (const step of all) assertUsable(world, `later-${step}`, `shared-${step}`);
  world.assertNoFault();
  simulation.kill();
}

/** The claim of the team is Bound, and its password opens its database. */
function assertUsable(world: World, name: string, resource: string): void {
  const key = { namespace: 'team', name };
  const { status } = world.cluster.get<Claim>(FancySQLInstanceKind, key);
  const { spec } = world.cluster.get<Managed>(FavouriteDBInstanceKind, { name: resource });
  const state = JSON.stringify([name, status?.conditions, spec.claimRef]);
  assert.equal(status?.bindingPhase, 'Bound', state);
  const instance = world.favourite.instances().find(({ item }) => item.name === resource);
  assert.equal(passwordOf(world.cluster.get<Secret>(SecretKind, key)), instance?.item.password, name);
}

describe('a tenant that has a database between two claims of another team', () => {
  for (const [index, [name, act]] of Object.entries(acts).entries()) {
    test(`reads no password of theirs, and keeps none that they get, if it ${name}, at any step`, () =>
      handOver(act, index));
  }
});
