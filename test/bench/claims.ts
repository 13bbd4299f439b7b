import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Store } from '../../runtime/cache/store.ts';
import type { FancySQLInstance } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { arrivals } from './arrivals.ts';
import { inTurns } from './in-turns.ts';
import type { Scene } from './scene.ts';
import { namespace } from './scene.ts';

/** How many requests a loader has under way. */
export const loaders = 20;

/** `prefix-0`, `prefix-1`, … */
export const numbered = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

export const createClaim = (scene: Scene, name: string, spec: FancySQLInstance['spec'], where = namespace) =>
  scene.fixture.claim(where, name, { writeConnectionSecretToRef: { name }, ...spec });

/** When each of these claims is seen to be Bound. */
export function whenBound(scene: Scene, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const wanted = new Set(names);
  return arrivals(scene.claims, 'claims are Bound', names.length, ({ type, object }) =>
    type !== 'deleted' && object.status?.bindingPhase === 'Bound' && wanted.has(object.metadata.name)
      ? object.metadata.name
      : undefined,
  );
}

/** When each of these objects of a kind is seen to be gone; nothing is waited for if there are none. */
function whenGone<T extends KubernetesObject>(
  store: Store<T>,
  isMeant: (object: T) => boolean = () => true,
): Promise<ReadonlyMap<string, number>> {
  const names = new Set(
    store
      .all()
      .filter(isMeant)
      .map(({ metadata }) => metadata.name),
  );
  if (names.size === 0) return Promise.resolve(new Map());
  return arrivals(store, `${store.kind.plural} are gone`, names.size, ({ type, object }) =>
    type === 'deleted' && names.has(object.metadata.name) ? object.metadata.name : undefined,
  );
}

/**
 * Deletes all claims and waits until they are gone, and their managed resources with them, where the reclaim policy
 * is Delete. Answers with the seconds until the last of these was. The stack must be running.
 */
export async function deleteClaims(scene: Scene): Promise<number> {
  const claims = scene.claims.all();
  const gone = [
    whenGone(scene.claims),
    ...scene.managed.map(({ store }) => whenGone(store, ({ spec }) => spec.reclaimPolicy === 'Delete')),
  ];
  const startedAtMs = performance.now();
  await inTurns(claims.length, loaders, (index) => {
    return scene.client.delete(FancySQLInstanceKind, objectKey(claims[index]!.metadata), {});
  });
  const times = (await Promise.all(gone)).flatMap((each) => [...each.values()]);
  return (Math.max(startedAtMs, ...times) - startedAtMs) / 1000;
}

/** Deletes all managed resources and waits until they are gone. The stack must be running. */
export async function deleteManaged(scene: Scene): Promise<void> {
  for (const { kind, store } of scene.managed) {
    const all = store.all();
    const gone = whenGone(store);
    await inTurns(all.length, loaders, (index) =>
      scene.client.delete(kind, { name: all[index]!.metadata.name }, {}),
    );
    await gone;
  }
}
