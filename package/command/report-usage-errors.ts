import { UsageError } from './usage-error.ts';

/** Awaits a command. Writes a UsageError to standard error and sets the exit code 1; other errors are thrown. */
export async function reportUsageErrors(command: Promise<unknown>): Promise<void> {
  try {
    await command;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
