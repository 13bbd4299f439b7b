/** Explores what it is asked to, without the rule that `WITHOUT_RULE` names. */
import type { Task } from './ablation.ts';
import { explore } from './explore.ts';
import { production } from './production.ts';
import { scenarios } from './scenarios.ts';

process.on('message', ({ scenario, mostStates }: Task) => {
  process.send?.(explore(scenarios[scenario]!, production, mostStates));
});
