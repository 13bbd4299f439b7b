import { runTraceHere } from '../trace/run-here.ts';
import { someStacksOf } from './stacks-of.ts';
import { UsageError } from './usage-error.ts';

/** `services-stack trace <module> <kind> <name> …`: what `trace` tells, of the stacks that a module exports. Its exit codes are those. */
export async function trace([module, ...words]: readonly string[]): Promise<void> {
  try {
    if (module === undefined || module.startsWith('-'))
      throw new UsageError('of which stacks? services-stack trace <module> <kind> <name> [-n <namespace>]');
    await runTraceHere(words, await someStacksOf(module));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2; // 1 says that something cannot be used
  }
}
