import omit from 'lodash/omit.js';
import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  finalizerNames,
  hasFinalizer,
  sameCredentials,
  withFinalizer,
} from '../../../apis/core/v1alpha1/meta.ts';
import type { SecretDetails, StoredCredential } from '../../credential.ts';
import {
  claimText,
  credentialOf,
  holdsSecrets,
  isOfPerson,
  isUnwanted,
  unknownClaim,
} from '../../credential.ts';
import { firstMatch } from '../../first-match.ts';
import { howToAllowUpdate, mayChange, shouldUpdate } from '../../management-policies.ts';
import { isReleased, withoutRelease } from '../../retention.ts';
import type { CredentialWrite, credentialDecisions, NoteFacts } from './decision.ts';
import type { Facts } from './facts.ts';

interface CredentialDecision {
  readonly name: (typeof credentialDecisions)[number];
  readonly call: CredentialWrite;
}

type CredentialFacts = Pick<Facts, 'kind' | 'managed' | 'place'>;
type Decide = (facts: CredentialFacts) => CredentialDecision | undefined;

/** Adds the finalizer before anything is created for the object. */
const addFinalizer: Decide = ({ kind, managed }) => {
  if (kind.isObserveOnly || hasFinalizer(managed, finalizerNames.managed)) return undefined;
  const desired = withFinalizer(managed, finalizerNames.managed);
  return { name: 'AddFinalizer', call: { act: 'update', desired } };
};

/** Removes binding and credential from a status that came from a backup, because they are not valid in this cluster. */
const resetStatus: Decide = ({ managed }) => {
  const { bindingPhase, boundUID } = managed.status ?? {};
  if (bindingPhase === undefined || boundUID === undefined || boundUID === managed.metadata.uid)
    return undefined;
  const others = omit(managed.status, 'bindingPhase', 'boundUID', 'credential');
  const desired = { ...managed, status: withoutRelease(others) };
  return { name: 'ResetStatus', call: { act: 'updateStatus', desired } };
};

/**
 * Writes the UID `unknown` to a `claimRef` without a UID if the resource is Released, so that no claim gets the
 * resource. Crossplane 0.3 to 0.9 removed `claimRef` when they released a resource.
 */
const keepReleased: Decide = ({ kind, managed, place: { entry } }) => {
  const { spec, status } = managed;
  // With a note, this version released the resource, and an administrator removed `claimRef`.
  if (spec.claimRef?.uid !== undefined || entry?.note !== undefined) return undefined;
  const isUnnoted = entry !== undefined && holdsSecrets(managed, entry, kind.secretDetails);
  const { bindingPhase, boundUID } = status ?? {};
  // A provisioned resource has `claimRef` until its release. So one without phase and `claimRef` was released.
  const wasReleased =
    bindingPhase === 'Released'
      ? isUnnoted || boundUID === undefined
      : isUnnoted && bindingPhase === undefined && spec.classRef !== undefined && spec.claimRef === undefined;
  if (!wasReleased) return undefined;
  const claimRef = { ...spec.claimRef, uid: unknownClaim };
  return {
    name: 'KeepReleased',
    call: { act: 'update', desired: { ...managed, spec: { ...spec, claimRef } } },
  };
};

/** Makes a Released resource Unbound again, after an administrator removed its `claimRef` or the UID in it. */
const makeAvailable: Decide = ({ managed }) => {
  const { spec, status } = managed;
  if (status?.bindingPhase !== 'Released' || spec.claimRef?.uid !== undefined) return undefined;
  const available = { ...withoutRelease(omit(status, 'boundUID')), bindingPhase: 'Unbound' as const };
  return { name: 'MakeAvailable', call: { act: 'updateStatus', desired: { ...managed, status: available } } };
};

/** Generates a credential if the Secret does not exist or has none, and if the policies let it be set. */
const generate: Decide = ({ kind, managed, place: { entry } }) => {
  const credential = credentialOf(managed, kind.secretDetails);
  if (credential === undefined || entry?.details[credential.key] !== undefined) return undefined;
  if (!mayChange(managed.spec)) return undefined;
  const claim = namedClaim(managed);
  const rotation = credential.rotationOf?.(managed);
  const note = { ...(claim && { for: claim }), ...(rotation && { rotation }) };
  return { name: 'GenerateCredential', call: { act: 'generate', note } };
};

/** Adopts a Secret without owner or credential annotation, such as after a restore. The credential does not change. */
const adopt: Decide = ({ kind: { secretDetails }, managed, place: { entry } }) => {
  if (entry === undefined || !holdsSecrets(managed, entry, secretDetails)) return undefined;
  if (entry.note !== undefined && entry.isOwned) return undefined;
  const claim = claimOfAdopted(managed, entry);
  const rotation = credentialOf(managed, secretDetails)?.rotationOf?.(managed);
  const given = isOfPerson(managed) && secretDetails.credential !== undefined;
  const note = entry.note
    ? noteFacts(entry)
    : { ...(claim && { for: claim }), ...(rotation && { rotation }), ...(given && { given }) };
  return { name: 'AdoptSecret', call: { act: 'annotate', note } };
};

