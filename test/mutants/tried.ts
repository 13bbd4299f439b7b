import type { Stryker } from '@stryker-mutator/core';
import { Subject } from 'rxjs';

/** The result of Stryker for a mutant. */
export type Result = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/** Each mutant as soon as it has been tried. */
export const tried = new Subject<Result>();

/** Stryker loads this module as a plugin of its own, in this process. */
export const strykerPlugins = [
  { kind: 'Reporter', name: 'tried', value: { onMutantTested: (result: Result) => tried.next(result) } },
];
