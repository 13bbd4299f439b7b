import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../docs/project-copy.ts';
import type { Mutation } from './mutation.ts';
import { testsOf } from './tests-of.ts';

/** A test file that runs longer with a mutation has failed. */
const mostPerFileMs = 120_000;

const mutateOnLoad = join(import.meta.dirname, 'mutate-on-load.ts');

/** Whether a test file passes without a mutation. */
const passesUnchanged = new Map<string, Promise<boolean>>();

/**
 * The first failing test with the mutation, as `file: title`, of a file that passes without it. The tests stand in the
 * order in which they are tried. Undefined: none fails.
 */
export async function noticedBy(
  mutation: Mutation,
  tests: readonly string[] = testsOf(mutation),
): Promise<string | undefined> {
  for (const file of tests) {
    const failure = await failureIn(file, mutation);
    if (failure === undefined) continue;
    const passes = passesUnchanged.get(file) ?? failureIn(file).then((without) => without === undefined);
    passesUnchanged.set(file, passes);
    if (await passes) return `${file}: ${failure}`;
  }
  return undefined;
}

/** Tries each mutation, so many at a time. `onTried` gets the first failing test, if there is one. */
export async function tryAll<M extends Mutation>(
  mutations: readonly M[],
  jobs: number,
  onTried: (mutation: M, failing: string | undefined) => void,
  judges: (mutation: M) => readonly string[] = testsOf,
): Promise<void> {
  const waiting = mutations.values();
  const worker = async (): Promise<void> => {
    for (const mutation of waiting) onTried(mutation, await noticedBy(mutation, judges(mutation)));
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}

/** The title of the first failing test of a file, or how the process ended. Undefined: all pass. */
function failureIn(file: string, mutation?: Mutation): Promise<string | undefined> {
  const { NODE_TEST_CONTEXT: _ours, ...env } = process.env;
  const child = spawn(
    process.execPath,
    [
      '--import',
      mutateOnLoad,
      '--test',
      '--test-isolation=none',
      '--test-reporter=tap',
      join(projectRoot, file),
    ],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        NODE_COMPILE_CACHE: join(tmpdir(), 'services-stack-mutants'), // halves the time
        ...env,
        ...(mutation && { MUTATION: JSON.stringify(mutation) }),
      },
      timeout: mostPerFileMs,
      killSignal: 'SIGKILL',
    },
  );
  let failure: string | undefined;
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    failure ??= /^\s*not ok \d+ - (.*)\n/m.exec(printed)?.[1];
    if (failure !== undefined) child.kill('SIGKILL');
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve(failure ?? (code === 0 ? undefined : `ends with ${signal ?? code}`)),
    );
  });
}
