import isEqual from 'lodash/isEqual.js';
import isMatch from 'lodash/isMatch.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { controllerOf, controllerReference, isControlledBy } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import {
  controlOf,
  copiedFor,
  insteadOf,
  isCopiedFor,
  propagatesFrom,
  propagationSource,
  secretKeyOf,
} from '../../apis/core/v1alpha1/secret.ts';

/** The claim's Secret with the data of its source, annotations that name source and claim, and the claim as controller. */
export function propagated(target: Secret, claim: Claim, source: Secret): Secret {
  const isNew = !isControlledBy(target, claim);
  const others = (target.metadata.ownerReferences ?? []).filter(({ controller }) => controller !== true);
  return {
    ...target,
    metadata: {
      ...target.metadata,
      annotations: {
        ...target.metadata.annotations,
        ...propagatesFrom(secretKeyOf(source)),
        ...(isNew && copiedFor(claim)),
      },
      ownerReferences: [...others, controllerReference(claim)],
    },
    data: source.data ?? {},
  };
}

/** Why the Secret that a claim names cannot become a copy of `source`, and what to do; undefined if it can. */
export function whyNotCopied(target: Secret, claim: Claim, source: Secret): string | undefined {
  const control = controlOf(target, claim);
  const { namespace, name } = secretKeyOf(target);
  const refusal = typeof control === 'object' ? control.refusal : whyNotTaken(target, claim, source);
  if (refusal !== undefined)
    return `${refusal} (${namespace}/${name}); ${insteadOf(target, 'spec.writeConnectionSecretToRef')}`;
  return isFrozen(target, source)
    ? `secret ${namespace}/${name} is immutable and differs from the connection secret of the resource; ${advice.deleteFrozenCopy}`
    : undefined;
}

/**
 * Why the claim's Secret may not be overwritten; undefined if it may be. A Secret that no object controls is
 * overwritten only if it is a copy of `source`, was copied for this claim, or has no data that `source` lacks.
 * Otherwise a user or a restore created it, and its data may exist nowhere else.
 */
function whyNotTaken(target: Secret, claim: Claim, source: Secret): string | undefined {
  const isCopyOfIt = isEqual(propagationSource(target), secretKeyOf(source));
  const isOurs = controllerOf(target) !== undefined || isCopyOfIt || isCopiedFor(target, claim);
  if (isOurs || isMatch(source.data ?? {}, target.data ?? {})) return undefined;
  return 'a secret with other data exists that these controllers did not write';
}

/** Whether the claim's Secret is immutable and differs from its source: the API server would reject the copy. */
export const isFrozen = (target: Secret, source: Secret): boolean =>
  target.immutable === true && !isEqual(target.data ?? {}, source.data ?? {});
