/*
 *   spec ──▶ the kind's GeneratedCredential ──▶ the Secret: credential, key, owning claim   (written first)
 *                                                    │ the external client sets it
 *                                                    ▼
 *                                              status.credential: HMAC of the applied credential  (written second)
 *
 * docs/decisions/0056-credentials-are-desired-state.md has the rules and their reasons.
 */

import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import attempt from 'lodash/attempt.js';
import isPlainObject from 'lodash/isPlainObject.js';
import isString from 'lodash/isString.js';
import type { DetailKey } from '../apis/core/v1alpha1/connection-details.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../apis/core/v1alpha1/managed.ts';
import type { ObjectReference } from '../apis/core/v1alpha1/reference.ts';
import type { ConnectionDetails, Secret } from '../apis/core/v1alpha1/secret.ts';
import { decodeDetails, propagationTargets, secretsAmong } from '../apis/core/v1alpha1/secret.ts';
import { mayChange, shouldUpdate } from './management-policies.ts';

/** Returns cryptographically strong random bytes. Tests and the simulation pass their own function. */
export type RandomBytes = (size: number) => Buffer;

/** The password that this product generates for each resource of one managed kind. */
export interface GeneratedCredential<M extends Managed = Managed> {
  /** The key of the password in the Secret, for example `password`: one of the connection details of the kind. */
  readonly key: DetailKey<M>;
  readonly length: number;
  /** The distinct characters that a password may contain, at most 256. The external system must accept all of them. */
  readonly alphabet: string;
  /** Whether this managed resource needs a credential now. Pure. Absent if resources of this kind always need one. */
  isWanted?(managed: M): boolean;
  /** Returns the value of the field that requests a rotation: each new value requests a new credential. Pure. */
  rotationOf?(managed: M): string | undefined;
}

/** Letters, digits, `-` and `_`: safe in a URL, a shell and a configuration file. */
export const urlSafeAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A generated password that most external systems accept: 32 characters, 192 bits. */
export const generatedPassword = { key: 'password', length: 32, alphabet: urlSafeAlphabet } as const;

/** The least that a generated credential must have: fewer bits can be guessed. */
const leastBits = 64;

/** Why no safe credential can be generated: one line each. */
export function credentialProblems({ key, length, alphabet }: GeneratedCredential): readonly string[] {
  const characters = [...new Set(alphabet)].length;
  const bits = Math.floor(length * Math.log2(Math.max(1, characters)));
  return [
    ...(key === '' ? ['has no key'] : []),
    ...(characters < alphabet.length ? ['has an alphabet that repeats a character'] : []),
    ...(characters > 256 ? [`has an alphabet of ${characters} characters; at most 256 are possible`] : []),
    ...(!Number.isSafeInteger(length) || bits < leastBits
      ? [
          `can be guessed: ${length} of ${characters} characters are ${bits} bits, and ${leastBits} are needed. Increase its length or its alphabet`,
        ]
      : []),
  ];
}

/** Generates a credential. It skips the highest bytes, so that the `%` below chooses every character equally often. */
export function generateCredential(
  { length, alphabet }: Pick<GeneratedCredential, 'length' | 'alphabet'>,
  random: RandomBytes = randomBytes,
): string {
  const usable = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < usable) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

/** The annotation on a managed resource's Secret with the CredentialNote as JSON. A claim's Secret never gets it. */
export const credentialAnnotation = 'crossplane.io/credential';

export interface CredentialNote {
  /** The key of the HMAC in `status.credential`, in base64. */
  readonly key: string;
  /** The claim that may use the credential: `PostgreSQLInstance team-a/ledger`. Absent if there is none yet. */
  readonly for?: string;
  /** The result of `GeneratedCredential.rotationOf` for this credential. Another result requests a new credential. */
  readonly rotation?: string;
  /** A person wrote this credential, for an external resource that the controllers may only observe. */
  readonly given?: true;
}

/** The name of a claim that is not known but may have read the credential. The next claim gets a new credential. */
export const unknownClaim = 'unknown';

export const newNoteKey = (random: RandomBytes = randomBytes): string => random(32).toString('base64');

export const encodeNote = (note: CredentialNote): string => JSON.stringify(note);

