import assert from 'node:assert/strict';

/** Fails unless the cases of a table, each of which is decided, are about every decision of it and no other. */
export function assertEveryDecision(
  names: readonly string[],
  cases: Readonly<Record<string, { readonly name: string }>>,
): void {
  const decided = new Set(Object.values(cases).map(({ name }) => name));
  assert.deepEqual([...decided].toSorted(), names.toSorted());
}
