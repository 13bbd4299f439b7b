export type Check<Facts, Decision> = (facts: Facts) => Decision | undefined;

/** The decision of the first check that matches. Undefined: none matches. */
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