export function decodeNote(text: string | undefined): CredentialNote | undefined {
  if (text === undefined) return undefined;
  const parsed: unknown = attempt(JSON.parse, text); // returns an Error if the text is not JSON
  if (!isPlainObject(parsed)) return undefined;
  const { key, for: claim, rotation, given } = parsed as Record<string, unknown>;
  const isOptionalText = (value: unknown): boolean => value === undefined || isString(value);
  if (!isString(key) || key === '' || !isOptionalText(claim) || !isOptionalText(rotation)) return undefined;
  return {
    key,
    ...(isString(claim) && { for: claim }),
    ...(isString(rotation) && { rotation }),
    ...(given === true && { given }),
  };
}

/** The text that names a claim in a CredentialNote. The text has no UID, because a `claimRef` may have none. */
export const claimText = ({ kind, namespace, name }: ObjectReference): string =>
  `${kind} ${namespace}/${name}`;

/**
 * The value of `status.credential.hmac`: the HMAC-SHA-256 of the credential, in base64, with the key of the
 * CredentialNote. It includes the UID of the managed resource, so that an HMAC from a restored backup does not match.
 */
export const hmacOf = (credential: string, { key }: Pick<CredentialNote, 'key'>, uid = ''): string =>
  createHmac('sha256', createSecretKey(key, 'base64')).update(`${uid}${credential}`).digest('base64');

/** The connection details and the CredentialNote of a managed resource, from its Secret or from a secret store. */
export interface StoredCredential {
  readonly details: ConnectionDetails;
  readonly note: CredentialNote | undefined;
  /** Whether the Secret consents to be copied to the Secret of a claim, so that this claim may have read it. */
  readonly isCopied?: boolean;
}

export const storedIn = (secret: Secret): StoredCredential => ({
  details: decodeDetails(secret),
  note: decodeNote(secret.metadata.annotations?.[credentialAnnotation]),
  isCopied: propagationTargets(secret).length > 0,
});

/** Whether the stored credential was set in the external system: `status.credential.hmac` is its HMAC. */
export function isApplied(
  { metadata, status }: Managed,
  { details, note }: StoredCredential,
  { key }: Pick<GeneratedCredential, 'key'>,
): boolean {
  const credential = details[key];
  if (credential === undefined || note === undefined) return false;
  return status?.credential?.hmac === hmacOf(credential, note, metadata.uid);
}

/** The secret connection details of the resources of one managed kind. */
export interface SecretDetails<M extends Managed = Managed> {
  /** The credential that this product generates. Absent if it generates none. */
  readonly credential?: GeneratedCredential<M>;
  /** Whether the external system generates a credential and reports it. Default: false. */
  readonly reportsSecrets?: boolean;
}

/** How to generate the credential of a managed resource, also if it names no place for it. Undefined if it needs none. */
export const neededCredential = <M extends Managed>(
  managed: M,
  { credential }: SecretDetails<M>,
): GeneratedCredential<M> | undefined => (credential?.isWanted?.(managed) === false ? undefined : credential);

/** How to generate the credential of a managed resource. Undefined if it needs none, or names no place for it. */
export const credentialOf = <M extends Managed>(
  managed: M,
  secretDetails: SecretDetails<M>,
): GeneratedCredential<M> | undefined =>
  wantsDetails(managed) ? neededCredential(managed, secretDetails) : undefined;

/**
 * Whether a Secret or store entry holds details that only one claim may know: a credential, or secrets that the
 * external system reports. The content decides. The management policies do not: they say what the controllers may
 * change, and not who may know a password.
 */
export function holdsSecrets<M extends Managed>(
  managed: M,
  { details, note }: StoredCredential,
  secretDetails: SecretDetails<M>,
): boolean {
  const { credential, reportsSecrets = false } = secretDetails;
  if (credential === undefined && !reportsSecrets) return false;
  if (note !== undefined) return true;
  if (credential === undefined) return hasAny(details);
  // A person may give a credential in another entry, such as `uri`.
  const isNeeded = neededCredential(managed, secretDetails) !== undefined;
  return credential.key in details || (isNeeded && hasAny(secretsAmong(details)));
}

/** Whether the spec wants no credential any more, so that the controllers remove the one in the Secret. */
export const isUnwanted = <M extends Managed>(managed: M, secretDetails: SecretDetails<M>): boolean =>
  secretDetails.credential !== undefined &&
  secretDetails.reportsSecrets !== true &&
  credentialOf(managed, secretDetails) === undefined &&
  wantsDetails(managed) &&
  mayChange(managed.spec);

const hasAny = (details: ConnectionDetails): boolean => Object.keys(details).length > 0;

/**
 * Whether a Secret or store entry must come to hold secrets: the controllers may generate the credential, or they set
 * one before, or the external system reports secrets.
 */
