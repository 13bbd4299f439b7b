import isEmpty from 'lodash/isEmpty.js';
import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { publishesToStoreAlone, wantsDetails } from '../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../apis/core/v1alpha1/meta.ts';
import { isControlledBy, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import type { ConnectionDetails, Secret, SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import { annotationsWithoutClaims, decodeDetails, encodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import type { Copy, CopySource } from '../claim-secret.ts';
import { copyFor, isCopy, whyNotCopied } from '../claim-secret.ts';
import type { SecretDetails, StoredCredential } from '../credential.ts';
import { isCopyInForce, whyNotUsable } from '../credential.ts';
import { isSameShape } from '../secret-shape-record.ts';
import type { SecretFacts, SecretWrite } from './decision.ts';
import { consentTo } from './desired.ts';

/** The Secrets of a claim (`target`) and of its resource (`source`), as they are now. */
export interface ObservedSecrets {
  readonly claim: Claim;
  readonly managed: Managed | undefined;
  readonly resourceClass: Class | undefined;
  readonly secretDetails: SecretDetails;
  /** The resource's Secret. Undefined if it does not exist, or if another object controls it. */
  readonly source: Secret | undefined;
  /** The content of the resource's Secret, or of its entry in a secret store. */
  readonly stored: StoredCredential | undefined;
  readonly target: Secret | undefined;
  /** Whether the informer cache has `target`. If so, secret-propagation/ updates the data in `target`. */
  readonly isTargetStored: boolean;
  readonly controlled: readonly Secret[];
}

export const secretKeyOfClaim = ({ metadata, spec }: Claim): SecretKey | undefined =>
  spec.writeConnectionSecretToRef && {
    namespace: metadata.namespace ?? '',
    name: spec.writeConnectionSecretToRef.name,
  };

/** The facts about Secrets from which decide.ts decides. Pure. */
export function secretFacts(observed: ObservedSecrets): SecretFacts {
  const { claim, managed, target, controlled } = observed;
  const wanted = secretKeyOfClaim(claim);
  const isWanted = wanted !== undefined && managed !== undefined && wantsDetails(managed);
  const source = sourceOf(observed);
  // An empty source stands for one that does not exist yet, because the owner of `target` is checked even then.
  const published = managed?.spec.writeConnectionSecretToRef;
  const of = {
    ...observed,
    target: target ?? emptyCopy(wanted),
    source: source ?? (published ? { metadata: published } : {}),
  };
  const copy = copyFor(of);
  const hasCopy = target !== undefined && isControlledBy(target, claim);
  const facts = {
    isWanted,
    hasCopy,
    isCopyUsable: hasCopy && doesCopyWork(observed, copy.hasDetails ? decodeDetails(target) : undefined),
    notUsable: notUsable(observed, isWanted),
    stale: controlled.filter(
      ({ metadata }) => metadata.name !== wanted?.name && metadata.deletionTimestamp === undefined,
    ),
    controlled,
  };
  if (!isWanted) return facts;
  return {
    ...facts,
    obstacle: target && whyNotCopied(of, copy),
    write: source && nextWrite(observed, copy),
    incomplete: source && copy.incomplete,
    isEmpty: !copy.hasDetails && isEmpty(copy.secret.data),
    isBindable: copy.hasDetails || Object.hasOwn(copy.secret.data ?? {}, 'type'),
  };
}

/** The resource's Secret, or its entry in a secret store if it publishes there alone. Undefined if it does not exist. */
function sourceOf({ managed, source, stored }: ObservedSecrets): CopySource | undefined {
  const isEntry = managed !== undefined && publishesToStoreAlone(managed);
  return isEntry && stored !== undefined ? { data: encodeDetails(stored.details) } : source;
}

function notUsable({ claim, managed, secretDetails, stored }: ObservedSecrets, isWanted: boolean) {
  if (managed === undefined || !wantsDetails(managed)) return undefined;
  const reason = whyNotUsable(managed, stored, referenceTo(claim), secretDetails);
  return reason ?? (isWanted && stored === undefined ? 'CredentialMissing' : undefined);
}

/** While the controllers may set no credential, a copy works only if it is not the credential that was never set. */
const doesCopyWork = (
  { managed, stored, secretDetails }: ObservedSecrets,
  copy: ConnectionDetails | undefined,
): boolean => managed === undefined || isCopyInForce(managed, stored, copy, secretDetails);

/**
 * The next write: an annotation that allows the copy, or the copy. If only the connection details of a Bound claim changed,
 * secret-propagation/ updates the data. An entry of a secret store names its claim, which takes the place of the consent,
 * and no other controller copies it.
 */
function nextWrite(
  { claim, source, target, isTargetStored }: ObservedSecrets,
  copy: Copy,
): SecretWrite | undefined {
  const consenting = source && withConsent(source, claim);
  if (consenting !== undefined && consenting !== source) return { current: source, desired: consenting };
  if (target === undefined) return { desired: copy.secret };
  const isPropagated = source !== undefined && isTargetStored && claim.status?.bindingPhase === 'Bound';
  const desired =
    isPropagated && isSameShape(target, copy.secret)
      ? { ...copy.secret, data: target.data ?? {} }
      : copy.secret;
  return isCopy(target, { secret: desired }) ? undefined : { current: target, desired };
}

function withConsent(source: Secret, claim: Claim): Secret {
  const annotations = { ...annotationsWithoutClaims(source), ...consentTo(claim) };
  return isEqual(annotations, source.metadata.annotations ?? {})
    ? source
    : { ...source, metadata: { ...source.metadata, annotations } };
}

const emptyCopy = (metadata: SecretKey = { namespace: '', name: '' }): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata,
  type: connectionSecretType,
});
