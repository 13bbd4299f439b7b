import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { getCondition, isConditionTrue } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerUid } from '../../../apis/core/v1alpha1/reference.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { InvariantOf } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';
import { boundClaimUid } from '../oracle/bound-claim.ts';
import { isTakenFrom } from '../oracle/taken-secret.ts';

const isBoundTo = (managed: Managed, { metadata }: Claim): boolean =>
  managed.status?.bindingPhase === 'Bound' && boundClaimUid(managed) === metadata.uid;

export const secretsInStep: InvariantOf = ({ cluster }) => ({
  name: "a Bound claim's secret equals its source, every key",
  atRest: () =>
    claimKinds
      .flatMap((kind) => cluster.all(kind) as unknown as readonly Claim[])
      .flatMap((claim) => {
        const { kind, metadata, spec, status } = claim;
        const { resourceRef, writeConnectionSecretToRef: to } = spec;
        if (status?.bindingPhase !== 'Bound' || resourceRef === undefined) return [];
        const resources = managedKinds.flatMap((each) => cluster.all(each) as unknown as readonly Managed[]);
        const named = resources.find(
          (one) => one.kind === resourceRef.kind && one.metadata.name === resourceRef.name,
        );
        // An administrator may have given it another one than it names, which it is told.
        const its = resources.filter((one) => isBoundTo(one, claim));
        const managed = its.length === 0 || (named !== undefined && its.includes(named)) ? named : its[0];
        const from = managed?.spec.writeConnectionSecretToRef;
        if (to === undefined || from === undefined) return [];
        const target = cluster.find(SecretKind, { namespace: metadata.namespace ?? '', name: to.name });
        const source = cluster.find(SecretKind, from);
        const what = `${kind} ${objectKeyText(metadata)}`;
        const isReady = isConditionTrue(status.conditions, 'Ready');
        // Somebody else has it by now, so that nothing is handed over, and the claim says so.
        if (managed !== undefined && isTakenFrom(managed, from, cluster) && !isReady) return [];
        // It goes with its resource, and the claim says that this is going.
        const isGoing = managed !== undefined && wasDeleted(managed);
        if (source === undefined && isGoing && !isReady) return [];
        // It was lost while nobody could reach what it is of, and that says so; what the claim was given it keeps.
        const isKept = getCondition(managed?.status?.conditions, 'Synced').status === 'False';
        if (source === undefined && isKept && target !== undefined) return [];
        if (source === undefined) return [`${what} is Bound, and the secret of its resource is not there`];
        // What is somebody else's is left alone, and the claim says so.
        if (target !== undefined && controllerUid(target) !== metadata.uid) return [];
        // What goes is handed over to no other name, and the claim has no secret then, as its status says.
        if (target === undefined && isGoing && !isReady && status.binding === undefined) return [];
        if (target === undefined) return [`${what} is Bound, and its secret is not there`];
        return isEqual(target.data ?? {}, source.data ?? {})
          ? []
          : [
              `${what} has keys ${Object.keys(target.data ?? {})}, its source ${Object.keys(source.data ?? {})}`,
            ];
      }),
});
