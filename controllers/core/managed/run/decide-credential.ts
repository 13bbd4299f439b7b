import omit from 'lodash/omit.js';
import { advice } from '../../../../apis/core/v1alpha1/advice.ts';
import type { Managed, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  finalizerNames,
  hasFinalizer,
  sameCredentials,
  withFinalizer,
} from '../../../../apis/core/v1alpha1/meta.ts';
import type { CredentialNote, KeptCredential, SecretDetails } from '../../credential.ts';
import {
  claimText,
  credentialOf,
  holdsSecrets,
  isApplied,
  isOfPerson,
  isUnwanted,
  unknownClaim,
} from '../../credential.ts';
import { firstMatch } from '../../first-match.ts';
import { howToAllowUpdate, mayChange, shouldUpdate } from '../../management-policies.ts';

/** The decisions of `decideCredential`, in the order of docs/decision-tables.md. */
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

type NoteFacts = Omit<CredentialNote, 'key'>;

/** A decision about finalizer, owning claim and credential, before the external resource is observed. */
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

/** The input of `decideCredential`. The managed resource is not being deleted. */
export interface CredentialInput {
  readonly managed: Managed;
  /** The content of the resource's Secret, or of its entry in a secret store. Undefined if that does not exist. */
  readonly kept: (KeptCredential & { readonly isOwned: boolean }) | undefined;
  /** True if the Secret or entry cannot be read or written: then the decision is AddFinalizer, ResetStatus or none. */
  readonly isUnknown?: boolean;
  /** True with `--observe-only`: a resource gets no finalizer, because no external resource is created. */
  readonly isObserveOnly?: boolean;
  readonly secretDetails: SecretDetails;
}

/** The part of the input that the note in the Secret is compared with. */
type NoteInput = Pick<CredentialInput, 'managed' | 'kept' | 'secretDetails'>;

type Decide = (input: CredentialInput) => CredentialDecision | undefined;

/** Adds the finalizer before anything is created for the object. */
const addFinalizer: Decide = ({ managed, isObserveOnly = false }) =>
  isObserveOnly || hasFinalizer(managed, finalizerNames.managed)
    ? undefined
    : {
        name: 'AddFinalizer',
        act: 'update',
        desired: {
          ...managed,
          metadata: { ...managed.metadata, finalizers: withFinalizer(managed, finalizerNames.managed) },
        },
      };

/** Removes binding and credential from a status that came from a backup, because they are not valid in this cluster. */
const resetStatus: Decide = ({ managed }) => {
  const { bindingPhase, boundUID } = managed.status ?? {};
  if (bindingPhase === undefined || boundUID === undefined || boundUID === managed.metadata.uid)
    return undefined;
  return { name: 'ResetStatus', act: 'updateStatus', desired: withoutBinding(managed) };
};

/**
 * Writes the UID `unknown` to a `claimRef` without a UID if the resource is Released, so that no claim gets the
 * resource. Crossplane 0.3 to 0.9 removed `claimRef` when they released a resource.
 */
const keepReleased: Decide = ({ managed, kept, secretDetails }) => {
  const { spec, status } = managed;
  // With a note, this version released the resource, and an administrator removed `claimRef`.
  if (spec.claimRef?.uid !== undefined || kept?.note !== undefined) return undefined;
  const isUnnoted = kept !== undefined && holdsSecrets(managed, kept, secretDetails);
  const { bindingPhase, boundUID } = status ?? {};
  // A provisioned resource has `claimRef` until its release. So one without phase and `claimRef` was released.
  const wasReleased =
    bindingPhase === 'Released'
      ? isUnnoted || boundUID === undefined
      : isUnnoted && bindingPhase === undefined && spec.classRef !== undefined && spec.claimRef === undefined;
  if (!wasReleased) return undefined;
  const claimRef = { ...spec.claimRef, uid: unknownClaim };
  return { name: 'KeepReleased', act: 'update', desired: { ...managed, spec: { ...spec, claimRef } } };
};

/** Makes a Released resource Unbound again, after an administrator removed its `claimRef` or the UID in it. */
const makeAvailable: Decide = ({ managed }) => {
  const { spec, status } = managed;
  if (status?.bindingPhase !== 'Released' || spec.claimRef?.uid !== undefined) return undefined;
  const available = { ...omit(status, 'boundUID'), bindingPhase: 'Unbound' as const };
  return { name: 'MakeAvailable', act: 'updateStatus', desired: { ...managed, status: available } };
};

