import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { referencesEqual, referenceTo } from '../../../apis/core/v1alpha1/reference.ts';

/*
 * `spec.claimRef` with a UID is the only record of the claim that owns a managed resource. `status.bindingPhase` says how
 * far the binding is, and `status.boundUID` whether that phase is of this cluster or from a backup.
 */

export const isOwnedBy = ({ spec: { claimRef } }: Managed, { metadata: { uid } }: Claim): boolean =>
  uid !== undefined && claimRef?.uid === uid;

/** Whether `claimRef` has the claim's apiVersion, kind, namespace and name. The UID does not count. */
export const namesClaim = ({ spec }: Managed, claim: Claim): boolean =>
  referencesEqual(spec.claimRef, referenceTo(claim));

/** Whether `resourceRef` of a claim names a managed resource. */
export const namesResource = ({ spec: { resourceRef } }: Claim, { kind, metadata }: Managed): boolean =>
  resourceRef?.kind === kind && resourceRef.name === metadata.name;

export const wasProvisioned = ({ spec }: Managed): boolean => spec.classRef !== undefined;

/** Whether a managed resource was Bound or Released in this cluster: `boundUID` is its own UID. */
export const wasBoundHere = ({ metadata, status }: Managed): boolean =>
  status?.boundUID !== undefined && status.boundUID === metadata.uid;

export const wasBound = ({ status }: Claim): boolean =>
  status?.bindingPhase === 'Bound' || status?.bindingPhase === 'Released';
