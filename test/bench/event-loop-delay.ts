/**
 * Loaded into the process before `main.ts`: watches how long its event loop is blocked from the first line of its
 * log on, when all modules are loaded. At the first SIGUSR2 it writes the longest time, in milliseconds, to the file that
 * BENCH_EVENT_LOOP_FILE names, and stops: its thousand timers a second would count as work of the process.
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
  process.once('SIGUSR2', () => {
    histogram.disable();
    writeFileSync(file, String(histogram.max / 1e6));
  });
}
