import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { messageOf } from '../../../runtime/client/errors.ts';
import { bugIn } from '../../../runtime/log/bug.ts';
import type { ClaimService } from '../claim-service.ts';
import { blamed } from '../stack-bug.ts';

/**
 * Why a managed resource cannot serve a claim, to be said after its name; undefined if it can. What the external system
 * tells in the status counts where the spec leaves a field of that name open. Throws what `misfit` throws.
 */
export function misfitOfManaged(service: ClaimService, claim: Claim, managed: Managed): string | undefined {
  const { initProvider, forProvider } = managed.spec;
  const { atProvider, ...told } = { atProvider: undefined, ...managed.status };
  return misfitOf(service, claim, { ...told, ...(atProvider ?? {}), ...initProvider, ...forProvider });
}

/** Why a class cannot serve a claim, as a sentence that begins with its name; undefined if it can. Throws what `misfit` throws. */
export function misfitOfClass(service: ClaimService, claim: Claim, offered: Class): string | undefined {
  const why = misfitOf(service, claim, offered.specTemplate.forProvider ?? {});
  return why === undefined ? undefined : `${offered.kind} ${offered.metadata.name} ${why}`;
}

/**
 * Why a claim is not to be given a class: it cannot serve, or `configure` says so. A programming error of the stack is no
 * reason to pass a class over: who acts on the class will tell of it.
 */
export function unfitness(service: ClaimService, claim: Claim, offered: Class): string | undefined {
  try {
    const misfit = misfitOfClass(service, claim, offered);
    if (misfit === undefined) service.configure(claim, offered);
    return misfit;
  } catch (error) {
    return bugIn(error) === undefined ? messageOf(error) : undefined;
  }
}

function misfitOf(service: ClaimService, claim: Claim, offered: object): string | undefined {
  try {
    return service.misfit?.(claim, offered);
  } catch (error) {
    throw blamed(error, service.stack);
  }
}
