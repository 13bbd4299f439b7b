/**
 * `npm run bench [-- flags]`: measures the process on a control plane of its own, against the budgets. Standard output
 * carries a table, standard error what is being done. Without `--only` it writes the table into docs/performance.md, too.
 * Ends with 2 for a wrong flag, with 1 if a figure is over its budget.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parsedOrExit } from '../../local/read-command-line.ts';
import { stopRequest } from '../../local/stop-request.ts';
import type { ServerVersion } from '../../runtime/client/server-version.ts';
import type { BenchOptions } from './command-line.ts';
import { parseCommandLine } from './command-line.ts';
import type { Figure } from './figures.ts';
import { table, verdictOf } from './figures.ts';
import { measure } from './measure.ts';
import { section, withSection } from './report.ts';
import { startScene } from './scene.ts';

const options = parsedOrExit(parseCommandLine(process.argv.slice(2)));

const root = join(import.meta.dirname, '..', '..');
const page = join(root, 'docs', 'performance.md');
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
  else publish(figures, options, await scene.client.serverVersion());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await scene.stop();
}
process.exit();

function publish(
  figures: readonly Figure[],
  { claims, json, isWhole }: BenchOptions,
  server: ServerVersion,
): void {
  const machine = {
    date: new Date().toISOString(),
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryMiB: Math.round(totalmem() / 2 ** 20),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    commit: commit(),
    apiServer: `${server.major}.${server.minor}`,
  };
  const { date, cores, cpu, node } = machine;
  process.stdout.write(`${claims} claims; ${cores} cores of ${cpu}; node ${node}; ${date}\n\n`);
  process.stdout.write(`${table(figures)}\n`);
  if (json !== undefined) {
    const judged = figures.map((figure) => ({ ...figure, verdict: verdictOf(figure) }));
    writeFileSync(json, `${JSON.stringify({ machine, claims, figures: judged }, null, 2)}\n`);
    note(`figures written to ${json}`);
  }
  if (isWhole) {
    const text = section(figures, { ...machine, claims });
    writeFileSync(page, withSection(readFileSync(page, 'utf8'), claims, text));
    note('figures written to docs/performance.md');
  }
  if (figures.some((figure) => verdictOf(figure) === 'over')) process.exitCode = 1;
}

/** The commit that was measured; with a plus sign if files differ from it. */
function commit(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : '+'}`;
}
