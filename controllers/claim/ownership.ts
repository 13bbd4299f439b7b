import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { referencesEqual, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import { isProvisionedName } from './provisioned-name.ts';

/*
 * A claim owns a managed resource if `spec.claimRef` has the claim's UID. `status.bindingPhase` is the progress of the
 * binding. `status.boundUID` shows whether that phase was written in this cluster or comes from a backup.
 */

export const isOwnedBy = ({ spec: { claimRef } }: Managed, { metadata: { uid } }: Claim): boolean =>
  uid !== undefined && claimRef?.uid === uid;

/** Whether `claimRef` has the claim's apiVersion, kind, namespace and name. The UID is not compared. */
export const namesClaim = ({ spec }: Managed, claim: Claim): boolean =>
  referencesEqual(spec.claimRef, referenceTo(claim));

/** Whether the claim has the name in `claimRef`, and is another claim than the one whose UID stands there. */
export const isNamesake = ({ spec: { claimRef } }: Managed, { metadata: { uid } }: Claim): boolean =>
  claimRef?.uid !== undefined && claimRef.uid !== uid;

export const namesResource = ({ spec: { resourceRef } }: Claim, { kind, metadata }: Managed): boolean =>
  resourceRef?.kind === kind && resourceRef.name === metadata.name;

export const wasProvisioned = ({ spec }: Managed): boolean => spec.classRef !== undefined;

/**
 * Whether the resource was created for this claim. Its name derives from the UID of the claim that it was created for,
 * and a claim that a backup restored has another UID.
 */
export const wasCreatedFor = (managed: Managed, claim: Claim): boolean =>
  wasProvisioned(managed) && isProvisionedName(claim, managed.metadata.name);

/** Whether `bindingPhase` was written in this cluster. A restore from a backup changes the UID, but not `boundUID`. */
export const wasBoundHere = ({ metadata, status }: Managed): boolean =>
  status?.boundUID !== undefined && status.boundUID === metadata.uid;

export const wasBound = ({ status }: Claim): boolean =>
  status?.bindingPhase === 'Bound' || status?.bindingPhase === 'Released';
