import omit from 'lodash/omit.js';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  finalizerNames,
  hasFinalizer,
  withFinalizer,
} from '../../../../apis/core/v1alpha1/meta.ts';
import type { CredentialNote, KeptCredential, SecretDetails } from '../../credential.ts';
import { claimText, credentialOf, hasSecretDetails, isApplied, unknownClaim } from '../../credential.ts';
import { firstMatch } from '../../first-match.ts';
import { howToAllowUpdate, shouldUpdate } from '../../management-policies.ts';

/** The names of this decision, as in docs/decision-tables.md and in its order. */
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
  'ClearRecord',
  'CredentialCannotChange',
] as const;
export type CredentialDecisionName = (typeof credentialDecisions)[number];

/** A note without its random key. */
type NoteFacts = Omit<CredentialNote, 'key'>;

/** A decision about owner and credential of a managed resource, before its external resource is observed. */
export type CredentialDecision =
  | { readonly name: 'AddFinalizer' | 'KeepReleased'; readonly act: 'update'; readonly desired: Managed }
  | {
      readonly name: 'ResetStatus' | 'MakeAvailable' | 'ClearRecord';
      readonly act: 'updateStatus';
      readonly desired: Managed;
    }
  | {
      readonly name: 'GenerateCredential' | 'RotateCredential' | 'ReplaceCredential';
      readonly act: 'generate';
      readonly note: NoteFacts;
    }
  | { readonly name: 'AdoptSecret' | 'NameClaim'; readonly act: 'annotate'; readonly note: NoteFacts }
  | { readonly name: 'CredentialCannotChange'; readonly act: 'report'; readonly message: string };

/** Everything that the decision may look at. The managed resource is not being deleted. */
export interface CredentialInput {
  readonly managed: Managed;
  /** What its Secret keeps, or without one its entry in the secret store; undefined: nothing. */
  readonly kept: (KeptCredential & { readonly isOwned: boolean }) | undefined;
  readonly secretDetails: SecretDetails;
}

type Decide = (input: CredentialInput) => CredentialDecision | undefined;

/** The finalizer is there before anything is created for the object. */
const addFinalizer: Decide = ({ managed }) =>
  hasFinalizer(managed, finalizerNames.managed)
    ? undefined
    : {
        name: 'AddFinalizer',
        act: 'update',
        desired: {
          ...managed,
          metadata: { ...managed.metadata, finalizers: withFinalizer(managed, finalizerNames.managed) },
        },
      };

/** A backup brought this status: nothing that it says of binding or of a credential is true here. */
const resetStatus: Decide = ({ managed }) => {
  const { bindingPhase, boundUID } = managed.status ?? {};
  if (bindingPhase === undefined || boundUID === undefined || boundUID === managed.metadata.uid)
    return undefined;
  return { name: 'ResetStatus', act: 'updateStatus', desired: withoutBinding(managed) };
};

/**
 * Crossplane 0.3 to 0.9 removed `claimRef` when it released a resource. It is marked as Released by an unknown claim, so that
 * no claim gets it.
 */
const keepReleased: Decide = ({ managed, kept, secretDetails }) => {
  const { spec, status } = managed;
  const isFromElsewhere =
    kept !== undefined && hasEntry(managed, kept, secretDetails) && kept.note === undefined;
  // A provisioned resource names its claim until it is released. A backup without statuses shows a release only by that.
  const wasReleased =
    status?.bindingPhase === 'Released' ||
    (status?.bindingPhase === undefined && spec.classRef !== undefined && spec.claimRef === undefined);
  if (!wasReleased || spec.claimRef?.uid !== undefined || !isFromElsewhere) return undefined;
  const claimRef = { ...spec.claimRef, uid: unknownClaim };
  return { name: 'KeepReleased', act: 'update', desired: { ...managed, spec: { ...spec, claimRef } } };
};

