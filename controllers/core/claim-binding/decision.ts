/*
 * The facts that binding decides on, and its decisions: types only.
 */

import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import type { StepFailure } from '../step-failure.ts';
import type { Responsibility } from './responsibility.ts';

/** Everything that binding decides on. The reconciler reads it before (observe.ts). */
export interface BindingFacts {
  readonly claim: Claim | undefined;
  readonly responsibility: Responsibility;
  /** The managed resources of every kind whose `claimRef` has the claim's UID, those that are Bound first. */
  readonly owned: readonly Managed[];
  /** The managed resource that `resourceRef` names. */
  readonly named: Managed | undefined;
  /** The claim's resource: {@link resourceOf}. */
  readonly managed: Managed | undefined;
  /** The external name of `managed`; undefined: none yet. */
  readonly externalName?: string | undefined;
  /** The claim has no resource, and its class may provide one. */
  readonly provisioning?: Provisioning | undefined;
  /** Why the claim's namespace may not have the class or the resource. */
  readonly forbidden?: string | undefined;
  /** Why `managed` cannot serve the claim. */
  readonly incompatible?: string | undefined;
  readonly secrets: SecretFacts;
}

/** The class of the claim, and the managed resource that it would create. */
export interface Provisioning {
  /** The class that `classRef` names. */
  readonly resourceClass: Class | undefined;
  /** The claim with the resource's name, and that resource; or why the class cannot serve the claim. */
  readonly plan?: { readonly claim: Claim; readonly managed: Managed } | StepFailure | undefined;
}

/** The claim's Secret and the Secret of its resource. */
export interface SecretFacts {
  /** The claim's Secret cannot be written: why, and what a user can do. */
  readonly obstacle?: string | undefined;
  /** The claim cannot have the connection details now: why. */
  readonly notUsable?: string | undefined;
  /** The claim names a Secret, and a Secret of that name is controlled by the claim. */
  readonly hasCopy: boolean;
  /** The resource's Secret lacks the consent to be copied to the claim's Secret, or the copy is missing or differs. */
  readonly write?: SecretWrite | undefined;
  /** The claim names a Secret, and its resource publishes one. */
  readonly isWanted: boolean;
  /** The Secrets that the claim controls and does not name: it named them before. */
  readonly stale: readonly Secret[];
  /** Every Secret that the claim controls. */
  readonly controlled: readonly Secret[];
}

/** One write of a Secret. `current` is absent where the Secret is to be created. */
export interface SecretWrite {
  readonly current?: Secret | undefined;
  readonly desired: Secret;
}

/** What to read from the API server before the call. If the answer changes the decision, the call is not made. */
export type ReadFirst = 'claim' | 'claimSecret' | 'namespace' | 'namedResource';

type Reading = { readonly readFirst?: readonly ReadFirst[] };

/** A decision with a call to the API server. */
export type BindingCall = Reading &
  (
    | { readonly name: 'CorrectClaimRef' | 'SetClaimRef' | 'Bind'; readonly managed: Managed }
    | { readonly name: 'RemoveClaimRef' | 'DeleteResource' | 'Release'; readonly managed: Managed }
    /** `managed`: the resource that the claim owns. Absent: it will get one. */
    | { readonly name: 'RecordName'; readonly managed?: Managed | undefined }
    | { readonly name: 'Create'; readonly managed: Managed; readonly resourceClass: Class }
    | { readonly name: 'CopySecret'; readonly write: SecretWrite }
    | { readonly name: 'DeleteSecret'; readonly secret: Secret }
    | { readonly name: 'RemoveFinalizer' }
  );

/** A decision that ends the run. */
export interface BindingWait {
  readonly name:
    | 'ClaimGone'
    | 'OtherKind'
    | 'UnknownKind'
    | 'StatusFromBackup'
    | 'ResourceLost'
    | 'ClassMissing'
    | 'ClassForbidden'
    | 'ResourceForbidden'
    | 'Incompatible'
    | 'ResourceMissing'
    | 'ResourceDeleted'
    | 'ClaimRefIncomplete'
    | 'ClaimedByOther'
    | 'ControlledByOther'
    | 'NotOffered'
    | 'SecretNotOwned'
    | 'Released'
    | 'NotReady'
    | 'CredentialNotApplied'
    | 'KeepBound';
}

export type BindingDecision = BindingCall | BindingWait;