function awaitsSecrets<M extends Managed>(managed: M, secretDetails: SecretDetails<M>): boolean {
  if (credentialOf(managed, secretDetails) === undefined)
    return secretDetails.reportsSecrets === true && wantsDetails(managed);
  return mayChange(managed.spec) || managed.status?.credential !== undefined;
}

/**
 * The credential that the Secret holds for this resource: the one that the controllers set, or that a person gave for an
 * external resource that they may only observe. Undefined: none.
 */
export function heldCredentialOf<M extends Managed>(
  managed: M,
  stored: StoredCredential | undefined,
  secretDetails: SecretDetails<M>,
): GeneratedCredential<M> | undefined {
  const observed = mayChange(managed.spec) ? undefined : secretDetails.credential;
  const credential = credentialOf(managed, secretDetails) ?? observed;
  return credential !== undefined && stored !== undefined && credential.key in stored.details
    ? credential
    : undefined;
}

/** Whether a credential that the controllers set before is missing, and they may not generate another one. */
export const isCredentialLost = <M extends Managed>(
  managed: M,
  stored: StoredCredential | undefined,
  secretDetails: SecretDetails<M>,
): boolean => {
  const credential = credentialOf(managed, secretDetails);
  if (credential === undefined || mayChange(managed.spec)) return false;
  return managed.status?.credential !== undefined && stored?.details[credential.key] === undefined;
};

/** Whether only a person can have written the credential: the controllers may not set one, and never did. */
export const isOfPerson = ({ spec, status }: Managed): boolean =>
  !mayChange(spec) && status?.credential === undefined;

/** Whether a person gave the credential of a resource that the controllers may only observe, and have never set. */
export const isGiven = (managed: Managed, { note }: StoredCredential): boolean =>
  note?.given === true && isOfPerson(managed);

/**
 * Whether a copy that a claim has works, as far as is known, although the credential of the Secret is not in force. The
 * controllers set that credential soon, if the policies let them. Otherwise the copy must be one that was set: the status
 * records one, and the copy is not the credential that waits in the Secret. `copy` is undefined if it has only entries of a
 * template, in which the credential may have another form.
 */
export function isCopyInForce<M extends Managed>(
  managed: M,
  stored: StoredCredential | undefined,
  copy: ConnectionDetails | undefined,
  secretDetails: SecretDetails<M>,
): boolean {
  const { key } = credentialOf(managed, secretDetails) ?? {};
  if (key === undefined || shouldUpdate(managed.spec)) return true;
  if (stored !== undefined && isApplied(managed, stored, { key })) return true;
  // A credential without a note is adopted soon.
  const isUnnoted = stored !== undefined && stored.note === undefined;
  if (isUnnoted && holdsSecrets(managed, stored, secretDetails)) return true;
  if (isOfPerson(managed)) return stored === undefined || stored.note?.given === true;
  if (managed.status?.credential === undefined) return false;
  return copy === undefined || (key in copy && copy[key] !== stored?.details[key]);
}

type NotUsable =
  | 'CredentialMissing'
  | 'CredentialForNoClaim'
  | 'CredentialOfAnotherClaim'
  | 'CredentialNotApplied';

/**
 * Why the connection details cannot be copied to the claim's Secret now. Undefined if they can be copied: they are for
 * this claim, and the external system uses the credential. `stored` is undefined if neither the resource's
 * Secret nor its entry in a secret store exists.
 */
export function whyNotUsable<M extends Managed>(
  managed: M,
  stored: StoredCredential | undefined,
  claim: ObjectReference,
  secretDetails: SecretDetails<M>,
): NotUsable | undefined {
  const isAwaited = awaitsSecrets(managed, secretDetails);
  if (stored === undefined) return isAwaited ? 'CredentialMissing' : undefined;
  if (!isAwaited && !holdsSecrets(managed, stored, secretDetails)) return undefined;
  if (stored.note?.for === undefined) return 'CredentialForNoClaim';
  if (stored.note.for !== claimText(claim)) return 'CredentialOfAnotherClaim';
  const { credential } = secretDetails;
  if (credential === undefined) return undefined;
  const isExpected = isAwaited && credentialOf(managed, secretDetails) !== undefined;
  if (!isExpected && !(credential.key in stored.details)) return undefined;
  const isInForce = isApplied(managed, stored, credential) && managed.status?.credential?.pending !== true;
  return isInForce || isGiven(managed, stored) ? undefined : 'CredentialNotApplied';
}
