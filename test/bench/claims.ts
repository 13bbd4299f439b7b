import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { type FancySQLInstance, FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import type { Resource } from '../../runtime/resource.ts';
import type { Change } from '../../runtime/store.ts';
import { arrivals } from './arrivals.ts';
import { inTurns } from './in-turns.ts';
import type { Scene } from './scene.ts';
import { namespace } from './scene.ts';

/** How many requests a loader has under way. */
export const loaders = 20;

/** `prefix-0`, `prefix-1`, … */
export const numbered = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

export const createClaim = (scene: Scene, name: string, spec: FancySQLInstance['spec']) =>
  scene.fixture.claim(namespace, name, { writeConnectionSecretToRef: { name }, ...spec });

/** When each of these claims is seen to be Bound. */
export function whenBound(scene: Scene, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const wanted = new Set(names);
  return arrivals(scene.claims, 'claims are Bound', names.length, ({ type, object }) =>
    type !== 'deleted' && object.status?.bindingPhase === 'Bound' && wanted.has(object.metadata.name)
      ? object.metadata.name
      : undefined,
  );
}

const deletedName = ({ type, object }: Change<FancySQLInstance | Managed>): string | undefined =>
  type === 'deleted' ? object.metadata.name : undefined;

const whenGone = (scene: Scene, { store }: Resource<Managed>): Promise<ReadonlyMap<string, number>> => {
  const count = store.all().length;
  return count === 0
    ? Promise.resolve(new Map())
    : arrivals(store, `${store.kind.plural} of ${scene.claims.kind.plural} are gone`, count, deletedName);
};

/**
 * Deletes all claims and waits for all managed resources to be gone, which must be the claims' own; answers with the
 * seconds that took. The stack must be running.
 */
export async function deleteClaims(scene: Scene): Promise<number> {
  const claims = scene.claims.all();
  const claimsGone = arrivals(scene.claims, 'claims are gone', claims.length, deletedName);
  const managedGone = scene.managed.map((resource) => whenGone(scene, resource));
  const startedAtMs = performance.now();
  await inTurns(claims.length, loaders, (index) => {
    const { name } = claims[index]!.metadata;
    return scene.client.delete(FancySQLInstanceKind, { namespace, name }, {});
  });
  const times = (await Promise.all(managedGone)).flatMap((gone) => [...gone.values()]);
  await claimsGone;
  return (Math.max(...times) - startedAtMs) / 1000;
}

/** Deletes the managed resources that no claim takes with it. */
export async function deleteManaged(scene: Scene): Promise<void> {
  for (const resource of scene.managed) {
    const all = resource.store.all();
    const gone = whenGone(scene, resource);
    await inTurns(all.length, loaders, (index) => {
      const { name } = all[index]!.metadata;
      return scene.client.delete(resource.kind, { name }, {});
    });
    await gone;
  }
}
