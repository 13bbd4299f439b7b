import type { ChildProcess } from 'node:child_process';
import { fork, spawn } from 'node:child_process';
import { join } from 'node:path';
import escapeRegExp from 'lodash/escapeRegExp.js';
import { projectRoot } from '../../docs/project-copy.ts';
import { roomForARun } from '../in-parallel.ts';
import type { SeedReport } from '../play-seeds.ts';
import type { Guard } from './guards.ts';

/** How a run without a guard went wrong. */
export interface Catch {
  readonly seed: number;
  readonly what: string;
}

/** A run that takes longer never ends. */
const mostPerSeedMs = 900_000;

/** A unit test that runs longer without its guard has failed. */
const mostPerTestMs = 300_000;

const worker = join(import.meta.dirname, '..', 'worker.ts');
const mutateOnLoad = join(import.meta.dirname, 'mutate-on-load.ts');

/**
 * Plays seeds in a process without the guard, or with all of them if undefined, until a promise is broken or the process
 * dies or hangs. Undefined: nothing went wrong in any of the seeds.
 */
export async function tryWithout(
  guard: Guard | undefined,
  seeds: Iterable<number>,
): Promise<Catch | undefined> {
  const player = startPlayer(guard);
  try {
    for (const seed of seeds) {
      const what = await player.play(seed);
      if (what !== undefined) return { seed, what };
    }
    return undefined;
  } finally {
    player.stop();
  }
}

interface Player {
  /** The fault that was found; undefined: none. */
  play(seed: number): Promise<string | undefined>;
  stop(): void;
}

function startPlayer(guard: Guard | undefined): Player {
  let child: ChildProcess | undefined;

  const start = (): ChildProcess =>
    fork(worker, {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: ['--import', mutateOnLoad, ...roomForARun],
      env: { ...process.env, ...(guard && { GUARD: JSON.stringify(guard) }) },
    });

  return {
    play: (seed) =>
      new Promise((resolve) => {
        child ??= start();
        const current = child;
        const end = (what: string | undefined, isDead: boolean): void => {
          clearTimeout(limit);
          current.removeAllListeners();
          if (isDead) {
            current.kill('SIGKILL');
            child = undefined;
          }
          resolve(what);
        };
        const limit = setTimeout(() => end('the run does not end', true), mostPerSeedMs);
        current.on('message', ({ violations: [first], memoryBytes }: SeedReport) => {
          end(first && `${first.invariant}: ${first.what}`, memoryBytes > 2 ** 30);
        });
        current.on('error', (error) => end(`the process fails: ${error.message}`, true));
        current.on('exit', (code, signal) => end(`the process ends with ${signal ?? code}`, true));
        current.send(seed);
      }),
    stop() {
      child?.kill('SIGKILL');
    },
  };
}

/** Whether a unit test, named as `file: title`, is there and fails without the guard, and passes with it. */
export async function failsWithout(guard: Guard, unitTest: string): Promise<boolean> {
  return (await passes(unitTest)) && !(await passes(unitTest, guard));
}

function passes(unitTest: string, guard?: Guard): Promise<boolean> {
  const [file = '', ...title] = unitTest.split(': ');
  const pattern = `${escapeRegExp(title.join(': '))}$`; // the titles of what is around it come before
  const { NODE_TEST_CONTEXT: _ours, ...env } = process.env;
  const child = spawn(
    process.execPath,
    [
      ...['--import', mutateOnLoad, '--test', '--test-isolation=none', '--test-reporter=tap'],
      ...['--test-name-pattern', pattern, join(projectRoot, file)],
    ],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...env, ...(guard && { GUARD: JSON.stringify(guard) }) },
      timeout: mostPerTestMs,
      killSignal: 'SIGKILL',
    },
  );
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // One that no test is named by passes, too, and says that it has none.
    child.on('close', (code) => resolve(code === 0 && !/^# tests 0$/m.test(told)));
  });
}
