import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { managedKinds } from '../kinds.ts';

/** A claim is given one managed resource in its life, whether or not that is there still. */
export const provisionedOnce: InvariantOf = () => {
  /** By a claim's UID: the resource that a process created for it. */
  const made = new Map<string, string>();
  return {
    name: 'one managed resource is provisioned for a claim',
    changed({ by, kind, before, after }) {
      if (!managedKinds.includes(kind) || before !== undefined || after === undefined || !isProcess(by))
        return [];
      const { uid } = (after as unknown as Managed).spec.claimRef ?? {};
      if (uid === undefined) return [];
      const what = `${kind.kind} ${after.metadata.name}`;
      const former = made.get(uid);
      made.set(uid, what);
      return former === undefined || former === what
        ? []
        : [`${by} creates ${what} for claim ${uid}, which was given ${former}`];
    },
  };
};