/** An administrator removed claimRef, or its UID: that claim, or any claim, may have it. */
const makeAvailable: Decide = ({ managed }) => {
  const { spec, status } = managed;
  if (status?.bindingPhase !== 'Released' || spec.claimRef?.uid !== undefined) return undefined;
  const available = { ...omit(status, 'boundUID'), bindingPhase: 'Unbound' as const };
  return { name: 'MakeAvailable', act: 'updateStatus', desired: { ...managed, status: available } };
};

/** The Secret does not exist, or lacks the entry: the API server said so. */
const generate: Decide = ({ managed, kept, secretDetails }) => {
  const credential = credentialOf(managed, secretDetails);
  if (credential === undefined || kept?.details[credential.key] !== undefined) return undefined;
  const reserved = reservedFor(managed);
  const rotation = credential.rotationOf?.(managed);
  const note = { ...(reserved && { for: reserved }), ...(rotation && { rotation }) };
  return { name: 'GenerateCredential', act: 'generate', note };
};

/** The Secret has no note, or no owner, for example after a restore. Its credential stays, and is applied once more. */
const adopt: Decide = ({ managed, kept, secretDetails }) => {
  if (kept === undefined || !hasEntry(managed, kept, secretDetails)) return undefined;
  if (kept.note !== undefined && kept.isOwned) return undefined;
  const { key: _key, ...known } = kept.note ?? {
    key: '',
    for: adoptedFor(managed),
    ...rotationIn(managed, secretDetails),
  };
  return { name: 'AdoptSecret', act: 'annotate', note: known };
};

const rotate: Decide = ({ managed, kept, secretDetails }) => {
  const requested = credentialOf(managed, secretDetails)?.rotationOf?.(managed);
  if (requested === undefined || requested === kept?.note?.rotation) return undefined;
  if (!shouldUpdate(managed.spec)) return undefined; // the request waits until Update is allowed
  const owner = ownerOf(managed) ?? kept?.note?.for;
  return {
    name: 'RotateCredential',
    act: 'generate',
    note: { ...(owner && { for: owner }), rotation: requested },
  };
};

/** The Secret names another claim than the one that owns the resource now: that claim gets its own credential. */
const replace: Decide = (input) => {
  const { managed, kept, secretDetails } = input;
  const owner = newOwner(input);
  if (owner === undefined || credentialOf(managed, secretDetails) === undefined) return undefined;
  if (!shouldUpdate(managed.spec)) return undefined;
  return { name: 'ReplaceCredential', act: 'generate', note: { ...noteFacts(kept), for: owner } };
};

/** No claim has used the credential, or an administrator gives it to the next claim as it is. */
const nameClaim: Decide = (input) => {
  const { managed, kept, secretDetails } = input;
  if (!hasSecretDetails(managed, secretDetails)) return undefined;
  const owner = ownerOf(managed);
  if (owner === undefined || kept?.note === undefined || kept.note.for === owner) return undefined;
  if (newOwner(input) !== undefined && !mayKeepCredential(input)) return undefined;
  return { name: 'NameClaim', act: 'annotate', note: { ...noteFacts(kept), for: owner } };
};

/** Another credential was applied: its record is removed first, so that a crash leaves no false record. */
const clearRecord: Decide = ({ managed, kept, secretDetails }) => {
  const credential = credentialOf(managed, secretDetails);
  if (managed.status?.credential === undefined || credential === undefined || kept === undefined)
    return undefined;
  if (isApplied(managed, kept, credential)) return undefined;
  return { name: 'ClearRecord', act: 'updateStatus', desired: withoutRecord(managed) };
};

/** The previous claim knows the credential, and this product cannot replace it. Nothing is written; the run goes on. */
const cannotChange: Decide = (input) => {
  const { managed, secretDetails } = input;
  const owner = newOwner(input);
  if (owner === undefined || mayKeepCredential(input)) return undefined;
  const annotation = `set the annotation ${annotationKeys.reoffer}=${sameCredentials}`;
  const why = secretDetails.reportsSecrets
    ? `the external system generates its credentials; have it generate others, then ${annotation}`
    : `spec.managementPolicies do not allow Update; ${howToAllowUpdate(managed.spec)}, or ${annotation}`;
  const message = `the previous claim knows the credentials, so that ${owner} cannot have them: ${why}`;
  return { name: 'CredentialCannotChange', act: 'report', message };
};

