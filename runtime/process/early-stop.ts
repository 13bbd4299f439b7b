/*
 * If the process is stopped before it has begun, or the reader of its output ends, as in `--help | head -1`, it ends with
 * exit code 0: there is nothing to drain. Import this module early and everything else dynamically. Most of a start is module
 * loading, and a static import runs only after all modules are loaded.
 */
const stop = (): void => process.exit(0);
const onError = ({ code, message }: NodeJS.ErrnoException): void => {
  if (code !== 'EPIPE') throw new Error(`cannot write the output: ${message}`);
  stop();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
for (const output of [process.stdout, process.stderr]) output.on('error', onError);

/** Removes these handlers; the caller handles the signals and the end of the log's reader from now on. */
export function handOverSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  process.stderr.off('error', onError);
}
