import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { messageOf } from '../../../runtime/client/errors.ts';
import { bugIn } from '../../../runtime/log/bug.ts';
import type { ClaimService } from '../claim-service.ts';
import { decodeIdentity } from '../external-identity.ts';
import { attributed } from '../stack-bug.ts';

/**
 * Why a resource cannot serve a claim, or undefined if it can. Fields of its spec override those of its status, except
 * recorded fields: an edit of these has no effect.
 */
export function whyResourceIncompatible(
  service: ClaimService,
  claim: Claim,
  { spec, status = {} }: Managed,
): string | undefined {
  const { atProvider, externalIdentity, ...reported }: Managed['status'] & { readonly atProvider?: object } =
    status;
  const recorded = decodeIdentity(externalIdentity)?.fields;
  const offered = { ...reported, ...atProvider, ...spec.initProvider, ...spec.forProvider, ...recorded };
  return whyIncompatible(service, claim, offered);
}

/** Why a class cannot serve a claim, beginning with the name of the class, or undefined if it can. */
export function whyClassIncompatible(
  service: ClaimService,
  claim: Claim,
  { kind, metadata, specTemplate }: Class,
): string | undefined {
  const why = whyIncompatible(service, claim, specTemplate.forProvider ?? {});
  return why === undefined ? undefined : `${kind} ${metadata.name} ${why}`;
}

/**
 * Why a claim cannot get a class, or undefined if it can: the class is incompatible, or `configure` throws. If a
 * programming error is thrown, the claim can get the class: the error is reported when the class is used.
 */
export function whyNotSuitable(service: ClaimService, claim: Claim, offered: Class): string | undefined {
  try {
    const why = whyClassIncompatible(service, claim, offered);
    if (why === undefined) service.configure(claim, offered);
    return why;
  } catch (error) {
    return bugIn(error) === undefined ? messageOf(error) : undefined;
  }
}

function whyIncompatible(service: ClaimService, claim: Claim, offered: object): string | undefined {
  try {
    return service.whyIncompatible?.(claim, offered);
  } catch (error) {
    throw attributed(error, service.stack);
  }
}
