import type { InvariantOf } from './invariant.ts';
import { deletionEnds } from './invariants/deletion-ends.ts';
import { noEmptyWrites } from './invariants/no-empty-writes.ts';
import { oneToOne } from './invariants/one-to-one.ts';
import { secretsInStep } from './invariants/secrets-in-step.ts';

/** What must hold in every run. */
export const allInvariants: readonly InvariantOf[] = [oneToOne, secretsInStep, deletionEnds, noEmptyWrites];
