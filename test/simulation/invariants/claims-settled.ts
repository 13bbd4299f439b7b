import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { isConditionTrue } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';

const isWell = ({ status }: Claim | Managed): boolean =>
  ['Ready', 'Synced'].every((type) => isConditionTrue(status?.conditions, type));

/** The model and the decision tables prove which resource a claim gets. Here the statuses of both must agree. */
export const claimsSettled: InvariantOf = ({ cluster, planted }) => {
  /** The UIDs of claims that a user gave the finalizer: another process may serve them. */
  const servedElsewhere = new Set<string | undefined>();
  function faultsOf(claim: Claim): readonly string[] {
    const { metadata, spec, status } = claim;
    const resources = managedKinds.flatMap((kind) => cluster.all(kind) as unknown as readonly Managed[]);
    const owned = resources.filter(
      (one) => one.spec.claimRef?.uid === metadata.uid && one.status?.bindingPhase !== 'Released',
    );
    const bound = owned.find((one) => one.status?.bindingPhase === 'Bound');
    const named = resources.find(
      (one) => one.kind === spec.resourceRef?.kind && one.metadata.name === spec.resourceRef.name,
    );
    const failing = owned[0] ?? named;
    // Until a resource works again, its claim keeps the phase.
    const isRetained = failing !== undefined && !isWell(failing);
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const isReady = bound !== undefined && bound.metadata.deletionTimestamp === undefined && isWell(bound);
    const isSynced = isConditionTrue(status?.conditions, 'Synced');
    // The claim asks for a Secret, and its resource publishes none, so that no program can use the service.
    const isUnserved =
      spec.writeConnectionSecretToRef !== undefined && !(bound !== undefined && wantsDetails(bound));
    return [
      ...(status?.observedGeneration === metadata.generation
        ? []
        : [`has observed generation ${status?.observedGeneration} of ${metadata.generation}`]),
      ...(owned.length === 0 || hasFinalizer(claim, finalizerNames.claim)
        ? []
        : [`has no finalizer, and owns ${owned[0]?.metadata.name}`]),
      ...(bound === undefined && status?.bindingPhase === 'Bound' && !isRetained
        ? ['is Bound, and no resource is bound to it']
        : []),
      ...(bound !== undefined && status?.bindingPhase !== 'Bound' && isSynced && isWell(bound)
        ? [`is ${status?.bindingPhase}, and ${bound.metadata.name} is bound to it`]
        : []),
      ...(isReady && isSynced && !isUnserved && ready?.status !== 'True'
        ? [`is not Ready, and ${bound.metadata.name} is`]
        : []),
      ...(isReady && isSynced && isUnserved && ready?.reason !== 'SecretNotPublished'
        ? [`is ${ready?.reason}, and ${bound.metadata.name} publishes no Secret`]
        : []),
      ...(bound === undefined && ready?.status !== 'False'
        ? ['is bound to nothing, and not Ready False']
        : []),
    ];
  }

  return {
    name: 'a claim at rest has the status of its resource',
    changed({ by, kind, before, after }) {
      const has = (claim: typeof after): boolean =>
        claim !== undefined && hasFinalizer(claim, finalizerNames.claim);
      if (claimKinds.includes(kind) && !isProcess(by) && has(after) && !has(before))
        servedElsewhere.add(after?.metadata.uid);
      return [];
    },
    atRest: () =>
      claimKinds
        .flatMap((kind) => cluster.all(kind) as unknown as readonly Claim[])
        .filter(
          (claim) =>
            claim.metadata.deletionTimestamp === undefined &&
            !planted.has(claim.metadata.uid) &&
            !servedElsewhere.has(claim.metadata.uid),
        )
        .flatMap((claim) =>
          faultsOf(claim).map((fault) => `${claim.kind} ${objectKeyText(claim.metadata)} ${fault}`),
        ),
  };
};
