import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Exploration } from './explore.ts';

export interface Task {
  readonly scenario: string;
  readonly mostStates: number;
  /** The check to take out. */
  readonly check?: string;
}

/** A process that explores without a rule, or without checks. */
export interface Ablation extends AsyncDisposable {
  /** Rejects if the process ends, for example because the text of the rule is not in its source. */
  explore(task: Task): Promise<Exploration>;
}

/** `rule`: the one to turn off. Absent: each task may name a check instead. */
export function ablation(rule?: string): Ablation {
  const child = fork(join(import.meta.dirname, 'ablation-worker.ts'), {
    execArgv: ['--import', join(import.meta.dirname, 'patch-on-load.ts')],
    env: { ...process.env, ...(rule !== undefined && { WITHOUT_RULE: rule }) },
  });
  const ended = new AbortController();
  child.once('exit', (code) =>
    ended.abort(new Error(`the process without ${rule ?? 'a check'} ended with ${code}`)),
  );
  return {
    async explore(task) {
      const answer = once(child, 'message', { signal: ended.signal });
      child.send(task);
      const [exploration] = (await answer) as [Exploration];
      return exploration;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    },
  };
}
