import { runTraceHere } from '../../trace/run-here.ts';
import { someStacksOf } from './stacks-of.ts';
import { UsageError } from './usage-error.ts';

/**
 * `services-stack trace <module> <kind> <name> …`: runs `trace` with the stacks that a module exports. The exit codes are
 * those of `trace`.
 */
export async function trace([module, ...words]: readonly string[]): Promise<void> {
  try {
    if (module === undefined || module.startsWith('-'))
      throw new UsageError(
        'the module is missing; usage: services-stack trace <module> <kind> <name> [-n <namespace>]',
      );
    await runTraceHere(words, await someStacksOf(module));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2; // 1 means that the object cannot be used
  }
}
