import { createHash } from 'node:crypto';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ObjectReference } from '../../../apis/core/v1alpha1/reference.ts';
import { describeReference, referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import { describeSelector } from '../../../apis/core/v1alpha1/selector.ts';
import { isProvisionedName } from './provisioned-name.ts';

/** On a provisioned managed resource: the selector its claim had, by which an edit is known. */
export const classSelectorKey = 'crossplane.io/class-selector';

const longestRecord = 256;

/** The annotation that records a claim's class selector; none if it has none. */
export function selectorRecord({ spec: { classSelector } }: Claim): Readonly<Record<string, string>> {
  if (classSelector === undefined) return {};
  const text = describeSelector(classSelector);
  const hash = () => createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { [classSelectorKey]: text.length > longestRecord ? `sha256:${hash()}` : text };
}

/**
 * What of a bound claim was edited that cannot be any more, each as text for its condition. An API server that knows
 * CEL refuses such edits; elsewhere what was recorded first holds: the managed resource that names the claim, its
 * class, and the selector that the class was chosen by.
 */
export function ineffectiveEdits(claim: Claim, managed: Managed): readonly string[] {
  const { resourceRef, classRef } = claim.spec;
  const bound = referenceTo(managed);
  const edits = namesSame(resourceRef, bound)
    ? []
    : [`spec.resourceRef names ${described(resourceRef)}, but the claim is bound to ${described(bound)}`];
  // Only what the claim itself provisioned was made from the claim's class.
  if (!isProvisionedName(claim, managed.metadata.name)) return edits;
  const made = managed.spec.classRef;
  if (made !== undefined && !namesSame(classRef, made)) {
    edits.push(
      `spec.classRef names ${described(classRef)}, but ${described(bound)} was made from ${described(made)}`,
    );
  }
  const chosenBy = managed.metadata.annotations?.[classSelectorKey];
  const selector = selectorRecord(claim)[classSelectorKey];
  if (selector !== chosenBy) {
    edits.push(`spec.classSelector is ${selector ?? 'none'}, but was ${chosenBy ?? 'none'} for the class`);
  }
  return edits;
}

const namesSame = (a: ObjectReference | undefined, b: ObjectReference): boolean =>
  a?.name === b.name && a?.kind === b.kind && a?.apiVersion === b.apiVersion;

const described = (reference: ObjectReference | undefined): string =>
  reference === undefined ? 'nothing' : describeReference(reference);
