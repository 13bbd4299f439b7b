import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';

/** A claim is given one managed resource in its life, whether or not that is there still. */
export const provisionedOnce: InvariantOf = () => {
  /** What processes made for a claim, by its UID. */
  const made = new Map<string, string>();
  const wereBound = new Set<string>();
  return {
    name: 'one managed resource is provisioned for a claim, and none for one that was bound',
    changed({ by, kind, before, after }) {
      if (after === undefined) return [];
      if (claimKinds.includes(kind)) {
        if ((after as unknown as Claim).status?.bindingPhase === 'Bound')
          wereBound.add(after.metadata.uid ?? '');
        return [];
      }
      if (!managedKinds.includes(kind) || before !== undefined || !isProcess(by)) return [];
      const { uid } = (after as unknown as Managed).spec.claimRef ?? {};
      if (uid === undefined) return [];
      const what = `${kind.kind} ${after.metadata.name}`;
      const former = made.get(uid);
      made.set(uid, what);
      return [
        ...(former === undefined || former === what
          ? []
          : [`${by} makes ${what} for claim ${uid}, which was given ${former}`]),
        ...(wereBound.has(uid) ? [`${by} makes ${what} for claim ${uid}, which was Bound`] : []),
      ];
    },
  };
};
