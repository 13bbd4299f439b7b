/**
 * A reason for `whyIncompatible` of a service: a field of the resource or class has another value than the claim asks
 * for. For example: `has version "5.6", but the claim's spec.version is "5.7"`. Undefined if the values agree, or if
 * either is absent. `isSame` compares them; default: equal values.
 */
export function contradiction(
  [field, given]: readonly [field: string, value: string | undefined],
  [claimField, requested]: readonly [field: string, value: string | undefined],
  isSame: (given: string, requested: string) => boolean = (a, b) => a === b,
): string | undefined {
  if (given === undefined || requested === undefined || isSame(given, requested)) return undefined;
  return `has ${field} "${given}", but the claim's spec.${claimField} is "${requested}"`;
}
