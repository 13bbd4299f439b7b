import get from 'lodash/get.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { entryNameOf, entryNameProblem, whyNoEntryNames } from '../../apis/core/v1alpha1/entry-name.ts';
import { shortened } from '../../apis/core/v1alpha1/printable.ts';
import { whyKeyRefused } from '../../apis/core/v1alpha1/template-metadata.ts';
import { firstMatch } from '../first-match.ts';
import { invalidPolicies, shouldCreate } from '../management-policies.ts';

/** The most characters of a key in a message. A definition without a schema admits longer ones. */
const longestKey = 100;

/**
 * Why a class can provision nothing, or undefined. The API server refuses most of these classes, if their definition has
 * rules.
 */
export const whyNothingProvisioned = (resourceClass: Class): string | undefined =>
  firstMatch(resourceClass, [policiesUnsupported, creationForbidden, keyRefused, entriesNotNamed]);

function policiesUnsupported(resourceClass: Class): string | undefined {
  return invalidPolicies(resourceClass.specTemplate, fieldOf(resourceClass, 'managementPolicies'));
}

function creationForbidden(resourceClass: Class): string | undefined {
  if (shouldCreate(resourceClass.specTemplate)) return undefined;
  return `${fieldOf(resourceClass, 'managementPolicies')} does not allow Create; ${advice.allowCreate}`;
}

function keyRefused(resourceClass: Class): string | undefined {
  for (const field of ['metadata', 'publishConnectionDetailsTo.metadata'] as const) {
    const { labels, annotations } = get(resourceClass.specTemplate, field) ?? {};
    for (const key of Object.keys({ ...labels, ...annotations })) {
      const why = whyKeyRefused(key);
      if (why === undefined) continue;
      const text = JSON.stringify(shortened(key, longestKey));
      return `${fieldOf(resourceClass, field)} has the key ${text}, which ${why}; ${advice.useAnotherKey}`;
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

/** Why the resource of a claim can have no entry in the secret store of a class, or undefined. */
export function whyNoEntry(claim: Claim, resourceClass: Class): string | undefined {
  const { publishConnectionDetailsTo: to } = resourceClass.specTemplate;
  const why = to && entryNameProblem(entryNameOf(to.name, claim));
  return why === undefined
    ? undefined
    : `the name of an entry that ${fieldOf(resourceClass, entryNameField)} gives for this claim ${why}`;
}

const fieldOf = ({ kind, metadata }: Class, field: string): string =>
  `specTemplate.${field} of ${kind} ${metadata.name}`;
