/** One named check of a decision: undefined if it does not match. */
export type Check<Facts, Decision> = (facts: Facts) => Decision | undefined;

/** What the first check that matches decides; undefined if none does. */
export function firstMatch<Facts, Decision>(
  facts: Facts,
  checks: readonly Check<Facts, Decision>[],
): Decision | undefined {
  for (const check of checks) {
    const decision = check(facts);
    if (decision !== undefined) return decision;
  }
  return undefined;
}
