import assert from 'node:assert/strict';

/** The decision that the title of a case begins with, as `Bind: a claim …` does. Undefined: the run goes on. */
export const decisionIn = <Name extends string>(title: string, names: readonly Name[]): Name | undefined =>
  names.find((name) => title.startsWith(`${name}: `));

/** Fails unless the cases of a table have every decision of it and no other. Undefined: the run goes on. */
export function assertEveryDecision(
  names: readonly string[],
  decided: readonly (string | undefined)[],
): void {
  const known = new Set(decided.filter((name) => name !== undefined));
  assert.deepEqual([...known].toSorted(), names.toSorted());
}
