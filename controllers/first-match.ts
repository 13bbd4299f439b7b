/** One row of a list of checks: the decision if the check matches, else undefined. */
export type Check<Facts, Decision> = (facts: Facts) => Decision | undefined;

/** Runs the checks in order, and returns the first decision, or undefined if no check decides. */
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
