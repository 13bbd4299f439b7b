import type { ClaimRef, Key, Policy, Resource, Restriction, Retention } from './objects.ts';

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
  /** The start has this obstacle, until an administrator removes it. */
  readonly obstacle?: {
    readonly of: Key<'claim'> | Key<'resource'>;
    readonly name: Obstacle;
    /** The start does not have it: it is added later. */
    readonly isLate?: boolean;
  };
  /** Another controller holds each claim and each resource created by hand with its own finalizer. */
  readonly isHeld?: boolean;
  readonly hasNoGarbageCollector?: boolean;
  /** An administrator may restrict the management policies to these. */
  readonly restriction?: Restriction;
  /** The classes keep the resource of a deleted claim for a time. */
  readonly retention?: Retention;
  /** A claim may end with a new database beside a kept one: an administrator, a restore or the author wanted that. */
  readonly mayHaveTwo?: boolean;
  /** Claims have deletion protection. */
  readonly isProtected?: boolean;
  /** Claims and the resources that are created for them have a parameter. */
  readonly hasParameter?: boolean;
  /** The external system does not show a new database at once. */
  readonly isShownLate?: boolean;
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
  /** Fields that an administrator, a backup or another version wrote. */
  readonly given?: Partial<Resource>;
  /** The database exists at the start. `released`: another version of this product released it. */
  readonly database?: 'exists' | 'released';
}

/** A circumstance in which a claim cannot be bound, or a managed resource cannot be kept. */
export type Obstacle =
  | 'ClaimRefIncomplete'
  | 'ClassForbidden'
  | 'ClassIncompatible'
  | 'ClassMissing'
  | 'ControlledByOther'
  | 'CreationIncomplete'
  | 'HiddenExternal'
  | 'NameForbidden'
  | 'NameRefused'
  | 'NoClass'
  | 'NoService'
  | 'OperationRuns'
  | 'OtherSystem'
  | 'Paused'
  | 'PoliciesInvalid'
  | 'QuotaExceeded'
  | 'RenamedExternal'
  | 'ResourceForbidden'
  | 'ResourceIncompatible'
  | 'SecretNameInvalid'
  | 'Uncreatable';

export type ActKind =
  | 'addObstacle'
  | 'allow'
  | 'backup'
  | 'crash'
  | 'createClaim'
  | 'createFromCopy'
  | 'deleteClaim'
  | 'deleteResource'
  | 'editClaimSecret'
  | 'editParameter'
  | 'editResourceRef'
  | 'editSecret'
  | 'editSecretRefused'
  | 'endProtection'
  | 'failover'
  | 'foreignSecret'
  | 'giveBack'
  | 'giveSecret'
  | 'letGo'
  | 'loseExternal'
  | 'recreateNamespace'
  | 'recreateResource'
  | 'removeClaimRef'
  | 'removeClaimRefUID'
  | 'removeDate'
  | 'removeObstacle'
  | 'reserve'
  | 'restore'
  | 'restoreClaimAlone'
  | 'restoreResourceAlone'
  | 'restrict'
  | 'retain'
  | 'rotate'
  | 'staleAPIServer'
  | 'stopAllWatches'
  | 'stopWatch'
  | 'stripFinalizer'
  | 'startEmpty'
  | 'stripNote'
  | 'timePasses'
  | 'wantNoSecret'
  | 'undoEdit';
