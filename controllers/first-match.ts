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
