import assert from 'node:assert/strict';

/** Fails unless the cases of a table have every decision of it and no other. A case without a name: the run goes on. */
export function assertEveryDecision(
  names: readonly string[],
  cases: Readonly<Record<string, { readonly name?: string }>>,
): void {
  const decided = new Set(Object.values(cases).flatMap(({ name }) => name ?? []));
  assert.deepEqual([...decided].toSorted(), names.toSorted());
}
