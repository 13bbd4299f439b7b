/** A rule that is not kept. The message says what was seen, and what to mend. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** A rule that cannot be checked. The message says what is missing. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** What became of a rule. */
export type Verdict =
  | { readonly type: 'kept' }
  | { readonly type: 'broken'; readonly message: string }
  | { readonly type: 'skipped'; readonly message: string };

/** Throws Broken unless something is so. `mend` tells the author what to do about it. */
export function expect(isSo: boolean, seen: string, mend: string): asserts isSo {
  if (!isSo) throw new Broken(`${seen}. To mend: ${mend}`);
}

/** A hook of the world, or of the scenario. Throws Skipped where there is none. */
export function needed<T>(hook: T | undefined, name: string): T {
  if (hook === undefined) throw new Skipped(`there is no \`${name}\``);
  return hook;
}
