import { UsageError } from './usage-error.ts';

/**
 * Awaits a command. Writes a UsageError, or that of a file or folder that cannot be read or written, to standard error and
 * sets the exit code 1; other errors are thrown.
 */
export async function reportUsageErrors(command: Promise<unknown>): Promise<void> {
  try {
    await command;
  } catch (error) {
    if (!(error instanceof UsageError || isOfFile(error))) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Whether the operating system refused a file: its message has the reason and the path. */
const isOfFile = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'path' in error;
