import type { ClaimRef, Policy } from './objects.ts';

/** A situation that the explorer explores: what there is at the start, and what people and faults may do. */
export interface Scenario {
  readonly situation: string;
  /**
   * The reference of each claim: a class, here the deletion policy of the class, or a resource created by
   * hand.
   */
  readonly claims: Readonly<Record<string, NamedByClaim>>;
  /** The resources created by hand. */
  readonly resources?: readonly ByHand[];
  /** The claims that exist at the start. */
  readonly start: readonly string[];
  /** The start is explored only after it came to rest. */
  readonly startSettled?: boolean;
  /** The kinds of acts and faults; at most `maxActs` of them happen. */
  readonly acts: readonly ActKind[];
  readonly maxActs: number;
  readonly eachActOnce?: boolean;
  /** The only claims that a user deletes. Default: all. */
  readonly onlyDeletedClaims?: readonly string[];
  readonly backupHasStatus?: boolean;
  readonly backupMayMissClaim?: boolean;
  readonly nothingIsDeleted?: boolean;
  /** An object owns each claim. A backup does not restore it, so the garbage collector deletes restored claims. */
  readonly claimsHaveOwner?: boolean;
  /** A resource may stay reserved for a claim that the backup lacks. */
  readonly mayStayReserved?: boolean;
  /** An administrator may make a provisioned resource available, so that nothing deletes it. */
  readonly mayBeMadeAvailable?: boolean;
  /** The scenario fails, and `docs/reliability.md` names the limit. */
  readonly isKnownLimit?: boolean;
}

export type NamedByClaim =
  | { readonly class: Policy; readonly resourceRef?: undefined }
  | { readonly class?: undefined; readonly resourceRef: string };

export interface ByHand {
  readonly name: string;
  readonly policy: Policy;
  readonly claimRef?: ClaimRef;
}

export type ActKind =
  | 'backup'
  | 'crash'
  | 'createClaim'
  | 'deleteClaim'
  | 'deleteResource'
  | 'editClaimSecret'
  | 'editResourceRef'
  | 'editSecret'
  | 'editSecretRefused'
  | 'failover'
  | 'foreignSecret'
  | 'loseExternal'
  | 'recreateResource'
  | 'removeClaimRef'
  | 'removeClaimRefUID'
  | 'reserve'
  | 'restore'
  | 'restoreClaimAlone'
  | 'retain'
  | 'rotate'
  | 'staleAPIServer'
  | 'stopAllWatches'
  | 'stopWatch'
  | 'stripFinalizer'
  | 'undoEdit';
