import omit from 'lodash/omit.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, finalizerNames, withFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import { referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import { annotationsWithoutConsent } from '../../../apis/core/v1alpha1/secret.ts';
import { nameRecord, parametersRecord, recordKeys } from '../claim/claim-record.ts';
import { reservation, reservationKey } from '../claim/reservation.ts';
import { nameInUse } from '../external-identity.ts';

/** The claim as a bound one's metadata is: finalizer, and the external name of its managed resource. */
export function withBindingMetadata<C extends Claim>(claim: C, managed: Managed): C {
  const name = nameInUse(managed);
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

/**
 * A claim that has its finalizer and names a managed resource again, and the class that it was made from, after they were
 * edited away: as by who replaces a claim with his own manifest, in which none of them ever was.
 */
export function withResourceReference<C extends Claim>(claim: C, managed: Managed): C {
  const held = withBindingMetadata(claim, managed);
  if (claim.spec.resourceRef !== undefined) return held;
  const { apiVersion, kind, metadata } = managed;
  const { classRef = managed.spec.classRef } = claim.spec;
  const resourceRef = { apiVersion, kind, name: metadata.name };
  return { ...held, spec: { ...claim.spec, ...(classRef && { classRef }), resourceRef } };
}

/**
 * The managed resource that names this claim, UID included (a restored claim has a new one), and gives its secret to
 * no other secret of the claim's namespace than the one that it wants now. One that named nobody is reserved.
 */
export function withClaimReference<M extends Managed>(managed: M, claim: Claim): M {
  const { namespace } = claim.metadata;
  const annotations = annotationsWithoutConsent(
    managed,
    namespace,
    claim.spec.writeConnectionSecretToRef?.name,
  );
  const before = managed.spec.claimRef?.uid;
  // An offer is for one claim.
  const taken = {
    ...omit(annotations, annotationKeys.reoffer),
    ...reservation(managed, claim),
    ...parametersRecord(claim),
    ...nameRecord(nameInUse(managed)),
  };
  return {
    ...managed,
    metadata: { ...managed.metadata, annotations: before === undefined ? taken : annotations },
    spec: { ...managed.spec, claimRef: referenceTo(claim) },
  };
}

/** The phase after the secret was handed over: this very resource is bound, to this very claim. */
export function withBound<M extends Managed>(managed: M, claim: Claim): M {
  const { uid: boundUID = '' } = managed.metadata;
  const { uid: boundClaimUID = '' } = claim.metadata;
  return { ...managed, status: { ...managed.status, bindingPhase: 'Bound', boundUID, boundClaimUID } };
}

export function withReleased<M extends Managed>(managed: M): M {
  return { ...managed, status: { ...managed.status, bindingPhase: 'Released' } };
}

/**
 * The managed resource as its former claim leaves it: no claim, and none of the annotations that spoke of it; but what
 * was handed over keeps the record of what that claim asked for, which a backup brings along where no status does, so
 * that it has to be offered first. An offer that is still there was meant for this claim: what it leaves is offered anew,
 * or not at all.
 */
export function withoutClaim<M extends Managed>(managed: M, { isKnown }: { readonly isKnown: boolean }): M {
  const { claimRef, ...spec } = managed.spec;
  const gone = ofTheClaim.filter((key) => !isKnown || key !== recordKeys.parameters);
  const annotations = omit(annotationsWithoutConsent(managed, claimRef?.namespace), gone);
  return { ...managed, metadata: { ...managed.metadata, annotations }, spec };
}

const ofTheClaim = [...Object.values(recordKeys), reservationKey, annotationKeys.reoffer];
