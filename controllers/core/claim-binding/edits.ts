import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { reconcileError } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { shortened } from '../../../apis/core/v1alpha1/printable.ts';
import type { ObjectReference } from '../../../apis/core/v1alpha1/reference.ts';
import { describeReference, referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import {
  parametersOf,
  parametersText,
  recordedParameters,
  recordKeys,
  selectorText,
} from '../claim/claim-record.ts';
import type { ClaimFacts } from '../claim/claim-status.ts';
import { isProvisionedName } from '../claim/provisioned-name.ts';
import { nameInUse } from '../external-identity.ts';

/**
 * What of a claim was edited that cannot be any more, each as text for its condition. An API server that knows CEL
 * refuses such edits; elsewhere what was recorded first holds: the managed resource that names the claim (`held`), its
 * class, the selector that the class was chosen by, what the claim asked for, and the external name. Until a claim has a resource, only
 * its selector is settled, by the class that it was given.
 */
export function ineffectiveEdits(claim: Claim, held: Managed | undefined): readonly string[] {
  if (wasDeleted(claim)) return [];
  if (held === undefined) return claim.spec.classRef === undefined ? [] : editsOfSelector(claim, claim);
  return [
    ...editsOfReference(claim, held),
    // Only what the claim itself provisioned was made from the claim's class.
    ...(isProvisionedName(claim, held.metadata.name) ? editsOfClass(claim, held) : []),
    ...editsOfParameters(claim, held),
    ...editsOfName(claim, held),
  ];
}

function editsOfReference({ spec: { resourceRef } }: Claim, held: Managed): readonly string[] {
  const own = referenceTo(held);
  if (namesSame(resourceRef, own)) return [];
  return [`spec.resourceRef names ${described(resourceRef)}, but the claim has ${described(own)}`];
}

function editsOfClass(claim: Claim, held: Managed): readonly string[] {
  const { classRef } = claim.spec;
  const made = held.spec.classRef;
  const isSame = made === undefined || namesSame(classRef, made);
  const own = described(referenceTo(held));
  return [
    ...(isSame
      ? []
      : [`spec.classRef names ${described(classRef)}, but ${own} was made from ${described(made)}`]),
    ...editsOfSelector(claim, { metadata: withSelectorRecord(held) }),
  ];
}

/** A resource without the record was made for a claim without a selector. */
const withSelectorRecord = ({ metadata }: Managed): Pick<Claim['metadata'], 'annotations'> => ({
  annotations: { [recordKeys.selector]: '', ...metadata.annotations },
});

/** `recorded` remembers the selector that the class was chosen by, or the class was not chosen by one. */
function editsOfSelector(
  claim: Claim,
  recorded: { readonly metadata: Pick<Claim['metadata'], 'annotations'> },
): readonly string[] {
  const chosenBy = recorded.metadata.annotations?.[recordKeys.selector];
  const selector = selectorText(claim);
  if (chosenBy === undefined || selector === chosenBy) return [];
  return [`spec.classSelector is ${selector || 'none'}, but was ${chosenBy || 'none'} for the class`];
}

function editsOfParameters(claim: Claim, held: Managed): readonly string[] {
  const record = held.metadata.annotations?.[recordKeys.parameters];
  const parameters = parametersOf(claim);
  if (record === undefined || record === parametersText(parameters)) return [];
  const own = described(referenceTo(held));
  const before = recordedParameters(record);
  if (before === undefined) {
    return [`spec is not what it was when the claim got ${own}`];
  }
  const fields = [...new Set([...Object.keys(before), ...Object.keys(parameters)])].toSorted();
  return fields
    .filter((field) => !isEqual(before[field], parameters[field]))
    .map((field) => {
      const [was, is] = [before[field], parameters[field]].map(shown);
      return `spec.${field} is ${is}, but was ${was} when the claim got ${own}`;
    });
}

function editsOfName(claim: Claim, held: Managed): readonly string[] {
  if (!isNameEdited(claim, held)) return [];
  const [is, own] = [externalName(claim), nameInUse(held)].map(shown);
  return [
    `the annotation ${annotationKeys.externalName} is ${is}, but ${described(referenceTo(held))} has ${own}, which an administrator may edit there until it is made`,
  ];
}

/**
 * Whether the external name of a claim was edited since it got its resource. Where the resource has another than then, it
 * is that which was renamed, and the claim's follows; nothing is known of one that had none.
 */
function isNameEdited(claim: Claim, held: Managed): boolean {
  const [is, own] = [externalName(claim), nameInUse(held)];
  return is !== undefined && is !== own && own === held.metadata.annotations?.[recordKeys.externalName];
}

/**
 * The Event of a claim whose edited external name was put back, `before` being the claim as it was and `after` as it was
 * written; undefined: it was not.
 */
export function nameRestored(
  before: Claim,
  after: Claim | undefined,
  held: Managed | undefined,
): EventFacts | undefined {
  if (after === undefined || held === undefined || !isNameEdited(before, held)) return undefined;
  if (externalName(after) !== nameInUse(held)) return undefined;
  const [was, own] = [externalName(before), nameInUse(held)].map(shown);
  return {
    type: 'Warning',
    reason: 'CannotApplyEdit',
    message: `the annotation ${annotationKeys.externalName} was ${was}, and is ${own} again, as ${described(referenceTo(held))} has it: once set it is immutable, so that this has no effect; for another name make another claim`,
  };
}

/** What a condition and an Event say of edits that have no effect, and what to do. */
export const describeEdits = (edits: readonly string[]): string =>
  `${edits.join('; ')}: once set these are immutable, so that this has no effect; take the edit back, or make another claim`;

/**
 * What is said of a claim, its edits included: Synced is False, and says of them beside whatever else it says. Ready
 * is as it was: an edit that has no effect is no hindrance to using the claim.
 */
export function withEdits(facts: ClaimFacts, edits: readonly string[]): ClaimFacts {
  if (edits.length === 0) return facts;
  const told = describeEdits(edits);
  const conditions = facts.conditions.map((condition) => {
    if (condition.type !== 'Synced') return condition;
    return reconcileError(condition.status === 'True' ? told : `${condition.message}; ${told}`);
  });
  return { ...facts, conditions };
}

const namesSame = (a: ObjectReference | undefined, b: ObjectReference): boolean =>
  a?.name === b.name && a?.kind === b.kind && a?.apiVersion === b.apiVersion;

const described = (reference: ObjectReference | undefined): string =>
  reference === undefined ? 'nothing' : describeReference(reference);

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : shortened(JSON.stringify(value), 64);
