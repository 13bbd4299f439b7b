import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import type { ClaimService } from '../claim-service.ts';
import type { StepFailure } from '../step-failure.ts';

/** The decisions of binding, as in docs/decision-tables.md. Those for a deleted claim are in decide-claim-end.ts. */
export const bindingDecisions = [
  'ClaimGone',
  'NeedsClass',
  'StackNotReady',
  'ReportedElsewhere',
  'UnknownKind',
  'StatusFromBackup',
  'CorrectClaimRef',
  'ResourceLost',
  'SecretNameInvalid',
  'ClassMissing',
  'ClassForbidden',
  'ExternalNameForbidden',
  'Incompatible',
  'AwaitRelease',
  'RecordName',
  'Create',
  'ResourceMissing',
  'ResourceDeleted',
  'RemoveClaimRef',
  'ResourceForbidden',
  'AwaitGiveBack',
  'AddFinalizer',
  'TakeBack',
  'Released',
  'ClaimRefIncomplete',
  'ClaimedByOther',
  'ControlledByOther',
  'NotOffered',
  'CorrectResource',
  'SecretNotOwned',
  'NotReady',
  'SetClaimRef',
  'CredentialNotApplied',
  'Bind',
  'CopySecret',
  'DeleteSecret',
  'KeepBound',
] as const;

/** The facts from which decide.ts decides. observe.ts collects them. */
export interface BindingFacts {
  readonly claim: Claim;
  /** The services of the claim kind whose stacks are ready. */
  readonly services: readonly ClaimService[];
  /** The one of them that binds the claim: see {@link serviceOf}. */
  readonly service: ClaimService | undefined;
  /** The managed resources of every kind whose `claimRef` has the claim's UID. Bound ones come first. */
  readonly owned: readonly Managed[];
  /** Those of `owned` that were created for this claim. A resource that was restored from a backup is not among them. */
  readonly created: readonly Managed[];
  /** The managed resource that `resourceRef` names. */
  readonly named: Managed | undefined;
  /**
   * The managed resource that the claim can take back, if it has none and names no other one: a claim of its kind,
   * namespace and name was deleted.
   */
  readonly returnable?: Managed | undefined;
  /** Why the claim does not take it back without an administrator. */
  readonly notGivenBack?: string | undefined;
  /** The resource of a previous claim of this kind, namespace and name, which is not Released yet. */
  readonly previous?: Managed | undefined;
  /** A resource like `returnable` of another kind than the class of the claim provisions. */
  readonly otherReturnable?: Managed | undefined;
  /** The UID of the claim's namespace, if it was read. */
  readonly namespaceUid?: string | undefined;
  /** The claim's resource: one of `owned`, else `named`, else `returnable`. See {@link resourceOf}. */
  readonly managed: Managed | undefined;
  readonly resourceClass?: Class | undefined;
  readonly externalName?: string | undefined;
  /** Present if the claim has no resource, and one might be created from its class. */
  readonly provisioning?: Provisioning | undefined;
  readonly forbidden?: string | undefined;
  readonly incompatible?: string | undefined;
  /** Why the resource does not have the claim's parameters: a user edited these after it was provisioned. */
  readonly edited?: string | undefined;
  /** The resource with the edited parameters, or why there is none. Absent if its external resource may exist. */
  readonly correction?: Managed | StepFailure | undefined;
  readonly secrets: SecretFacts;
}

/** The class of the claim, and the managed resource that would be created from it. */
export interface Provisioning {
  readonly resourceClass: Class | undefined;
  /** Why the class does not allow the external name that the claim chose. */
  readonly nameRefused?: string | undefined;
  /** The resource to create, and the claim that names it. Or the reason why the class cannot serve the claim. */
  readonly plan?: { readonly claim: Claim; readonly managed: Managed } | StepFailure | undefined;
}

export interface SecretFacts {
  /** Why the claim's Secret cannot be written, and what to do. */
  readonly obstacle?: string | undefined;
  /** Why the connection details cannot be copied to the claim's Secret now. */
  readonly notUsable?: string | undefined;
  readonly hasCopy: boolean;
  /** Whether the copy in the claim's Secret works, as far as is known, also while `notUsable` has a reason. */
  readonly isCopyUsable: boolean;
  /** The next write: the annotation that allows the copy, or the copy itself. Absent if both are correct. */
  readonly write?: SecretWrite | undefined;
  readonly isWanted: boolean;
  /** The parts of the shape that the copy lacks, with the reason and the advice. */
  readonly incomplete?: string | undefined;
  /** Whether the copy has no entry: it may have only entries of templates, and none could be rendered. */
  readonly isEmpty?: boolean;
  /** Whether tools that support servicebinding.io can use the copy. */
  readonly isBindable?: boolean;
  /** The Secrets that the claim controls but does not name any more. */
  readonly stale: readonly Secret[];
  readonly controlled: readonly Secret[];
}

/** One write of a Secret. `current` is absent if the Secret must be created. */
export interface SecretWrite {
  readonly current?: Secret | undefined;
  readonly desired: Secret;
}

/** Objects that must be read from the API server before the call. If they change the decision, the call is not made. */
export type ReadFirst = 'claim' | 'claimSecret' | 'namespace' | 'namedResource';

type Reading = { readonly readFirst?: readonly ReadFirst[] };

export type BindingCall = Reading &
  (
    | { readonly name: 'CorrectClaimRef' | 'TakeBack' | 'SetClaimRef' | 'Bind'; readonly managed: Managed }
    | { readonly name: 'CorrectResource'; readonly managed: Managed; readonly desired: Managed }
    | { readonly name: 'RemoveClaimRef' | 'DeleteResource' | 'Release'; readonly managed: Managed }
    /** `managed`: the resource that the claim owns. Absent if it owns none yet. */
    | { readonly name: 'RecordName'; readonly managed?: Managed | undefined }
    | { readonly name: 'Create'; readonly managed: Managed; readonly resourceClass: Class }
    | { readonly name: 'CopySecret'; readonly write: SecretWrite }
    | { readonly name: 'DeleteSecret'; readonly secret: Secret }
    | { readonly name: 'AddFinalizer' | 'RemoveFinalizer' }
  );

/** A decision without an API call. It ends the run. */
export interface BindingWait {
  readonly name: Exclude<(typeof bindingDecisions)[number], BindingCall['name']> | 'DeletionProtected';
}

export type BindingDecision = BindingCall | BindingWait;

/** The decisions that require a call, each with the message for a call that fails. */
export const calls: Readonly<Record<BindingCall['name'], string>> = {
  RecordName: 'cannot update resource claim',
  Create: 'cannot create managed resource',
  AddFinalizer: 'cannot update resource claim',
  TakeBack: 'cannot update managed resource',
  SetClaimRef: 'cannot update managed resource',
  CorrectClaimRef: 'cannot update managed resource',
  CorrectResource: 'cannot update managed resource',
  RemoveClaimRef: 'cannot update managed resource',
  Bind: 'cannot update managed resource status',
  CopySecret: 'cannot create or update connection secret',
  DeleteSecret: 'cannot delete connection secret',
  DeleteResource: 'cannot delete managed resource',
  Release: 'cannot update managed resource status',
  RemoveFinalizer: 'cannot update resource claim',
};

export const isCall = (decision: BindingDecision): decision is BindingCall => decision.name in calls;
