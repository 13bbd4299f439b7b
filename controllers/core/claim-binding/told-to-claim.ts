import get from 'lodash/get.js';
import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import type { ClaimService } from '../claim-service.ts';

/** What a stack advises of fields of the managed resource: `change spec.forProvider.engineVersion`. */
const advice = /\bchange (spec\.forProvider\.\w+(?:\.\w+)*(?: and spec\.forProvider\.\w+(?:\.\w+)*)*)/;

/** What is advised where a thing outside is somebody else's: of a field that the claim has not. */
const observing = /\bobserve it with (spec\.managementPolicies \["Observe"\])/;

/** What is advised of the external name, which a claim gives what is made for it, once. */
const naming = /\b(?:choose (another external name)|give (another one in the annotation))\b/;

/** The fields that every claim has. The others are what its kind's `configure` reads. */
const standardFields = ['writeConnectionSecretToRef', 'classSelector', 'classRef', 'resourceRef'] as const;

const anew = 'make another claim with';

/**
 * What a managed resource says, for the claim that it was made for. Where it advises to change a field that has its value
 * from the claim, who wrote the claim is told what he can do: the claim's own fields are settled once it has a resource.
 */
export function toldToClaim(
  service: ClaimService,
  claim: Claim,
  resourceClass: Class | undefined,
  message: string,
): string {
  const addressed = message.replace(
    observing,
    'have an administrator observe it with $1 of the managed resource',
  );
  if (resourceClass === undefined) return addressed;
  return addressed.replace(naming, `${anew} $1$2`).replace(advice, (advised, places: string) => {
    const paths = places.split(' and ').map((place) => place.replace('spec.', ''));
    const fields = fieldsBehind(service, claim, resourceClass, paths).map((field) => `spec.${field}`);
    return fields.length === 0 ? advised : `${anew} another ${fields.join(' and ')}`;
  });
}

/** The fields of the claim without which what it gets would have other values in one of these places. */
function fieldsBehind(
  service: ClaimService,
  claim: Claim,
  resourceClass: Class,
  paths: readonly string[],
): readonly string[] {
  const configured = (of: Claim): object | undefined => {
    try {
      return service.configure(of, resourceClass);
    } catch {
      return undefined; // the class was edited since; whose the value is cannot be told any more
    }
  };
  const made = configured(claim);
  return Object.keys(omit(claim.spec, standardFields))
    .toSorted()
    .filter((field) => {
      const without = configured({ ...claim, spec: omit(claim.spec, field) });
      if (made === undefined || without === undefined) return false;
      return paths.some((path) => !isEqual(get(made, path), get(without, path)));
    });
}
