/**
 * `npm run simulate [-- flags]`: plays the whole process among faults, a scenario per seed, and prints which promise was
 * broken where. Ends with 0 only if none was, with 2 for a wrong flag.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile } from '../../local/flag-files.ts';
import { BadFlag } from '../../local/flags.ts';
import { parsedOrExit } from '../../local/read-command-line.ts';
import { parseCommandLine } from './command-line.ts';
import { generate } from './generate.ts';
import { play } from './play.ts';
import type { SeedReport } from './play-seeds.ts';
import { playSeeds } from './play-seeds.ts';
import type { Scenario } from './scenario.ts';
import { breaks, shrink } from './shrink.ts';

/** So many failures are made small; the rest is counted. */
const mostExplained = 3;

const options = parsedOrExit(parseCommandLine(process.argv.slice(2)));
const { seed: first, seeds, minutes, world, jobs, scenario, save } = options;
const print = (...lines: readonly string[]): void => {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
};

const broken = scenario !== undefined || seeds === 1 ? await one() : await many();
// Output that is still in a pipe is lost with the process.
process.stdout.write('', () => process.exit(broken === 0 ? 0 : 1));

/** Plays one scenario and prints all of it. Answers how many promises were broken. */
async function one(): Promise<number> {
  const chosen = scenario === undefined ? generate(first, world) : read(scenario);
  const { trace, violations } = await play(chosen);
  print(...trace, '');
  const [violation] = violations;
  if (violation !== undefined && save !== undefined && scenario === undefined) {
    keep(save, first, await shrink(chosen, breaks(violation.invariant)));
  }
  print(`1 run, ${violations.length} violations`);
  return violations.length;
}

function read(file: string): Scenario {
  try {
    const json = readJsonFile('--scenario', file);
    if (json === undefined) throw new BadFlag(`--scenario: cannot read ${file}: there is no such file`);
    return json as Scenario;
  } catch (error) {
    if (!(error instanceof BadFlag)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}

async function many(): Promise<number> {
  const startedMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedMs;
  const failed: SeedReport[] = [];
  let begun = 0;
  let ended = 0;
  let reportedMs = 0;
  let violations = 0;

  const rate = (): string => `${Math.round((ended / elapsedMs()) * 60_000)} a minute`;
  print(`seeds from ${first}, ${jobs} at a time`);
  await playSeeds({
    jobs,
    world,
    next() {
      if (begun >= seeds || elapsedMs() > minutes * 60_000) return undefined;
      begun += 1;
      return first + begun - 1;
    },
    tell(report) {
      ended += 1;
      violations += report.violations.length;
      if (report.violations.length > 0) {
        failed.push(report);
        const { invariant, what } = report.violations[0]!;
        print(`seed ${report.seed}: ${invariant}: ${what}`);
      }
      if (elapsedMs() - reportedMs < 30_000) return;
      reportedMs = elapsedMs();
      print(`${ended} runs, ${rate()}, ${violations} violations so far`);
    },
  });
  for (const report of failed.slice(0, mostExplained)) await explain(report);
  print('', `${ended} runs in ${Math.round(elapsedMs() / 1000)} s (${rate()}), ${violations} violations`);
  return violations;
}

/** Makes a failing scenario as small as possible, and prints it. */
async function explain({ seed, violations: [violation] }: SeedReport): Promise<void> {
  if (violation === undefined) return;
  const { invariant } = violation;
  const small = await shrink(generate(seed, world), breaks(invariant));
  const { trace } = await play(small);
  print('', `seed ${seed}, made small: ${invariant}`, ...trace);
  const other = world === 'demo' ? '' : ` --world ${world}`;
  print(`all of it: npm run simulate --${other} --seed ${seed}`);
  if (save !== undefined) keep(save, seed, small);
}

/** Writes a scenario down. */
function keep(folder: string, seed: number, small: Scenario): void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `seed-${seed}.json`);
  writeFileSync(file, `${JSON.stringify(small, null, 2)}\n`);
  print(`small: npm run simulate -- --scenario ${file}`);
}
