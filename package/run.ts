/* `services-stack/run`: the process. */
import '../runtime/process/heap.ts';
import '../runtime/process/early-stop.ts';

import { sharedCrds } from '../apis/shared-crds.ts';
import type { ProcessFacts } from '../app/run.ts';
import { runStacks } from '../app/run.ts';
import { checkStacks } from '../controllers/author/check-stacks.ts';
import type { DefinedStack } from '../controllers/author/define-stack.ts';

export type { ProcessFacts } from '../app/run.ts';

/**
 * Runs stacks, by default all, as the flags and variables of the process say, until a signal ends the process. Resolves
 * as soon as everything is started, or at once after `--help`. Errors are written to standard error and set the exit code:
 * 2 for a flag; 1 for stacks that conflict or a name that cannot be used.
 */
export const run = (stacks: readonly DefinedStack[], facts: ProcessFacts): Promise<void> =>
  runStacks(stacks, { ...facts, sharedCrds, checkStacks });
