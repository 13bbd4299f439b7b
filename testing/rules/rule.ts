import type { Bench } from '../bench.ts';

/** A rule for external clients. */
export interface Rule {
  /** The rule as a sentence. */
  readonly name: string;
  /** Throws Broken if the rule is broken, and Skipped if it cannot be checked. */
  check(bench: Bench): Promise<void>;
}