/** Generates another credential, because a user requests a rotation. */
const rotate: Decide = ({ kind, managed, place: { entry } }) => {
  const rotation = credentialOf(managed, kind.secretDetails)?.rotationOf?.(managed);
  if (rotation === undefined || rotation === entry?.note?.rotation) return undefined;
  if (!shouldUpdate(managed.spec)) return undefined; // the rotation waits until the policies allow Update
  const owner = owningClaim(managed) ?? entry?.note?.for;
  return {
    name: 'RotateCredential',
    call: { act: 'generate', note: { ...(owner && { for: owner }), rotation } },
  };
};

/** Generates a new credential for the owning claim, because the Secret still names a previous claim. */
const replace: Decide = (facts) => {
  const { kind, managed, place } = facts;
  const owner = newOwner(facts);
  if (owner === undefined || credentialOf(managed, kind.secretDetails) === undefined) return undefined;
  if (!shouldUpdate(managed.spec)) return undefined;
  const note = { ...omit(noteFacts(place.entry), 'given'), for: owner };
  return { name: 'ReplaceCredential', call: { act: 'generate', note } };
};

/** Records the owning claim in the Secret if no claim has the credential, or if an administrator allowed its reuse. */
const nameClaim: Decide = (facts) => {
  const { entry } = facts.place;
  const owner = owningClaim(facts.managed);
  if (!isSecret(facts) || owner === undefined || entry?.note === undefined) return undefined;
  if (entry.note.for === owner) return undefined;
  if (newOwner(facts) !== undefined && !mayKeepCredential(facts)) return undefined;
  return { name: 'NameClaim', call: { act: 'annotate', note: { ...noteFacts(entry), for: owner } } };
};

/** Why the owning claim cannot have the credential of the previous claim, nor another one. Undefined if it can. */
export function whyCredentialStays(facts: CredentialFacts): string | undefined {
  const { kind, managed } = facts;
  const owner = newOwner(facts);
  if (owner === undefined || mayKeepCredential(facts)) return undefined;
  const why = kind.secretDetails.reportsSecrets
    ? `the external system generates its credentials; ${advice.generateOthers}`
    : `spec.managementPolicies do not allow Update; ${howToAllowUpdate(managed.spec)}, or ${advice.reuseCredentials}`;
  return `the previous claim knows the credentials, so that ${owner} cannot have them: ${why}`;
}

/**
 * Decides the next write before the external resource is observed: finalizer, owning claim, or the credential in the
 * Secret. The first check that matches decides. Undefined: no write is needed.
 */
export const decideCredential = (facts: CredentialFacts): CredentialDecision | undefined =>
  firstMatch(facts, facts.place.accessFailure === undefined ? credentialChecks : checksWithoutSecret);

const checksWithoutSecret: readonly Decide[] = [addFinalizer, resetStatus];

const credentialChecks: readonly Decide[] = [
  ...checksWithoutSecret,
  keepReleased,
  makeAvailable,
  generate,
  adopt,
  rotate,
  replace,
  nameClaim,
];

/** Whether the next claim may use the same details: an administrator allowed it, or they are not secret. */
const mayKeepCredential = (facts: CredentialFacts): boolean =>
  facts.managed.metadata.annotations?.[annotationKeys.reoffer] === sameCredentials || !isSecret(facts);

/** Whether the Secret holds secrets, and the end of the run does not remove them because the spec wants none. */
const isSecret = ({ kind: { secretDetails }, managed, place: { entry } }: CredentialFacts): boolean =>
  entry !== undefined && holdsSecrets(managed, entry, secretDetails) && !isUnwanted(managed, secretDetails);

/** The text by which the Secret names the owning claim. A Released resource has no owning claim. */
function owningClaim(managed: Managed): string | undefined {
  const { claimRef } = managed.spec;
  if (claimRef?.uid === undefined || isReleased(managed)) return undefined;
  return claimRef.uid === unknownClaim ? unknownClaim : claimText(claimRef);
}

/** The text of the claim that `claimRef` names, with or without a UID. */
function namedClaim(managed: Managed): string | undefined {
  const { claimRef } = managed.spec;
  return claimRef?.name === undefined || isReleased(managed) ? undefined : claimText(claimRef);
}

/**
 * The claim to record for an adopted credential. `unknown` if another claim may have read it, so that the next claim gets a
 * new one. Undefined if a person gave it, and no claim is named yet.
 */
function claimOfAdopted(managed: Managed, { isCopied = false }: StoredCredential): string | undefined {
  const phase = managed.status?.bindingPhase;
  const owner = owningClaim(managed);
  const isUnread = isOfPerson(managed) && phase !== 'Bound' && !isCopied && !isReleased(managed);
  if (isUnread) return owner ?? namedClaim(managed);
  return (phase === 'Bound' || phase === undefined ? owner : undefined) ?? unknownClaim;
}

/** The claim to record for new details. `unknown` if a previous claim may know the secrets that the system reports. */
export function claimOfNewNote(
  managed: Managed,
  { reportsSecrets = false }: SecretDetails,
): string | undefined {
  const phase = managed.status?.bindingPhase;
  const mayBeKnown = reportsSecrets && phase !== undefined && phase !== 'Bound';
  return mayBeKnown ? unknownClaim : namedClaim(managed);
}

/** The owning claim, if the Secret names another one. */
function newOwner({ managed, place }: CredentialFacts): string | undefined {
  const owner = owningClaim(managed);
  const named = place.entry?.note?.for;
  return owner !== undefined && named !== undefined && named !== owner ? owner : undefined;
}

const noteFacts = (stored: StoredCredential | undefined): NoteFacts => omit(stored?.note ?? {}, 'key');
