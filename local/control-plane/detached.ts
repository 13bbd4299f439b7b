import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import attempt from 'lodash/attempt.js';
import { cacheRoot } from '../../tools/offline/binary-cache.ts';
import { withLock } from '../../tools/offline/lock.ts';
import type { ProcessIdentity } from '../../tools/offline/process-identity.ts';
import { isRunning, processIdentity } from '../../tools/offline/process-identity.ts';

/** A control plane that runs in the background of a shell. */
export interface Detached {
  readonly process: ProcessIdentity;
  /** The command for a shell: `export KUBECONFIG=…`. */
  readonly line: string;
  readonly logFile: string;
}

const workingCopy = realpathSync(join(import.meta.dirname, '..', '..'));

/** Each working copy has its own: definitions and servers of another may be of another version. */
const folder = (environment: NodeJS.ProcessEnv): string =>
  join(
    cacheRoot(environment),
    'detached-control-plane',
    createHash('sha256').update(workingCopy).digest('hex').slice(0, 12),
  );

/** Runs `act` while no other process starts or stops the one of this working copy. */
export async function detachedAlone<T>(environment: NodeJS.ProcessEnv, act: () => Promise<T>): Promise<T> {
  const directory = folder(environment);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return withLock(join(directory, 'lock'), act);
}
const recordIn = (directory: string): string => join(directory, 'process.json');

/** The running one; undefined: there is none, or it is on another machine. */
export async function runningDetached(environment: NodeJS.ProcessEnv): Promise<Detached | undefined> {
  const text = await readFile(recordIn(folder(environment)), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const found = attempt(JSON.parse, text) as Detached | Error; // an Error if another program wrote the file
  return !(found instanceof Error) && (await isRunning(found.process)) === true ? found : undefined;
}

/**
 * Starts `script` in a session of its own. The script prints its line when it serves, and runs until it is stopped.
 * Resolves when it serves. Throws with its last output if it ends before.
 */
export async function startDetached(
  script: string,
  flags: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<Detached> {
  const directory = folder(environment);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const logFile = join(directory, 'log');
  const log = openSync(logFile, 'w', 0o600);
  // It would take the end of npm's shell for its own.
  const { npm_lifecycle_event: _, ...env } = environment;
  const child = spawn(process.execPath, [script, ...flags], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', log],
  });
  const { stdout } = child;
  if (stdout === null) throw new TypeError('its output cannot be read');
  const ended = once(child, 'exit').then(() => {
    throw new Error(`it ended before it served:\n${readFileSync(logFile, 'utf8').slice(-4_000)}`);
  });
  const [line] = (await Promise.race([once(createInterface(stdout), 'line'), ended])) as [string];
  ended.catch(() => {}); // from here on it is its own
  const detached = { process: await processIdentity(child.pid), line, logFile };
  // Written as a whole, because `stop` reads it.
  const record = recordIn(directory);
  await writeFile(`${record}.new`, JSON.stringify(detached), { mode: 0o600 });
  await rename(`${record}.new`, record);
  stdout.destroy();
  child.unref();
  return detached;
}

/** Ends it, and resolves when it has ended. */
export async function stopDetached(
  { process: { pid }, process: identity }: Detached,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  process.kill(pid, 'SIGTERM');
  while ((await isRunning(identity)) === true) await sleep(50);
  await rm(recordIn(folder(environment)), { force: true });
}
