import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import { isConditionTrue } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { referenceIsOfKind } from '../../../apis/core/v1alpha1/reference.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { hasEnded } from '../../../controllers/claim-binding/decide-claim-end.ts';
import { copyFor } from '../../../controllers/claim-secret.ts';
import type { InvariantOf } from '../invariant.ts';
import { claimKinds, classKinds, managedKinds } from '../kinds.ts';

/** The class that a claim names. */
const classOfClaim = (cluster: Parameters<InvariantOf>[0]['cluster'], { spec: { classRef } }: Claim) =>
  classKinds
    .filter((kind) => referenceIsOfKind(classRef, kind))
    .map((kind) => cluster.find(kind as Kind<Class>, { name: classRef?.name ?? '' }))[0];

/** For claims that report no fault: a claim whose Secret cannot be written reports it. */
export const secretsInStep: InvariantOf = ({ cluster }) => ({
  name: 'the Secret of a Bound, Ready and Synced claim has what follows from the Secret of its resource, every key',
  atRest: () =>
    claimKinds
      .flatMap((kind) => cluster.all(kind) as unknown as readonly Claim[])
      .flatMap((claim) => {
        const { kind, metadata, spec, status } = claim;
        const { writeConnectionSecretToRef: to } = spec;
        const isWell = ['Ready', 'Synced'].every((type) => isConditionTrue(status?.conditions, type));
        if (status?.bindingPhase !== 'Bound' || !isWell || to === undefined) return [];
        // A finalizer of others may hold a deleted claim for ever. Its conditions stay as they were.
        if (hasEnded(claim)) return [];
        const managed = managedKinds
          .flatMap((each) => cluster.all(each) as unknown as readonly Managed[])
          .find((one) => one.spec.claimRef?.uid === metadata.uid && one.status?.bindingPhase === 'Bound');
        const what = `${kind} ${objectKeyText(metadata)}`;
        if (managed === undefined) return [`${what} is Bound, and no resource is bound to it`];
        const from = managed.spec.writeConnectionSecretToRef;
        if (from === undefined) return [];
        const target = cluster.find(SecretKind, { namespace: metadata.namespace ?? '', name: to.name });
        const source = cluster.find(SecretKind, from);
        // While the resource fails, for example because its password is refused, the claim keeps the copy that it has.
        const isFailing = !isConditionTrue(managed.status?.conditions, 'Synced');
        if (isFailing && target !== undefined) return [];
        if (source === undefined) return [`${what} is Bound, and the Secret of its resource is not there`];
        if (target === undefined) return [`${what} is Bound, and its Secret is not there`];
        const { secret } = copyFor({ target, source, claim, resourceClass: classOfClaim(cluster, claim) });
        return isEqual(target.data ?? {}, secret.data)
          ? []
          : [
              `${what} has keys ${Object.keys(target.data ?? {})}, and should have ${Object.keys(secret.data ?? {})}`,
            ];
      }),
});
