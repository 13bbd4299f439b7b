import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  externalName,
  finalizerNames,
  withFinalizer,
} from '../../../apis/core/v1alpha1/meta.ts';
import { referenceTo } from '../../../apis/core/v1alpha1/reference.ts';

/** The claim as a bound one's metadata is: finalizer, and the external name of its managed resource. */
export function withBindingMetadata<C extends Claim>(claim: C, managed: Managed): C {
  const name = externalName(managed);
  return {
    ...claim,
    metadata: {
      ...claim.metadata,
      finalizers: withFinalizer(claim, finalizerNames.claim),
      ...(name === undefined
        ? {}
        : { annotations: { ...claim.metadata.annotations, [annotationKeys.externalName]: name } }),
    },
  };
}

/** A bound claim that names its managed resource again, after the reference was edited away. */
export function withResourceReference<C extends Claim>(claim: C, managed: Managed): C {
  const { apiVersion, kind, metadata } = managed;
  const resourceRef = { apiVersion, kind, name: metadata.name };
  return { ...withBindingMetadata(claim, managed), spec: { ...claim.spec, resourceRef } };
}

/** The managed resource that names this claim, UID included (a restored claim has a new one). */
export function withClaimReference<M extends Managed>(managed: M, claim: Claim): M {
  if (managed.spec.claimRef?.uid !== undefined && managed.spec.claimRef.uid === claim.metadata.uid)
    return managed;
  return { ...managed, spec: { ...managed.spec, claimRef: referenceTo(claim) } };
}

export function withPhase<M extends Managed>(managed: M, bindingPhase: 'Bound' | 'Released'): M {
  return { ...managed, status: { ...managed.status, bindingPhase } };
}

/** The managed resource as its former claim leaves it: no claim, and none of the annotations that spoke of it. */
export function withoutClaim<M extends Managed>(managed: M, annotationsToDrop: readonly string[]): M {
  const { claimRef: _claimRef, ...spec } = managed.spec;
  const annotations = Object.entries(managed.metadata.annotations ?? {});
  return {
    ...managed,
    metadata: {
      ...managed.metadata,
      annotations: Object.fromEntries(annotations.filter(([key]) => !annotationsToDrop.includes(key))),
    },
    spec,
  };
}