/** Generates a credential if the Secret does not exist or has none, and if the policies let it be set. */
const generate: Decide = ({ managed, kept, secretDetails }) => {
  const credential = credentialOf(managed, secretDetails);
  if (credential === undefined || kept?.details[credential.key] !== undefined) return undefined;
  if (!mayChange(managed.spec)) return undefined;
  const reserved = reservedFor(managed);
  const rotation = credential.rotationOf?.(managed);
  const note = { ...(reserved && { for: reserved }), ...(rotation && { rotation }) };
  return { name: 'GenerateCredential', act: 'generate', note };
};

/**
 * Removes a record that nothing can be compared with, because the note with its key is gone: an earlier version removed
 * the note under Observe. The policies forbid to set the credential again, so it counts as given, and the claim keeps it.
 */
const clearLostRecord: Decide = ({ managed, kept, secretDetails }) => {
  const { bindingPhase, credential: record } = managed.status ?? {};
  const credential = credentialOf(managed, secretDetails);
  if (record === undefined || credential === undefined || bindingPhase !== 'Bound') return undefined;
  if (kept === undefined || kept.note !== undefined || !(credential.key in kept.details)) return undefined;
  if (mayChange(managed.spec)) return undefined;
  return { name: 'ClearRecord', act: 'updateStatus', desired: withoutRecord(managed) };
};

/** Adopts a Secret without owner or credential annotation, such as after a restore. The credential does not change. */
const adopt: Decide = ({ managed, kept, secretDetails }) => {
  if (kept === undefined || !holdsSecrets(managed, kept, secretDetails)) return undefined;
  if (kept.note !== undefined && kept.isOwned) return undefined;
  if (kept.note !== undefined) return { name: 'AdoptSecret', act: 'annotate', note: noteFacts(kept) };
  const owner = isOfPerson(managed) ? givenTo(managed, kept) : adoptedFor(managed);
  const given = isOfPerson(managed) && secretDetails.credential !== undefined;
  const note = {
    ...(owner && { for: owner }),
    ...rotationIn(managed, secretDetails),
    ...(given && { given }),
  };
  return { name: 'AdoptSecret', act: 'annotate', note };
};

/** The claim that a person gave a credential to. No claim, if none is named yet and no claim has had a copy. */
function givenTo(managed: Managed, { isCopied = false }: KeptCredential): string | undefined {
  const { bindingPhase } = managed.status ?? {};
  if (bindingPhase === 'Bound' || isCopied || bindingPhase === 'Released') return adoptedFor(managed);
  return ownerOf(managed) ?? reservedFor(managed);
}

const rotate: Decide = ({ managed, kept, secretDetails }) => {
  const requested = credentialOf(managed, secretDetails)?.rotationOf?.(managed);
  if (requested === undefined || requested === kept?.note?.rotation) return undefined;
  if (!shouldUpdate(managed.spec)) return undefined; // the rotation waits until the policies allow Update
  const owner = ownerOf(managed) ?? kept?.note?.for;
  return {
    name: 'RotateCredential',
    act: 'generate',
    note: { ...(owner && { for: owner }), rotation: requested },
  };
};

/** Generates a new credential for the owning claim, because the Secret still names a previous claim. */
const replace: Decide = (input) => {
  const { managed, kept, secretDetails } = input;
  const owner = newOwner(input);
  if (owner === undefined || credentialOf(managed, secretDetails) === undefined) return undefined;
  if (!shouldUpdate(managed.spec)) return undefined;
  const note = { ...omit(noteFacts(kept), 'given'), for: owner };
  return { name: 'ReplaceCredential', act: 'generate', note };
};

/** Records the owning claim in the Secret if no claim has the credential, or if an administrator allowed its reuse. */
const nameClaim: Decide = (input) => {
  const { managed, kept } = input;
  const owner = ownerOf(managed);
  if (!isSecret(input) || owner === undefined || kept?.note === undefined) return undefined;
  if (kept.note.for === owner) return undefined;
  if (newOwner(input) !== undefined && !mayKeepCredential(input)) return undefined;
  return { name: 'NameClaim', act: 'annotate', note: { ...noteFacts(kept), for: owner } };
};

/**
 * Removes `status.credential` before another credential is set, so that the status is correct even after a crash. While
 * the policies forbid that, the record stays: it shows which credential the external system uses.
 */
