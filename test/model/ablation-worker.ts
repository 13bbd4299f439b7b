/** Explores what it is asked to, without a check, or without the rule that `WITHOUT_RULE` names. */
import type { Task } from './ablation.ts';
import { withoutCheck } from './checks.ts';
import { explore } from './explore.ts';
import { production } from './production.ts';
import { scenarios } from './scenarios.ts';

process.on('message', ({ scenario, mostStates, check }: Task) => {
  const run = () => explore(scenarios[scenario]!, production, mostStates);
  process.send?.(check === undefined ? run() : withoutCheck(check, run));
});
