import { UsageError } from './usage-error.ts';

/** Tells a UsageError on standard error, and lets the process end with 1. */
export async function tellingUsageErrors(command: Promise<unknown>): Promise<void> {
  try {
    await command;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
