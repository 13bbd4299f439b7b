import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess, phaseOf } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';
import { knowing } from './lag.ts';

/** When a claim was Bound first, also in requests asked by then. */
interface Bound {
  readonly atMs: number;
  readonly asked: number;
  readonly isSaidByProcess: boolean;
}

/**
 * A claim is given one managed resource in its life, whether or not that is there still. A request that was given up may
 * be carried out long after it: it counts as what it was when it was asked. What
 * a person writes into a status processes cannot know before their watches tell them.
 */
export const provisionedOnce: InvariantOf = (world) => {
  const knownMs = knowing(world.scenario);
  /** What processes made for a claim, by its UID. */
  const made = new Map<string, string>();
  /** By a claim's UID; as a process said it, if one has. */
  const boundAt = new Map<string, Bound>();
  /** When each creation was asked for last. */
  const askedAt = new Map<string, number>();
  let asked = 0;
  return {
    name: 'one managed resource is provisioned for a claim, and none for one that was bound',
    asked({ call }) {
      asked += 1;
      if (call.startsWith('create ')) askedAt.set(call, asked);
      return [];
    },
    changed({ by, kind, before, after }) {
      if (after === undefined) return [];
      if (claimKinds.includes(kind)) {
        const { uid = '' } = after.metadata;
        const isBound = phaseOf(after) === 'Bound';
        // What leaves the phase as somebody wrote it says nothing.
        const isSaidByProcess = isProcess(by) && phaseOf(before) !== 'Bound';
        const former = boundAt.get(uid);
        if (isBound && (former === undefined || (isSaidByProcess && !former.isSaidByProcess))) {
          boundAt.set(uid, { atMs: world.elapsedMs, asked, isSaidByProcess });
        }
        return [];
      }
      if (!managedKinds.includes(kind) || before !== undefined || !isProcess(by)) return [];
      const { uid } = (after as unknown as Managed).spec.claimRef ?? {};
      if (uid === undefined) return [];
      const what = `${kind.kind} ${after.metadata.name}`;
      const former = made.get(uid);
      made.set(uid, what);
      const bound = boundAt.get(uid);
      const isKnown = bound !== undefined && (bound.isSaidByProcess || world.elapsedMs > knownMs(bound.atMs));
      const wasThere = former === what || bound?.isSaidByProcess === false;
      const isLate = wasThere && (askedAt.get(`create ${what}`) ?? Infinity) <= (bound?.asked ?? Infinity);
      return [
        ...(former === undefined || former === what
          ? []
          : [`${by} makes ${what} for claim ${uid}, which was given ${former}`]),
        ...(isKnown && !isLate ? [`${by} makes ${what} for claim ${uid}, which was Bound`] : []),
      ];
    },
  };
};
