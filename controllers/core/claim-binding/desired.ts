import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  finalizerNames,
  withFinalizer,
  withoutFinalizer,
} from '../../../apis/core/v1alpha1/meta.ts';
import { referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import { allowsPropagationTo, annotationsWithoutClaims } from '../../../apis/core/v1alpha1/secret.ts';
import { nameInUse } from '../external-identity.ts';

/*
 * The objects as binding wants them, from the objects as they are.
 */

/**
 * The claim with its finalizer, and with the name and external name of the resource that it owns or is about to create: in
 * one write, so that a crash leaves nothing that cannot be found (H4). If a user removed `resourceRef`, it and `classRef`
 * come back.
 */
export function withResource<C extends Claim>(claim: C, managed: Managed | undefined): C {
  const name = managed && nameInUse(managed);
  const { metadata, spec } = claim;
  return {
    ...claim,
    metadata: {
      ...metadata,
      finalizers: withFinalizer(claim, finalizerNames.claim),
      ...(name !== undefined && {
        annotations: { ...metadata.annotations, [annotationKeys.externalName]: name },
      }),
    },
    spec:
      managed === undefined || spec.resourceRef !== undefined
        ? spec
        : { ...spec, ...references(spec, managed) },
  };
}

function references({ classRef: own }: Claim['spec'], { apiVersion, kind, metadata, spec }: Managed) {
  const classRef = own ?? spec.classRef;
  return { ...(classRef && { classRef }), resourceRef: { apiVersion, kind, name: metadata.name } };
}

export const withoutClaimFinalizer = <C extends Claim>(claim: C): C => ({
  ...claim,
  metadata: { ...claim.metadata, finalizers: withoutFinalizer(claim, finalizerNames.claim) },
});

/** The resource that the claim owns. Its Secret, once it is created, consents to be copied to the claim's Secret only. */
export function withClaimRef<M extends Managed>(managed: M, claim: Claim): M {
  const annotations = { ...annotationsWithoutClaims(managed), ...consentTo(claim) };
  return {
    ...managed,
    metadata: { ...managed.metadata, annotations },
    spec: { ...managed.spec, claimRef: referenceTo(claim) },
  };
}

/** The annotation that lets a Secret be copied to the claim's Secret; empty if the claim names none. */
export const consentTo = ({ metadata: { namespace = '' }, spec }: Claim): Record<string, string> =>
  spec.writeConnectionSecretToRef === undefined
    ? {}
    : allowsPropagationTo({ namespace, name: spec.writeConnectionSecretToRef.name });

/** The resource that a claim was reserved for and never bound to. */
export function withoutClaimRef<M extends Managed>(managed: M): M {
  const { claimRef: _reserved, ...spec } = managed.spec;
  const annotations = annotationsWithoutClaims(managed);
  return { ...managed, metadata: { ...managed.metadata, annotations }, spec };
}

/** The phase, and the resource's own UID: it says that the phase is of this cluster and not from a backup. */
export function withPhase<M extends Managed>(managed: M, bindingPhase: 'Bound' | 'Released'): M {
  const { uid: boundUID = '' } = managed.metadata;
  return { ...managed, status: { ...managed.status, bindingPhase, boundUID } };
}
