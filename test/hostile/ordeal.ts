import assert from 'node:assert/strict';
import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf, objectKey, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { finalizerNames, hasFinalizer } from '../../apis/core/v1alpha1/meta.ts';
import { controllerOf } from '../../apis/core/v1alpha1/reference.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { EventKind } from '../../runtime/events/event-kind.ts';
import { claimKinds, definitions, managedKinds } from '../fakes/defined-kinds.ts';
import type { Names } from './arbitraries.ts';
import { World } from './world.ts';

const minuteMs = 60_000;
/** Longer than the sync period of the world, so that everything is observed once more. */
const idleMinutes = 12;

const kinds: readonly Kind[] = [...definitions, SecretKind];

/** The names and references of hostile objects: each other, and existing objects. */
export const names: Names = {
  objects: ['bad', 'worse', 'small', 'default', 'legacy', 'before', 'favourite', 'uid-of-before'],
  namespaces: ['rogue', 'infra', 'quiet', 'stores'],
  uids: ['uid-1', 'uid-of-before', 'uid-11', 'uid-13', 'bogus'],
  kinds: definitions,
};

/** An object of an attacker, and its later edits. */
export interface Planted {
  readonly object: KubernetesObject;
  readonly edited?: KubernetesObject | undefined;
}

/** The kind of an object, by what it says it is. */
export function kindOf({ apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>): Kind {
  const found = kinds.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  assert.ok(found !== undefined, `${apiVersion} ${kind}`);
  return found;
}

/** Objects of others: an attacker must not write them. */
const isOthers = (world: World, { object }: Planted): boolean =>
  object.metadata.namespace === 'quiet' || world.cluster.find(kindOf(object), object.metadata) !== undefined;

/**
 * Plants objects in a world in which others have claims, edits them, and deletes them again. Others must not
 * notice it. The process continues without extra load, its messages are clean, and nothing remains.
 */
export async function undergo(
  given: readonly Planted[],
  { seed = 1, isEnforced = true }: { readonly seed?: number; readonly isEnforced?: boolean } = {},
): Promise<void> {
  const world = new World(seed, { isEnforced });
  const { cluster, simulation } = world;
  const { clock } = simulation;
  world.claim('before');
  world.start();
  await clock.advance(minuteMs);
  const before = new Set(world.inventory());
  /** Others' own, which stays. */
  const isQuiet = (kind: Kind, object: KubernetesObject): boolean =>
    before.has(world.nameOf(kind, object.metadata)) ||
    [object.metadata.namespace, object.metadata.name, controllerOf(object)?.name].some((name) =>
      name?.startsWith('quiet'),
    );
  const planted = given.filter((one) => !isOthers(world, one));

  for (const { object } of planted) cluster.put(kindOf(object), object);
  await clock.advance(minuteMs);
  for (const { object, edited } of planted) {
    const kind = kindOf(object);
    if (edited !== undefined && cluster.find(kind, object.metadata) !== undefined) {
      cluster.put(kind, { ...edited, metadata: { ...edited.metadata, ...objectKey(object.metadata) } });
    }
  }
  world.claim('after');
  await clock.advance(5 * minuteMs);
  world.assertUsable('before');
  world.assertUsable('after');

  const atEase = world.effort();
  await clock.advance(idleMinutes * minuteMs);
  const { writes, runs } = world.effort();
  // A write that its definition refuses is tried again. A creation that its cloud refuses is announced each time it is
  // tried, where the cloud assigns names.
  const late = simulation.carriedOut
    .slice(atEase.carriedOut)
    .filter((write) => !/ update Network /.test(write));
  assert.deepEqual(late, [], 'nothing is left to be written');
  const sent = writes - atEase.writes;
  const mostWrites = 3 * planted.length * idleMinutes;
  const mostRuns = 8 * (planted.length + 20) * idleMinutes;
  assert.ok(sent <= mostWrites, `${sent} writes while nothing happens`);
  assert.ok(runs - atEase.runs <= mostRuns, `${runs - atEase.runs} runs while nothing happens`);
  for (const one of planted) assertTold(world, one);
  const reported = planted.flatMap(({ object, edited = object }) => [object, edited]);
  world.assertDecentWords(reported);

  // The attacker deletes them: claims and resources first, because these may need the others for their
  // deletion.
  for (const leaving of [claimKinds, managedKinds, kinds]) {
    for (const kind of leaving) {
      for (const object of cluster.all(kind)) {
        if (isQuiet(kind, object)) continue;
        cluster.leave(kind, object.metadata);
        release(world, kind, object.metadata);
      }
    }
    await clock.advance(3 * minuteMs);
  }
  world.assertUsable('before');
  world.assertUsable('after');
  for (const kind of kinds) {
    for (const object of cluster.all(kind)) {
      if (!isQuiet(kind, object)) assertHeld(world, world.nameOf(kind, object.metadata), object);
    }
  }
  world.assertNoFault();
  world.assertEveryWriteChanges();
  world.assertDecentWords(reported);
  simulation.kill();
}

/** The finalizer that the process itself removes, for the kinds that have one. */
const finalizerOf = (kind: Kind): string | undefined => {
  if (claimKinds.some((one) => one === kind)) return finalizerNames.claim;
  if (managedKinds.some((one) => one === kind)) return finalizerNames.managed;
  return ['Provider', 'ProviderConfig', 'StoreConfig'].includes(kind.kind) ? finalizerNames.inUse : undefined;
};

/** A finalizer of the attacker, or one without a meaning there, is removed by the attacker. */
function release({ cluster }: World, kind: Kind, key: ObjectKey): void {
  const held = cluster.find(kind, key);
  const finalizers = held?.metadata.finalizers?.filter((name) => name === finalizerOf(kind));
  if (held !== undefined && finalizers?.length !== held.metadata.finalizers?.length) {
    cluster.put(kind, { ...held, metadata: { ...held.metadata, finalizers: finalizers ?? [] } });
  }
}

type Reported = KubernetesObject & { readonly status?: { readonly conditions?: unknown } };

/** The attacker may have written any value in place of conditions. */
const syncedOf = ({ status }: Reported) => {
  const conditions: readonly unknown[] = Array.isArray(status?.conditions) ? status.conditions : [];
  return getCondition(
    conditions.filter((one): one is Condition => typeof one === 'object' && one !== null),
    'Synced',
  );
};

/** The author of a claim or a managed resource finds its result in a condition or in an Event. */
function assertTold({ cluster }: World, { object }: Planted): void {
  const kind = kindOf(object);
  if (![...claimKinds, ...managedKinds].some((one) => one === kind)) return;
  const found: Reported | undefined = cluster.find(kind, object.metadata);
  if (found === undefined) return;
  // Such a claim counts as served by another process, which reports it. No role lets a tenant write a status.
  const { bindingPhase } = (object as { readonly status?: { readonly bindingPhase?: unknown } }).status ?? {};
  if (hasFinalizer(object, finalizerNames.claim) || bindingPhase === 'Bound') return;
  const isTold = syncedOf(found).status !== 'Unknown';
  const isReported = isTold || hasEvent(cluster, found);
  assert.ok(isReported, `nobody says what came of ${kind.kind} ${objectKeyText(object.metadata)}`);
}

function hasEvent(cluster: World['cluster'], { kind, metadata }: KubernetesObject): boolean {
  const about = { kind, namespace: metadata.namespace, name: metadata.name };
  const fields = ['kind', 'namespace', 'name'] as const;
  return cluster.all(EventKind).some(({ involvedObject }) => {
    const involved = involvedObject as Partial<typeof about>;
    return fields.every((field) => involved[field] === about[field]);
  });
}

/** A remaining object reports what holds it. */
function assertHeld({ cluster }: World, name: string, object: Reported): void {
  const { metadata, status } = object;
  assert.ok(metadata.deletionTimestamp !== undefined, `${name} stays behind`);
  const synced = syncedOf(object);
  const isReported = (synced.status === 'False' && synced.message) || hasEvent(cluster, object);
  assert.ok(isReported, `${name} does not say why it stays: ${JSON.stringify(status)}`);
}
