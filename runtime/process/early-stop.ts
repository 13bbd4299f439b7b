/*
 * Told to stop before it has begun, the process ends with 0: there is nothing to drain. Import it early and everything
 * else dynamically: most of a start goes by while modules are loaded, and a module that is imported statically runs
 * only when all of them are.
 */
const stop = (): void => process.exit(0);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);

/** From now on somebody else heeds the signals. */
export function handOverSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
}
