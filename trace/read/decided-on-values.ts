/*
 * Some decisions of the controllers depend on the values of Secrets. They are made here, where the values are read, and
 * only the decisions are kept.
 */

import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../apis/core/v1alpha1/meta.ts';
import { isControlledBy, referenceIsOfKind } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { controlOf } from '../../apis/core/v1alpha1/secret.ts';
import type { SecretFacts } from '../../controllers/core/claim-binding/decision.ts';
import { secretFacts } from '../../controllers/core/claim-binding/observe-secrets.ts';
import { keptIn } from '../../controllers/core/credential.ts';
import { decideCredential } from '../../controllers/core/managed/run/decide-credential.ts';
import type { ManagedService } from '../../controllers/core/managed/setup.ts';
import { decidePropagation } from '../../controllers/core/secret-propagation/decide.ts';
import type { DecidedOnValues, Found } from '../model/findings.ts';
import { thereOf } from '../model/findings.ts';
import { hidden } from '../model/hidden-secret.ts';

/** The two connection Secrets, with their values, and the objects that they belong to. */
export interface ReadSecrets {
  readonly claim: Claim | undefined;
  readonly managed: Managed | undefined;
  readonly service: ManagedService | undefined;
  readonly source: Found<Secret>;
  readonly target: Found<Secret>;
}

/** Pure. */
export function decidedOnValues(read: ReadSecrets): DecidedOnValues {
  const { claim, managed } = read;
  return {
    isCredentialKnown: isCredentialKnown(read),
    ...(managed && { credential: credentialOf(managed, read) }),
    ...(claim && { secrets: secretsOf(claim, read) }),
    propagation: propagationOf(read),
  };
}

/** The trace does not read secret stores. */
function isCredentialKnown({ managed, source }: ReadSecrets): boolean {
  if (managed === undefined || !wantsDetails(managed)) return true;
  return source.is === 'there' || source.is === 'absent';
}

function credentialOf(managed: Managed, read: ReadSecrets): DecidedOnValues['credential'] {
  const secret = thereOf(read.source);
  const isRefused = secret !== undefined && typeof controlOf(secret, managed) === 'object';
  if (isRefused || !isCredentialKnown(read)) return undefined;
  const kept = secret && { ...keptIn(secret), isOwned: isControlledBy(secret, managed) };
  return decideCredential({ managed, kept, secretDetails: read.service?.secretDetails ?? {} });
}

function secretsOf(claim: Claim, read: ReadSecrets): SecretFacts {
  const { managed, service } = read;
  const there = thereOf(read.source);
  const target = thereOf(read.target);
  const source = there && managed && isControlledBy(there, managed) ? there : undefined;
  const { write, notUsable, ...facts } = secretFacts({
    claim,
    managed,
    secretDetails: service?.secretDetails ?? {},
    source,
    kept: source && keptIn(source),
    target,
    isTargetStored: target?.type === connectionSecretType,
    controlled: target && isControlledBy(target, claim) ? [target] : [],
  });
  return {
    ...facts,
    ...(isCredentialKnown(read) && { notUsable }),
    ...(write && { write: { desired: hidden(write.desired).secret } }),
    controlled: facts.controlled.map((secret) => hidden(secret).secret),
  };
}

function propagationOf({ claim, managed, service, ...read }: ReadSecrets): DecidedOnValues['propagation'] {
  const [source, target] = [thereOf(read.source), thereOf(read.target)];
  if (source === undefined || target === undefined || managed === undefined || service === undefined)
    return undefined;
  const { kind, secretDetails } = service;
  if (!referenceIsOfKind(managed, kind)) return undefined;
  const decision = decidePropagation({ kind, secretDetails, source, target, claim, managed });
  return { name: decision.name, ...('message' in decision && { message: decision.message }) };
}
