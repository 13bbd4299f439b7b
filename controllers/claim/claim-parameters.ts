import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import { wasNeverFound } from '../external-identity.ts';
import { wasBound, wasCreatedFor } from './ownership.ts';

/** The fields that every claim kind has. */
const standardFields = [
  'writeConnectionSecretToRef',
  'classSelector',
  'classRef',
  'resourceRef',
  'deletionProtection',
] as const;

type Parameters = Readonly<Record<string, unknown>>;

/** The fields of a claim that only its own kind has, such as `engineVersion`. */
export const parametersOf = ({ spec }: Claim): Parameters => omit(spec, standardFields);

/** The annotation of a provisioned resource with the parameters of its claim. */
export const parametersNote = (claim: Claim): Readonly<Record<string, string>> => ({
  [annotationKeys.claimParameters]: JSON.stringify(parametersOf(claim)),
});

/** Undefined if the resource has no such annotation, or a malformed one: it was not provisioned by this version. */
function notedIn({ metadata }: Managed): Parameters | undefined {
  try {
    const noted: unknown = JSON.parse(metadata.annotations?.[annotationKeys.claimParameters] ?? '');
    return typeof noted === 'object' && noted !== null ? (noted as Parameters) : undefined;
  } catch {
    return undefined;
  }
}

/** The claim with the parameters for which the resource was provisioned. Undefined if the resource has no such record. */
export function claimAsNoted(claim: Claim, managed: Managed): Claim | undefined {
  const noted = notedIn(managed);
  return noted && { ...claim, spec: { ...pick(claim.spec, standardFields), ...noted } };
}

/**
 * Why a resource does not have the parameters of its claim: a user edited the claim after the resource was provisioned, or
 * the claim takes the resource of another one. For example `was provisioned with spec.engineVersion "17"`. Undefined if they
 * are the same.
 */
export function whyParametersDiffer(claim: Claim, managed: Managed): string | undefined {
  const before = notedIn(managed);
  if (before === undefined) return undefined;
  const now = parametersOf(claim);
  const edited = [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((field) => !isEqual(before[field], now[field]))
    .toSorted(compareNames)
    .map((field) => `spec.${field} ${before[field] === undefined ? 'unset' : JSON.stringify(before[field])}`);
  return edited.length === 0 ? undefined : `was provisioned with ${edited.join(' and ')}`;
}

/** Whether the resource gets the parameters of its claim if a user corrects them: nothing was created for it. */
export const isCorrectable = (claim: Claim, managed: Managed): boolean =>
  wasCreatedFor(managed, claim) &&
  notedIn(managed) !== undefined &&
  wasNeverFound(managed) &&
  !wasBound(claim);
