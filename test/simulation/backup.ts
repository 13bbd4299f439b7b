import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { MemoryCluster, Stored } from '../../testing/memory-cluster.ts';
import type { Chance } from './chance.ts';
import { kindOf, kinds } from './kinds.ts';

/** The content of backups: objects that users and processes wrote, and that nothing deletes. */
export const backUp = (cluster: MemoryCluster): readonly Stored[] =>
  kinds
    .flatMap((kind) => cluster.all(kind) as readonly Stored[])
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined);

/** As a backup brings it back, into this cluster or another: of a new UID, and without status. */
export function restored({ metadata, status: _, ...rest }: Stored): KubernetesObject {
  const {
    uid: _u,
    resourceVersion: _v,
    creationTimestamp: _c,
    generation: _g,
    ...restoredMetadata
  } = metadata;
  return { ...rest, metadata: restoredMetadata };
}

/** Everything goes, as if the cluster were another. */
export function empty(cluster: MemoryCluster): void {
  for (const kind of kinds) {
    for (const { metadata } of cluster.all(kind)) cluster.remove(kind, metadata.name, metadata.namespace);
  }
}

/** Restores the objects one after another in random order. An object that exists again is skipped. */
export const shuffled = <T>(all: readonly T[], chance: Chance): readonly T[] =>
  all
    .map((each, index) => ({ each, at: chance('order', index) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ each }) => each);

/** Puts one object of a backup back, unless there is one of its name: then undefined. */
export function putBack(cluster: MemoryCluster, object: KubernetesObject): KubernetesObject | undefined {
  const kind = kindOf(object);
  return cluster.find(kind, object.metadata) === undefined ? cluster.put(kind, object) : undefined;
}
