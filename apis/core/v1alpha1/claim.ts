import type { Described } from '../schema.ts';
import type { claimSpec, claimStatus } from './define-claim.ts';
import type { KubernetesObject } from './kind.ts';

/** What every resource claim's spec holds. */
export type ClaimSpec = Described<typeof claimSpec>;

/** What every resource claim's status holds. */
export type ClaimStatus = Described<typeof claimStatus>;

/** A namespaced request for a service. */
export interface Claim extends KubernetesObject {
  readonly spec: ClaimSpec;
  readonly status?: ClaimStatus;
}
