import omit from 'lodash/omit.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Managed, ManagedStatus } from '../../apis/core/v1alpha1/managed.ts';
import { messageOf } from '../../runtime/client/errors.ts';
import { bugIn } from '../../runtime/log/bug.ts';
import type { ClaimService } from '../claim-service.ts';
import { creationParameters } from '../creation-parameters.ts';
import { decodeIdentity } from '../external-identity.ts';
import { configured, whyIncompatible } from './author-calls.ts';
import { whyUnusable } from './class-template.ts';

/** The fields of a status that its controllers write. The others are what the external system reports. */
const ownFields = [
  'bindingPhase',
  'boundUID',
  'releasedFrom',
  'releasedNamespace',
  'deleteAt',
  'credential',
  'externalIdentity',
  'operation',
  'deletionAccepted',
  'conditions',
  'observedGeneration',
] as const satisfies readonly (keyof ManagedStatus)[];

/**
 * Why a resource cannot serve a claim, or undefined if it can. Observed and recorded values override those of its spec:
 * the external resource may not get a value of the spec.
 */
export function whyResourceIncompatible(
  service: ClaimService,
  claim: Claim,
  { spec, status = {} }: Managed,
): string | undefined {
  const { atProvider, ...observed }: Managed['status'] & { readonly atProvider?: object } = omit(
    status,
    ownFields,
  );
  const recorded = decodeIdentity(status.externalIdentity)?.fields;
  const offered = { ...spec.initProvider, ...spec.forProvider, ...observed, ...atProvider, ...recorded };
  return whyIncompatible(service, claim, offered);
}

/** Why a class cannot serve a claim, with the name of the class, or undefined if it can. */
export function whyClassIncompatible(
  service: ClaimService,
  claim: Claim,
  resourceClass: Class,
): string | undefined {
  const why = whyIncompatible(service, claim, creationParameters(resourceClass.specTemplate));
  const { kind, metadata } = resourceClass;
  return why === undefined ? undefined : `${kind} ${metadata.name} ${why}`;
}

/**
 * Why a claim cannot get a class, or undefined if it can: the class is unusable or incompatible, or `configure` throws. If a
 * programming error is thrown, the claim can get the class: the error is reported when the class is used.
 */
export function whyNotSuitable(service: ClaimService, claim: Claim, offered: Class): string | undefined {
  try {
    const why = whyUnusable(claim, offered) ?? whyClassIncompatible(service, claim, offered);
    if (why === undefined) configured(service, claim, offered);
    return why;
  } catch (error) {
    return bugIn(error) === undefined ? messageOf(error) : undefined;
  }
}
