/**
 * A mutant that no test can notice, because it changes nothing that can be seen. It is known by its text, so that it may
 * move; who edits the line judges it anew.
 */
export interface Equivalent {
  /** The line the mutant begins in, without its indentation. */
  readonly line: string;
  readonly was: string;
  readonly becomes: string;
  /** Why nothing can tell the difference. */
  readonly because: string;
}

export const equivalents: readonly Equivalent[] = [];
