import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';

/** A process deletes a managed resource only at the end of its claim, if it was Bound or provisioned, by its policy. */
export const reclaimed: InvariantOf = ({ cluster }) => {
  const claimOf = ({ spec: { claimRef } }: Managed): Claim | undefined => {
    const kind = claimKinds.find((each) => each.kind === claimRef?.kind);
    const claims = kind === undefined ? [] : (cluster.all(kind) as unknown as readonly Claim[]);
    return claims.find(({ metadata }) => metadata.uid === claimRef?.uid);
  };

  function objections(managed: Managed): readonly string[] {
    const { spec, status } = managed;
    if (spec.claimRef === undefined) return ['that no claim has'];
    const claim = claimOf(managed);
    return [
      ...(spec.reclaimPolicy === 'Delete' ? [] : [`whose policy is ${spec.reclaimPolicy ?? 'not set'}`]),
      ...(status?.bindingPhase === 'Bound' || spec.classRef !== undefined
        ? []
        : ['that was made by hand, and was never bound']),
      ...(claim !== undefined && claim.metadata.deletionTimestamp === undefined
        ? [`whose claim ${objectKeyText(claim.metadata)} stays`]
        : []),
    ];
  }

  return {
    name: 'a process deletes a managed resource only with its claim, and only if the policy says Delete',
    changed({ by, kind, before, after }) {
      if (!managedKinds.includes(kind) || before === undefined || !isProcess(by)) return [];
      const isDeletion =
        before.metadata.deletionTimestamp === undefined &&
        (after === undefined || after.metadata.deletionTimestamp !== undefined);
      return isDeletion
        ? objections(before as unknown as Managed).map(
            (objection) => `${by} deletes ${kind.kind} ${before.metadata.name}, ${objection}`,
          )
        : [];
    },
  };
};
