import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKey, objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';

/**
 * A managed resource is deleted by nobody but people, unless its claim goes, had it bound or made for itself, and the
 * policy says Delete.
 */
export const reclaimed: InvariantOf = ({ cluster, restored }) => {
  /** The UIDs of what processes made. */
  const provisioned = new Set<string>();

  const claimOf = ({ spec: { claimRef } }: Managed): Claim | undefined => {
    const kind = claimKinds.find((each) => each.kind === claimRef?.kind);
    const { namespace = '', name = '', uid } = claimRef ?? {};
    const claim = kind && (cluster.find(kind, objectKey({ namespace, name })) as Claim | undefined);
    return claim?.metadata.uid === uid ? claim : undefined;
  };

  function objections(managed: Managed): readonly string[] {
    const { spec, status, metadata } = managed;
    const isProvisioned = provisioned.has(metadata.uid ?? '') || restored.has(metadata.uid ?? '');
    if (spec.claimRef === undefined) return ['that no claim has'];
    const claim = claimOf(managed);
    return [
      ...(spec.reclaimPolicy === 'Delete' ? [] : [`whose policy is ${spec.reclaimPolicy ?? 'not set'}`]),
      ...(status?.bindingPhase === 'Bound' || isProvisioned
        ? []
        : ['that was there before its claim, and was never bound']),
      ...(claim !== undefined && claim.metadata.deletionTimestamp === undefined
        ? [`whose claim ${objectKeyText(claim.metadata)} stays`]
        : []),
    ];
  }

  return {
    name: 'only what was bound to a claim that goes, or made for it, is reclaimed, and only if the policy says Delete',
    changed({ by, kind, before, after }) {
      if (!managedKinds.includes(kind) || !isProcess(by)) return [];
      if (before === undefined) {
        provisioned.add(after?.metadata.uid ?? '');
        return [];
      }
      const isDeletion =
        before.metadata.deletionTimestamp === undefined &&
        (after === undefined || after.metadata.deletionTimestamp !== undefined);
      if (!isDeletion) return [];
      return objections(before as unknown as Managed).map(
        (objection) => `${by} deletes ${kind.kind} ${before.metadata.name}, ${objection}`,
      );
    },
  };
};
