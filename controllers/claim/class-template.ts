import get from 'lodash/get.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { entryNameOf, entryNameProblem, whyNoEntryNames } from '../../apis/core/v1alpha1/entry-name.ts';
import { shortened } from '../../apis/core/v1alpha1/printable.ts';
import { whyKeyRefused } from '../../apis/core/v1alpha1/template-metadata.ts';
import { malformationOf } from '../../apis/core/v1alpha1/well-formed.ts';
import { firstMatch } from '../first-match.ts';
import { invalidPolicies, shouldCreate } from '../management-policies.ts';

/** The most characters of a key in a message. A definition without a schema admits longer ones. */
const longestKey = 100;

/**
 * Why nothing can be provisioned from a class for a claim, with the advice, or undefined. The API server refuses most of
 * these classes, if their definition has rules. So the advice is for an administrator.
 */
export function whyUnusable(claim: Claim, resourceClass: Class): string | undefined {
  const fault = firstMatch(resourceClass, [malformed, policiesUnsupported, keyRefused, entriesNotNamed]);
  return fault === undefined ? entryTooLong(claim, resourceClass) : `${fault}; ${advice.correctClass}`;
}

function malformed(resourceClass: Class): string | undefined {
  const malformation = malformationOf(resourceClass);
  return malformation && `${resourceClass.kind} ${resourceClass.metadata.name} is malformed: ${malformation}`;
}

/** The supported policies with Create: `*` alone, or Observe and Create with any others. */
function policiesUnsupported(resourceClass: Class): string | undefined {
  const { specTemplate } = resourceClass;
  if (invalidPolicies(specTemplate) === undefined && shouldCreate(specTemplate)) return undefined;
  const given = (specTemplate.managementPolicies ?? []).join(', ');
  return `${fieldOf(resourceClass, 'managementPolicies')} is [${given}]. It must be ["*"], or contain Observe and Create`;
}

function keyRefused(resourceClass: Class): string | undefined {
  for (const field of ['metadata', 'publishConnectionDetailsTo.metadata'] as const) {
    const { labels, annotations } = get(resourceClass.specTemplate, field) ?? {};
    for (const key of Object.keys({ ...labels, ...annotations })) {
      const why = whyKeyRefused(key);
      if (why === undefined) continue;
      const text = JSON.stringify(shortened(key, longestKey));
      return `${fieldOf(resourceClass, field)} has the key ${text}, which ${why}`;
    }
  }
  return undefined;
}

function entriesNotNamed(resourceClass: Class): string | undefined {
  const { publishConnectionDetailsTo: to } = resourceClass.specTemplate;
  const why = to && whyNoEntryNames(to.name);
  return why === undefined ? undefined : `${fieldOf(resourceClass, entryNameField)} ${why}`;
}

const entryNameField = 'publishConnectionDetailsTo.name';

/** The template of a class gives a name for this claim that is too long. */
function entryTooLong(claim: Claim, resourceClass: Class): string | undefined {
  const { publishConnectionDetailsTo: to } = resourceClass.specTemplate;
  const why = to && entryNameProblem(entryNameOf(to.name, claim));
  return why === undefined
    ? undefined
    : `the name of an entry that ${fieldOf(resourceClass, entryNameField)} gives for this claim ${why}; ${advice.createOtherClaim('name')}, or ${advice.correctClass}`;
}

const fieldOf = ({ kind, metadata }: Class, field: string): string =>
  `specTemplate.${field} of ${kind} ${metadata.name}`;
