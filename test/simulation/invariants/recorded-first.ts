import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, finalizerNames, hasFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import type { Change, InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { managedKinds } from '../kinds.ts';
import type { Outside } from '../oracle/outside-resources.ts';
import { inClouds } from '../oracle/outside-resources.ts';
import { knowing } from './lag.ts';

/** Whether a crash right now would leave the external resource with a managed resource that records it. */
const isRecorded = (managed: Managed): boolean =>
  hasFinalizer(managed, finalizerNames.managed) &&
  [annotationKeys.externalIdentity, annotationKeys.externalCreatePending].some(
    (key) => managed.metadata.annotations?.[key] !== undefined,
  );

/**
 * An external resource is recorded before it is created: as far as the process could know, if a user has removed the
 * record a moment ago.
 */
export const recordedFirst: InvariantOf = (world) => {
  const placeOf = ({ system, name }: Outside): string => `${system} ${name}`;
  const knownMs = knowing(world.scenario);
  let known = new Set<string>();
  /** When a user removed a record, by `kind name`. */
  const removedMs = new Map<string, number>();

  function noteManaged({ before, after }: Change): void {
    const [was, is] = [before, after] as unknown as readonly (Managed | undefined)[];
    if (was === undefined || !isRecorded(was) || (is !== undefined && isRecorded(is))) return;
    removedMs.set(`${was.kind} ${was.metadata.name}`, world.elapsedMs);
  }

  return {
    name: 'an external resource is recorded before it is created',
    changed(change) {
      if (managedKinds.includes(change.kind) && !isProcess(change.by)) noteManaged(change);
      return [];
    },
    called({ by, system, isWrite, isRefused }) {
      if (system === 'api' || !isWrite) return [];
      const there = inClouds(world);
      // A resource that a user deleted while its cloud created it shows again once that has ended.
      const fresh = there.filter((one) => one.system === system && !known.has(placeOf(one)));
      known = new Set(there.map(placeOf));
      if (isRefused || !isProcess(by)) return [];
      return fresh.flatMap((one) => {
        const kind = managedKinds.find(
          ({ kind, group }) => `${kind}.${group}`.toLowerCase() === one.ownerKind,
        );
        const owner = kind && (world.cluster.find(kind, { name: one.owner ?? '' }) as Managed | undefined);
        const removed = removedMs.get(`${kind?.kind} ${one.owner}`);
        if (removed !== undefined && world.elapsedMs < knownMs(removed)) return [];
        if (owner === undefined)
          return [`${by} created ${placeOf(one)} for ${one.owner}, which is not there`];
        return isRecorded(owner) ? [] : [`${by} created ${placeOf(one)}, which is not recorded`];
      });
    },
  };
};
