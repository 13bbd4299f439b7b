import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { CredentialNote } from '../../credential.ts';
import type { StepFailure } from '../../step-failure.ts';

/*
 * The names of the decisions, in the order of the tables in docs/decision-tables.md: before any call, about the access to
 * the external system, about the credential in the Secret, about an operation, and after an observation.
 */

export const firstDecisions = [
  'ResourceGone',
  'Paused',
  'UnsupportedPolicies',
  'OrphanExternal',
  'CreationIncomplete',
] as const;

export const accessDecisions = ['OtherSystem'] as const;

export const credentialDecisions = [
  'AddFinalizer',
  'ResetStatus',
  'KeepReleased',
  'MakeAvailable',
  'GenerateCredential',
  'AdoptSecret',
  'RotateCredential',
  'ReplaceCredential',
  'NameClaim',
] as const;

export const operationDecisions = ['OperationFailed'] as const;

export const nextDecisions = [
  'AwaitOperation',
  'CreationIncomplete',
  'AwaitExternal',
  'ExternalMissing',
  'RemoveFinalizer',
  'ConfirmAbsence',
  'IdentityEdited',
  'ExternalRenamed',
  'CreateNotAllowed',
  'CreationRefused',
  'CreateExternal',
  'Recreate',
  'ExternalLost',
  'AwaitDeletion',
  'DeleteExternal',
  'NoUpdate',
  'AwaitEffect',
  'Update',
] as const;

/** The decisions that end a run if all their steps were made. */
export type LastDecisionName =
  | (typeof firstDecisions)[number]
  | (typeof accessDecisions)[number]
  | (typeof nextDecisions)[number];
export type ManagedDecisionName =
  | LastDecisionName
  | (typeof operationDecisions)[number]
  | (typeof credentialDecisions)[number];

/** A step of a run: one call, or a write that does nothing if nothing changes. */
export type Step =
  // The access to the external system, and the Secret
  | 'resolveReferences'
  | 'connect'
  | 'readPlace'
  // An operation of the external system
  | 'poll'
  | 'clearPending'
  // The external resource exists
  | 'observe'
  | 'prepare'
  | 'publish'
  | 'removePrevious'
  | 'clearRecord'
  | 'update'
  // The external resource does not exist
  | 'recordEdit'
  | 'noteLoss'
  | 'clearRecords'
  | 'announce'
  | 'create'
  | 'recordCreation'
  | 'recordFailure'
  // The deletion
  | 'delete'
  | 'finalise';

export type NoteFacts = Omit<CredentialNote, 'key'>;

/** A write of a decision about finalizer, owning claim and credential, before the external resource is observed. */
export type CredentialWrite =
  | { readonly act: 'update'; readonly desired: Managed }
  | { readonly act: 'updateStatus'; readonly desired: Managed }
  | { readonly act: 'generate' | 'annotate'; readonly note: NoteFacts };

export type Call = Step | CredentialWrite;

/** The decision of a run. It has at most one call, after which the run decides again. */
export interface Decision {
  /** As in docs/decision-tables.md. Absent: no decision of a table fits yet. */
  readonly name?: ManagedDecisionName | undefined;
  /** Absent: the run ends, and report.ts reports it. */
  readonly call?: Call | undefined;
  /** For the conditions: why the run stops. */
  readonly message?: string;
  /** The failure that the run reports when it ends. */
  readonly failure?: StepFailure | undefined;
}
