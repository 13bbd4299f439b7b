/**
 * For `misfit` of a service: what is said where a field of what is offered has another value than the claim asks for, as
 * `has version "5.6", but the claim's spec.version is "5.7"`. Undefined if they agree, or if either leaves it open.
 * `isSame` says what agrees; default: equal values.
 */
export function contradiction(
  [field, given]: readonly [field: string, value: string | undefined],
  [claimField, asked]: readonly [field: string, value: string | undefined],
  isSame: (given: string, asked: string) => boolean = (a, b) => a === b,
): string | undefined {
  if (given === undefined || asked === undefined || isSame(given, asked)) return undefined;
  return `has ${field} "${given}", but the claim's spec.${claimField} is "${asked}"`;
}
