/**
 * Loaded into the process before `main.ts`: watches how long its event loop is blocked from the first line of its
 * log on, when all modules are loaded. At SIGUSR2 it writes the longest time, in milliseconds, to the file that
 * BENCH_EVENT_LOOP_FILE names.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = process.env.BENCH_EVENT_LOOP_FILE;
if (file !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  const { stderr } = process;
  const write = stderr.write;
  stderr.write = ((...args: Parameters<typeof write>) => {
    stderr.write = write;
    histogram.enable();
    return write.apply(stderr, args);
  }) as typeof write;
  process.on('SIGUSR2', () => writeFileSync(file, String(histogram.max / 1e6)));
}
