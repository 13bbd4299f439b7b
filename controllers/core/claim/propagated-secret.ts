import isEqual from 'lodash/isEqual.js';
import isMatch from 'lodash/isMatch.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { controllerOf, controllerReference } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import {
  controlOf,
  insteadOf,
  propagatesFrom,
  propagationSource,
  secretKeyOf,
} from '../../../apis/core/v1alpha1/secret.ts';

/** The target as it should be: controlled by the claim, naming its source, with exactly the source's data. */
export function propagated(target: Secret, claim: Claim, source: Secret): Secret {
  const others = (target.metadata.ownerReferences ?? []).filter(({ controller }) => controller !== true);
  return {
    ...target,
    metadata: {
      ...target.metadata,
      annotations: { ...target.metadata.annotations, ...propagatesFrom(secretKeyOf(source)) },
      ownerReferences: [...others, controllerReference(claim)],
    },
    data: source.data ?? {},
  };
}

/** Why the secret that a claim wants cannot become a copy of its source, and what to do; undefined: it can. */
export function whyNotCopied(target: Secret, claim: Claim, source: Secret): string | undefined {
  const control = controlOf(target, claim);
  const { namespace, name } = secretKeyOf(target);
  const refusal = typeof control === 'object' ? control.refusal : whyNotTaken(target, source);
  if (refusal !== undefined)
    return `${refusal} (${namespace}/${name}); ${insteadOf(target, 'spec.writeConnectionSecretToRef')}`;
  return isFrozen(target, source)
    ? `secret ${namespace}/${name} is immutable, and is no copy of what the claim's resource publishes; delete it, and it is made again`
    : undefined;
}

/**
 * Of a secret that nobody controls, what the API server does not have twice stays: every copy of ours says of what, in the
 * write that makes it, so that one which does not was made by hand. One of another source was another claim's, and may
 * hold the only copy of what that had: a backup brings it back without its owner.
 */
export function whyNotTaken(target: Secret, source: Secret): string | undefined {
  const isCopyOfIt = isEqual(propagationSource(target), secretKeyOf(source));
  const isOurs = controllerOf(target) !== undefined || isCopyOfIt;
  if (isOurs || isMatch(source.data ?? {}, target.data ?? {})) return undefined;
  return 'refusing to take over a secret that nobody controls and that holds data of its own';
}

/** Whether the API server refuses to make a secret a copy of its source. */
export const isFrozen = (target: Secret, source: Secret): boolean =>
  target.immutable === true && !isEqual(target.data ?? {}, source.data ?? {});