const clearRecord: Decide = ({ managed, kept, secretDetails }) => {
  const credential = credentialOf(managed, secretDetails);
  if (managed.status?.credential === undefined || credential === undefined || kept === undefined)
    return undefined;
  if (!shouldUpdate(managed.spec)) return undefined;
  if (isApplied(managed, kept, credential)) return undefined;
  return { name: 'ClearRecord', act: 'updateStatus', desired: withoutRecord(managed) };
};

/** The previous claim knows the credential, and the controller cannot replace it. The run goes on. */
const cannotChange: Decide = (input) => {
  const message = whyCredentialStays(input);
  return message === undefined ? undefined : { name: 'CredentialCannotChange', act: 'report', message };
};

/** Why the owning claim cannot have the credential of the previous claim, nor another one. Undefined if it can. */
export function whyCredentialStays(input: NoteInput): string | undefined {
  const { managed, secretDetails } = input;
  const owner = newOwner(input);
  if (owner === undefined || mayKeepCredential(input)) return undefined;
  const why = secretDetails.reportsSecrets
    ? `the external system generates its credentials; ${advice.generateOthers}`
    : `spec.managementPolicies do not allow Update; ${howToAllowUpdate(managed.spec)}, or ${advice.reuseCredentials}`;
  return `the previous claim knows the credentials, so that ${owner} cannot have them: ${why}`;
}

/**
 * Decides the next write before the external resource is observed: finalizer, owning claim, or the credential in the
 * Secret. The first check that matches decides. Undefined: no write is needed.
 */
export const decideCredential = (input: CredentialInput): CredentialDecision | undefined =>
  firstMatch(input, input.isUnknown === true ? checksWithoutSecret : credentialChecks);

const checksWithoutSecret: readonly Decide[] = [addFinalizer, resetStatus];

const credentialChecks: readonly Decide[] = [
  ...checksWithoutSecret,
  keepReleased,
  makeAvailable,
  generate,
  clearLostRecord,
  adopt,
  rotate,
  replace,
  nameClaim,
  clearRecord,
  cannotChange,
];

/** Whether the next claim may use the same details: an administrator allowed it, or they are not secret. */
const mayKeepCredential = (input: NoteInput): boolean =>
  input.managed.metadata.annotations?.[annotationKeys.reoffer] === sameCredentials || !isSecret(input);

/** Whether the Secret holds secrets, and the end of the run does not remove them because the spec wants none. */
const isSecret = ({ managed, kept, secretDetails }: NoteInput): boolean =>
  kept !== undefined && holdsSecrets(managed, kept, secretDetails) && !isUnwanted(managed, secretDetails);

/** The text by which the Secret names the owning claim. A Released resource has no owning claim. */
function ownerOf({ spec, status }: Managed): string | undefined {
  const { claimRef } = spec;
  if (claimRef?.uid === undefined || status?.bindingPhase === 'Released') return undefined;
  return claimRef.uid === unknownClaim ? unknownClaim : claimText(claimRef);
}

/** The owning claim to record for an adopted credential, else `unknown`: then the next claim gets a new credential. */
function adoptedFor(managed: Managed): string {
  const phase = managed.status?.bindingPhase;
  return (phase === 'Bound' || phase === undefined ? ownerOf(managed) : undefined) ?? unknownClaim;
}

function reservedFor({ spec, status }: Managed): string | undefined {
  const { claimRef } = spec;
  return claimRef?.name === undefined || status?.bindingPhase === 'Released'
    ? undefined
    : claimText(claimRef);
}

/** The claim to record for new details. `unknown` if a previous claim may know the secrets that the system reports. */
export function claimOfNewNote(
  managed: Managed,
  { reportsSecrets = false }: SecretDetails,
): string | undefined {
  const phase = managed.status?.bindingPhase;
  const mayBeKnown = reportsSecrets && phase !== undefined && phase !== 'Bound';
  return mayBeKnown ? unknownClaim : reservedFor(managed);
}

function newOwner({ managed, kept }: NoteInput): string | undefined {
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

/** The resource without the record of its credential, and without these other fields of the status. */
export const withoutRecord = (managed: Managed, ...others: readonly (keyof ManagedStatus)[]): Managed =>
  managed.status === undefined
    ? managed
    : { ...managed, status: omit(managed.status, 'credential', ...others) };
