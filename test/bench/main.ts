/**
 * `npm run bench [-- flags]`: measures the process on a control plane of its own, against the budgets. Standard output
 * carries a table, standard error what is being done. Ends with 2 for a wrong flag, with 1 if a budget that holds on
 * any machine (a count) is exceeded.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { parsedOrExit } from '../../local/read-command-line.ts';
import { stopRequest } from '../../local/stop-request.ts';
import type { BenchOptions } from './command-line.ts';
import { parseCommandLine } from './command-line.ts';
import type { Figure } from './figures.ts';
import { isBroken, table, verdictOf } from './figures.ts';
import { measure } from './measure.ts';
import { startScene } from './scene.ts';

const options = parsedOrExit(parseCommandLine(process.argv.slice(2)));

const startedAtMs = performance.now();
const note = (text: string): void => {
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  process.stderr.write(`${seconds.padStart(6)} s  ${text}\n`);
};

note('starting the control plane and two clouds');
const scene = await startScene();
try {
  const measured = measure(scene, options, note);
  const figures = await Promise.race([measured, stopRequest()]);
  if (figures === undefined) process.exitCode = 130;
  else publish(figures, options);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await scene.stop();
}
process.exit();

function publish(figures: readonly Figure[], { claims, json }: BenchOptions): void {
  const machine = {
    date: new Date().toISOString(),
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryMiB: Math.round(totalmem() / 2 ** 20),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
  };
  const { date, cores, cpu, node } = machine;
  process.stdout.write(`${claims} claims; ${cores} cores of ${cpu}; node ${node}; ${date}\n\n`);
  process.stdout.write(`${table(figures)}\n`);
  if (json !== undefined) {
    const judged = figures.map((figure) => ({ ...figure, verdict: verdictOf(figure) }));
    writeFileSync(json, `${JSON.stringify({ machine, claims, figures: judged }, null, 2)}\n`);
    note(`figures written to ${json}`);
  }
  if (figures.some(isBroken)) process.exitCode = 1;
}
