/*
 * If the process is stopped before it has begun, or the reader of its output ends, as in `--help | head -1`, it ends with
 * exit code 0: there is nothing to drain. Import this module early and everything else dynamically. Most of a start is module
 * loading, and a static import runs only after all modules are loaded.
 */
import { onClosedOutput } from './closed-output.ts';

const stop = (): void => process.exit(0);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
const forget = [process.stdout, process.stderr].map((output) => onClosedOutput(output, stop));

/** Removes these handlers; the caller handles the signals and closed outputs from now on. */
export function handOverSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  for (const each of forget) each();
}
