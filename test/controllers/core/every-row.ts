import assert from 'node:assert/strict';

/** Fails unless the cases of a table, each of which is decided, are about every row of a decision and no other. */
export function assertEveryRow(
  rows: readonly string[],
  cases: Readonly<Record<string, { readonly row: string }>>,
): void {
  const decided = new Set(Object.values(cases).map(({ row }) => row));
  assert.deepEqual([...decided].toSorted(), rows.toSorted());
}
