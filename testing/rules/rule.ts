import type { Bench } from '../bench.ts';

/** What an external client is held to. */
export interface Rule {
  /** Reads as the rule. */
  readonly name: string;
  /** Throws Broken where the rule is not kept, and Skipped where it cannot be checked. */
  check(bench: Bench): Promise<void>;
}
