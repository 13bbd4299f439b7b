import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerReference, isControlledBy, referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret, SecretKey } from '../../../apis/core/v1alpha1/secret.ts';
import { annotationsWithoutClaims, propagatesFrom, secretKeyOf } from '../../../apis/core/v1alpha1/secret.ts';
import { propagated, whyNotCopied } from '../claim/propagated-secret.ts';
import type { KeptCredential, SecretDetails } from '../credential.ts';
import { whyNotUsable } from '../credential.ts';
import type { SecretFacts, SecretWrite } from './decision.ts';
import { consentTo } from './desired.ts';

/** The Secrets of a claim and of its resource, as they are now. */
export interface SeenSecrets {
  readonly claim: Claim;
  /** The claim's resource. */
  readonly managed: Managed | undefined;
  readonly secretDetails: SecretDetails;
  /** The resource's Secret; absent: there is none, or another object controls it. */
  readonly source: Secret | undefined;
  /** What the resource's Secret, or its entry in a secret store, holds. */
  readonly kept: KeptCredential | undefined;
  /** The Secret that the claim names. */
  readonly target: Secret | undefined;
  /** The store has it, so that Secret propagation keeps its data. */
  readonly isTargetStored: boolean;
  /** The Secrets that the claim controls. */
  readonly controlled: readonly Secret[];
}

/** The Secret that a claim names, in its own namespace. */
export const secretKeyOfClaim = ({ metadata, spec }: Claim): SecretKey | undefined =>
  spec.writeConnectionSecretToRef && {
    namespace: metadata.namespace ?? '',
    name: spec.writeConnectionSecretToRef.name,
  };

/** The facts about Secrets that binding decides on. Pure. */
export function secretFacts(seen: SeenSecrets): SecretFacts {
  const { claim, managed, source, target, controlled } = seen;
  const wanted = secretKeyOfClaim(claim);
  const published = managed?.spec.writeConnectionSecretToRef;
  const isWanted = wanted !== undefined && published !== undefined;
  const facts = {
    isWanted,
    hasCopy: target !== undefined && isControlledBy(target, claim),
    notUsable: notUsable(seen, isWanted),
    stale: controlled.filter(
      ({ metadata }) => metadata.name !== wanted?.name && metadata.deletionTimestamp === undefined,
    ),
    controlled,
  };
  if (!isWanted) return facts;
  // Without a source only the owner and the origin of the claim's Secret can be compared.
  const of = source ?? emptySecret(published);
  return {
    ...facts,
    obstacle: target && whyNotCopied(target, claim, of),
    write: source && nextWrite(seen, wanted, source),
  };
}

function notUsable({ claim, managed, secretDetails, source, kept }: SeenSecrets, isWanted: boolean) {
  if (managed === undefined || !wantsDetails(managed)) return undefined;
  const reason = whyNotUsable(managed, kept, referenceTo(claim), secretDetails);
  return reason ?? (isWanted && source === undefined ? 'CredentialMissing' : undefined);
}

/**
 * The resource's Secret with consent, before the claim's Secret. Secret propagation keeps the data of a Bound claim's copy.
 */
function nextWrite(
  { claim, target, isTargetStored }: SeenSecrets,
  key: SecretKey,
  source: Secret,
): SecretWrite | undefined {
  const consenting = withConsent(source, claim);
  if (consenting !== source) return { current: source, desired: consenting };
  if (target === undefined) return { desired: copyOf(source, claim, key) };
  const isPropagated = isTargetStored && claim.status?.bindingPhase === 'Bound';
  const data = isPropagated ? target.data : source.data;
  const desired = propagated(target, claim, { ...source, data: data ?? {} });
  return isEqual(desired, { ...target, data: target.data ?? {} }) ? undefined : { current: target, desired };
}

/** The resource's Secret consents to be copied to this claim's Secret and to no other. */
function withConsent(source: Secret, claim: Claim): Secret {
  const annotations = { ...annotationsWithoutClaims(source), ...consentTo(claim) };
  return isEqual(annotations, source.metadata.annotations ?? {})
    ? source
    : { ...source, metadata: { ...source.metadata, annotations } };
}

const copyOf = (source: Secret, claim: Claim, key: SecretKey): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    ...key,
    ownerReferences: [controllerReference(claim)],
    annotations: propagatesFrom(secretKeyOf(source)),
  },
  type: connectionSecretType,
  data: source.data ?? {},
});

const emptySecret = (metadata: SecretKey): Secret => ({ apiVersion: 'v1', kind: 'Secret', metadata });
