import { hash } from 'node:crypto';
import attempt from 'lodash/attempt.js';
import isPlainObject from 'lodash/isPlainObject.js';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { describeSelector } from '../../../apis/core/v1alpha1/selector.ts';
import { claimMarks } from '../claim-marks.ts';

/*
 * What a claim asked for when that was acted on, by which a later edit is known. Written with the writes that act on
 * it: on the claim when a class is chosen, on the managed resource when it is provisioned or taken.
 */

export const recordKeys = {
  /** The selector the class was chosen by; on a claim, empty if it had none. */
  selector: 'crossplane.io/class-selector',
  /** JSON of the claim's own fields. */
  parameters: claimMarks.parameters,
  /** On a managed resource: its external name at that time, if it had one. */
  externalName: claimMarks.externalName,
} as const;

const longest = 256;
const standardFields = ['writeConnectionSecretToRef', 'classSelector', 'classRef', 'resourceRef'] as const;

/** A claim's selector as text, or, of a long one, its digest; empty without one. */
export function selectorText({ spec: { classSelector } }: Claim): string {
  if (classSelector === undefined) return '';
  const text = describeSelector(classSelector);
  return text.length > longest ? digest(text) : text;
}

/** The fields of a claim that its kind adds to those every claim has: what a service's `configure` reads. */
export const parametersOf = ({ spec }: Claim): Readonly<Record<string, unknown>> =>
  omit(spec, standardFields);

/** For the claim that gets a class: the selector that it was chosen by. */
export const choiceRecord = (claim: Claim): Readonly<Record<string, string>> => ({
  [recordKeys.selector]: selectorText(claim),
});

/** For the managed resource that a claim gets: what the claim asks for. */
export const parametersRecord = (claim: Claim): Readonly<Record<string, string>> => ({
  [recordKeys.parameters]: parametersText(parametersOf(claim)),
});

/** For one that is provisioned, in addition: the selector that its class was chosen by. */
export function provisionRecord(claim: Claim): Readonly<Record<string, string>> {
  const selector = claim.metadata.annotations?.[recordKeys.selector] ?? selectorText(claim);
  return { ...(selector === '' ? {} : { [recordKeys.selector]: selector }), ...parametersRecord(claim) };
}

/** For the managed resource that a claim gets: the external name that it has then. As long as it has that, a claim with another was edited. */
export const nameRecord = (name: string | undefined): Readonly<Record<string, string>> =>
  name === undefined ? {} : { [recordKeys.externalName]: name };

/** Parameters as text, or, of long ones, their digest; the same for the same values, whatever the order of fields. */
export function parametersText(parameters: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(parameters, (_key, value: unknown) =>
    isPlainObject(value) ? pick(value, Object.keys(value as object).toSorted()) : value,
  );
  return text.length > longest * 4 ? digest(text) : text;
}

/** The parameters that a record holds; undefined if it is but a digest, or not one of ours. */
export function recordedParameters(record: string): Readonly<Record<string, unknown>> | undefined {
  const parsed: unknown = attempt(JSON.parse, record);
  return isPlainObject(parsed) ? (parsed as Readonly<Record<string, unknown>>) : undefined;
}

/** The claim with what it asked for when a managed resource was made for it, as far as that is on record. */
export function asRecorded(claim: Claim, { metadata }: Pick<Managed, 'metadata'>): Claim {
  const record = metadata.annotations?.[recordKeys.parameters];
  const parameters = record === undefined ? undefined : recordedParameters(record);
  return parameters === undefined
    ? claim
    : { ...claim, spec: { ...pick(claim.spec, standardFields), ...parameters } };
}

const digest = (text: string): string => `sha256:${hash('sha256', text, 'hex').slice(0, 16)}`;
