import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../../docs/project-copy.ts';
import type { Guard } from './marks.ts';
import { testsOf } from './tests-of.ts';

/** A test file that runs longer without a guard has failed. */
const mostPerFileMs = 120_000;

const mutateOnLoad = join(import.meta.dirname, 'mutate-on-load.ts');

/** Whether a test file passes with all guards. */
const passesWithAll = new Map<string, Promise<boolean>>();

/** The first failing test without the guard, as `file: title`, of a file that passes with it. Undefined: none fails. */
export async function noticedBy(guard: Guard): Promise<string | undefined> {
  for (const file of testsOf(guard)) {
    const failure = await failureIn(file, guard);
    if (failure === undefined) continue;
    const passes = passesWithAll.get(file) ?? failureIn(file).then((without) => without === undefined);
    passesWithAll.set(file, passes);
    if (await passes) return `${file}: ${failure}`;
  }
  return undefined;
}

/** The title of the first failing test of a file, or how the process ended. Undefined: all pass. */
function failureIn(file: string, guard?: Guard): Promise<string | undefined> {
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
      env: { ...env, ...(guard && { GUARD: JSON.stringify(guard) }) },
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
