import get from 'lodash/get.js';
import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import type { ClaimService } from '../claim-service.ts';

/** The fields that every claim kind has. */
const standardFields = ['writeConnectionSecretToRef', 'classSelector', 'classRef', 'resourceRef'] as const;

/**
 * Returns advice for the author of a claim whose managed resource reports an error. Undefined if there is none. It
 * never advises to edit the claim or the resource: a claim with a resource cannot change, and most authors may not edit
 * resources. It never advises to observe the external resource: the claim chose its name, and that may be the name of
 * another team's. `resourceClass`: the class from which the resource was created.
 */
export function adviceToClaim(
  service: ClaimService,
  claim: Claim,
  resourceClass: Class | undefined,
  { advice: kinds = [], fields = [] }: Partial<NonNullable<Condition['error']>> = {},
): string | undefined {
  const changed =
    resourceClass !== undefined && kinds.includes('ChangeFields')
      ? fieldsBehind(service, claim, resourceClass, fields).map((field) => `spec.${field}`)
      : [];
  const renamed =
    resourceClass !== undefined && kinds.includes('ChooseExternalName') ? ['external name'] : [];
  const others = [...changed, ...renamed].join(' and ');
  return others === '' ? undefined : advice.createOtherClaim(others);
}

/** The fields of the claim that determine one of the given `fields` of its resource. */
export function fieldsBehind(
  service: ClaimService,
  claim: Claim,
  resourceClass: Class,
  fields: readonly string[],
): readonly string[] {
  const configured = (of: Claim): object | undefined => {
    try {
      return { spec: service.configure(of, resourceClass) };
    } catch {
      return undefined; // `configure` may throw without a required field, or because the class was edited later
    }
  };
  const made = configured(claim);
  return Object.keys(omit(claim.spec, standardFields))
    .toSorted()
    .filter((field) => {
      const without = configured({ ...claim, spec: omit(claim.spec, field) });
      if (made === undefined || without === undefined) return false;
      return fields.some((path) => !isEqual(get(made, path), get(without, path)));
    });
}
