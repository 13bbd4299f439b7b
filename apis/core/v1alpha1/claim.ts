import type { Described } from '../schema.ts';
import type { claimSpec, claimStatus } from './define-claim.ts';
import type { KubernetesObject } from './kind.ts';

/** The common fields of every claim's spec. */
export type ClaimSpec = Described<typeof claimSpec>;

/** The common fields of every claim's status. */
export type ClaimStatus = Described<typeof claimStatus>;

/** A namespaced request for a service. */
export interface Claim extends KubernetesObject {
  readonly spec: ClaimSpec;
  readonly status?: ClaimStatus;
}