/**
 * Decides what to write before the external resource is observed: finalizer, ownership, and the credential in the Secret.
 * The first check that matches decides. Each decision has at most one write; after it the next decision is made. Undefined:
 * nothing is left to write.
 */
export const decideCredential = (input: CredentialInput): CredentialDecision | undefined =>
  firstMatch(input, checks);

const checks: readonly Decide[] = [
  addFinalizer,
  resetStatus,
  keepReleased,
  makeAvailable,
  generate,
  adopt,
  rotate,
  replace,
  nameClaim,
  clearRecord,
  cannotChange,
];

const sameCredentials = 'with-same-credentials';

/** An administrator gives the credential to the next claim, or it is no secret. */
const mayKeepCredential = ({ managed, secretDetails }: CredentialInput): boolean =>
  managed.metadata.annotations?.[annotationKeys.reoffer] === sameCredentials ||
  !hasSecretDetails(managed, secretDetails);

/** Whether the Secret, or the entry in the secret store, has details that only one claim may know. */
function hasEntry(managed: Managed, { details }: KeptCredential, secretDetails: SecretDetails): boolean {
  if (!wantsDetails(managed)) return false;
  const credential = credentialOf(managed, secretDetails);
  if (credential !== undefined) return details[credential.key] !== undefined;
  return hasSecretDetails(managed, secretDetails) && Object.keys(details).length > 0;
}

/** The claim that owns the resource, as notes name it. A Released resource keeps its claimRef and has no owner. */
function ownerOf({ spec, status }: Managed): string | undefined {
  const { claimRef } = spec;
  if (claimRef?.uid === undefined || status?.bindingPhase === 'Released') return undefined;
  return claimRef.uid === unknownClaim ? unknownClaim : claimText(claimRef);
}

/** The claim of a credential without a note. A claim that took the resource a moment ago must get another credential. */
function adoptedFor(managed: Managed): string {
  const phase = managed.status?.bindingPhase;
  return (phase === 'Bound' || phase === undefined ? ownerOf(managed) : undefined) ?? unknownClaim;
}

/** The claim that owns it, or for which it is reserved. */
function reservedFor({ spec, status }: Managed): string | undefined {
  const { claimRef } = spec;
  return claimRef?.name === undefined || status?.bindingPhase === 'Released'
    ? undefined
    : claimText(claimRef);
}

/** The claim of a new note. If the external system generates the details, a previous claim may still know them. */
export function claimOfNewNote(
  managed: Managed,
  { reportsSecrets = false }: SecretDetails,
): string | undefined {
  const phase = managed.status?.bindingPhase;
  const mayBeKnown = reportsSecrets && phase !== undefined && phase !== 'Bound';
  return mayBeKnown ? unknownClaim : reservedFor(managed);
}

/** The owning claim, if the note names another claim. */
function newOwner({ managed, kept }: CredentialInput): string | undefined {
  const owner = ownerOf(managed);
  const named = kept?.note?.for;
  return owner !== undefined && named !== undefined && named !== owner ? owner : undefined;
}

const noteFacts = (kept: KeptCredential | undefined): NoteFacts => omit(kept?.note ?? {}, 'key');

const rotationIn = (managed: Managed, secretDetails: SecretDetails): NoteFacts => {
  const rotation = credentialOf(managed, secretDetails)?.rotationOf?.(managed);
  return rotation === undefined ? {} : { rotation };
};

const withoutBinding = (managed: Managed): Managed => ({
  ...managed,
  status: omit(managed.status, 'bindingPhase', 'boundUID', 'credential'),
});

/** The managed resource without the record of an applied credential. */
export const withoutRecord = (managed: Managed): Managed => ({
  ...managed,
  status: omit(managed.status, 'credential'),
});
