import omit from 'lodash/omit.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  finalizerNames,
  withAnnotations,
  withFinalizer,
} from '../../apis/core/v1alpha1/meta.ts';
import { referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import { allowsPropagationTo, annotationsWithoutClaims } from '../../apis/core/v1alpha1/secret.ts';
import { nameInUse } from '../external-identity.ts';
import type { Release } from '../retention.ts';
import { releaseOf, withoutRelease } from '../retention.ts';

/**
 * The claim with its finalizer, and with the name and external name of its resource. One write has all of them, so that
 * the resource is found after a crash (H4 in docs/decision-tables.md). Also restores a removed `resourceRef`. With the
 * name the claim gets the deletion protection of its class.
 */
export function withResource<C extends Claim>(
  claim: C,
  managed: Managed | undefined,
  resourceClass?: Class,
): C {
  const name = managed && nameInUse(managed);
  const { spec } = claim;
  // guard: otherwise the claim is deleted while its resource is being created
  const held = withFinalizer(claim, finalizerNames.claim);
  return {
    ...(name === undefined ? held : withAnnotations(held, { [annotationKeys.externalName]: name })),
    spec:
      managed === undefined || spec.resourceRef !== undefined
        ? spec
        : { ...spec, ...references(spec, managed), ...protection(spec, resourceClass) },
  };
}

function references({ classRef: own }: Claim['spec'], { apiVersion, kind, metadata, spec }: Managed) {
  const classRef = own ?? spec.classRef;
  return { ...(classRef && { classRef }), resourceRef: { apiVersion, kind, name: metadata.name } };
}

/** An author who wrote a value, also `false`, keeps it. */
const protection = (
  { deletionProtection }: Claim['spec'],
  resourceClass: Class | undefined,
): Pick<Claim['spec'], 'deletionProtection'> =>
  deletionProtection === undefined && resourceClass?.specTemplate.deletionProtection === true
    ? { deletionProtection: true }
    : {};

/** Makes the claim the resource's owner. An annotation lets the resource's Secret be copied only to the claim's. */
export function withClaimRef<M extends Managed>(managed: M, claim: Claim): M {
  const others = omit(annotationsWithoutClaims(managed), annotationKeys.giveBack);
  const annotations = { ...others, ...consentTo(claim) };
  return {
    ...managed,
    metadata: { ...managed.metadata, annotations },
    spec: { ...managed.spec, claimRef: referenceTo(claim) },
  };
}

/** The annotation that lets a Secret be copied to the claim's Secret. Empty if the claim names no Secret. */
export const consentTo = ({ metadata: { namespace = '' }, spec }: Claim): Record<string, string> =>
  spec.writeConnectionSecretToRef === undefined
    ? {}
    : allowsPropagationTo({ namespace, name: spec.writeConnectionSecretToRef.name });

export function withoutClaimRef<M extends Managed>(managed: M): M {
  const { claimRef: _reserved, ...spec } = managed.spec;
  const annotations = annotationsWithoutClaims(managed);
  return { ...managed, metadata: { ...managed.metadata, annotations }, spec };
}

/** `boundUID` proves that a phase was written in this cluster, not before a restore. */
const phaseHere = ({ metadata: { uid: boundUID = '' } }: Managed, bindingPhase: 'Bound' | 'Released') => ({
  bindingPhase,
  boundUID,
});

export const withBound = <M extends Managed>(managed: M): M => ({
  ...managed,
  status: { ...withoutRelease(managed.status), ...phaseHere(managed, 'Bound') },
});

/** The Released resource. With `release`, a claim can take it back until a date, if `retainFor` keeps it. */
export const withReleased = <M extends Managed>(managed: M, release?: Release): M => ({
  ...managed,
  status: {
    ...withoutRelease(managed.status),
    ...phaseHere(managed, 'Released'),
    ...(release && releaseOf(managed, release)),
  },
});
