import get from 'lodash/get.js';
import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import uniq from 'lodash/uniq.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { configured } from '../claim/author-calls.ts';
import { isCorrectable, parametersOf } from '../claim/claim-parameters.ts';
import type { ClaimService } from '../claim-service.ts';

/**
 * Returns advice for the author of a claim whose managed resource reports an error. Undefined if there is none. It
 * never advises to edit the resource: most authors may not do that. It advises to edit the claim only while nothing was
 * created. It never advises to observe the external resource: the claim chose its name, and that may be the name of
 * another team's. `resourceClass`: the class from which the resource was created.
 */
export function adviceToClaim(
  service: ClaimService,
  claim: Claim,
  resourceClass: Class | undefined,
  managed: Managed,
  { advice: kinds = [], fields = [] }: Partial<NonNullable<Condition['error']>> = {},
): string | undefined {
  const { own, classFields } =
    resourceClass !== undefined && kinds.includes('ChangeFields')
      ? sourcesOf(service, claim, resourceClass, fields)
      : noSources;
  const renamed =
    resourceClass !== undefined && kinds.includes('ChooseExternalName') ? ['external name'] : [];
  if (own.length > 0 && renamed.length === 0 && isCorrectable(claim, managed)) {
    const names = own.join(' and ');
    return classFields === undefined
      ? advice.correctFields(names)
      : advice.correctFieldsWithClass(names, classFields);
  }
  const others = [...own, ...(own.length > 0 && classFields !== undefined ? ['class'] : []), ...renamed];
  return others.length === 0 ? undefined : advice.createOtherClaim(others.join(' and '));
}

/** The places that set the refused fields of a resource. */
interface Sources {
  /** Fields of the claim, such as `spec.engineVersion`. */
  readonly own: readonly string[];
  /** Fields of its class that have values too: a claim that is corrected alone would contradict them. */
  readonly classFields: string | undefined;
}

const noSources: Sources = { own: [], classFields: undefined };

/** Where the given `fields` of a claim's resource come from. A class may set the value that the claim asks for, too. */
export function sourcesOf(
  service: ClaimService,
  claim: Claim,
  resourceClass: Class,
  fields: readonly string[],
): Sources {
  const inClass = uniq(fields.flatMap(placesInClass)).filter(
    (path) => get(resourceClass, path) !== undefined,
  );
  const own = fieldsBehind(service, claim, omit(resourceClass, inClass) as Class, fields);
  const { kind, metadata } = resourceClass;
  return {
    own: own.map((field) => `spec.${field}`),
    classFields: inClass.length === 0 ? undefined : `${inClass.join(' and ')} of ${kind} ${metadata.name}`,
  };
}

/** The paths in a class that give a field of the resource its value, such as `spec.forProvider.region`. */
function placesInClass(field: string): readonly string[] {
  const path = field.replace(/^spec\./, 'specTemplate.');
  return [path, path.replace(/^specTemplate\.forProvider\./, 'specTemplate.initProvider.')];
}

/** The fields of the claim that determine one of the given `fields` of its resource. */
function fieldsBehind(
  service: ClaimService,
  claim: Claim,
  resourceClass: Class,
  fields: readonly string[],
): readonly string[] {
  const yielded = (of: Claim): object | undefined => {
    try {
      return { spec: configured(service, of, resourceClass) };
    } catch {
      return undefined; // `configure` may throw without a required field, or because the class was edited later
    }
  };
  const made = yielded(claim);
  return Object.keys(parametersOf(claim))
    .toSorted()
    .filter((field) => {
      const without = yielded({ ...claim, spec: omit(claim.spec, field) });
      if (made === undefined || without === undefined) return false;
      return fields.some((path) => !isEqual(get(made, path), get(without, path)));
    });
}
