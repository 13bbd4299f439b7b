import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';

/** The UID of the claim that this very resource was bound to last; a status out of a backup says it of another resource. */
export const boundClaimUid = ({ metadata, status }: Managed): string | undefined =>
  status?.boundUID === metadata.uid ? status?.boundClaimUID : undefined;
