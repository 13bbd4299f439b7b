/** A broken rule. The message has the observation and the fix. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** A rule that cannot be checked. The message names what is missing. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** The result of checking a rule. */
export type Verdict =
  | { readonly type: 'kept' }
  | { readonly type: 'broken'; readonly message: string }
  | { readonly type: 'skipped'; readonly message: string };

/** Throws Broken unless `isSo` is true. `fix` tells the author what to do. */
export function expect(isSo: boolean, finding: string, fix: string): asserts isSo {
  if (!isSo) throw new Broken(`${finding}. To fix: ${fix}`);
}

/** A hook of the world or of the scenario. Throws Skipped if it is absent. */
export function needed<T>(hook: T | undefined, name: string): T {
  if (hook === undefined) throw new Skipped(`the test provides no \`${name}\``);
  return hook;
}
