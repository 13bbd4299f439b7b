/**
 * `npm run chaos [-- flags]`: the real process against real servers, under faults. Standard output carries the report,
 * standard error what is going on. Ends with 0 if nothing was violated, with 1 if something was, with 2 for a wrong
 * flag, with 130 after Ctrl-C.
 */
import { parsedOrExit } from '../../local/read-command-line.ts';
import { stopRequest } from '../../local/stop-request.ts';
import { parseCommandLine } from './command-line.ts';
import { reportText } from './report.ts';
import { run } from './run.ts';
import { kindsNamed } from './schedule.ts';
import { startWorld } from './world.ts';

const options = parsedOrExit(parseCommandLine(process.argv.slice(2)));
if (kindsNamed(options.only).length === 0) {
  process.stderr.write(`--only: no fault has a name with ${options.only.join(' or ')} in it\n`);
  process.exit(2);
}

// Some switch off Go's garbage collection for short commands: an API server without it fills any machine in minutes.
delete process.env.GOGC;

const startedAtMs = performance.now();
const note = (text: string): void => {
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  process.stderr.write(`${seconds.padStart(7)} s  ${text}\n`);
};

note('starting control plane, PostgreSQL and the clouds');
const world = await startWorld({ ...options, pollInterval: '10s' });
try {
  const running = run(world, { ...options, quietSeconds: 25, note });
  running.catch(() => {}); // it has no say any more once we are asked to stop
  const report = await Promise.race([running, stopRequest()]);
  if (report === undefined) process.exitCode = 130;
  else {
    process.stdout.write(`${reportText(report)}\n`);
    process.exitCode = report.violations.length === 0 ? 0 : 1;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await world.stop();
}
process.exit();
