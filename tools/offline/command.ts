import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { access, constants, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { startReaper } from './reaper.ts';

/** How to run a command of a long piece of work. */
export interface CommandOptions {
  /** File that takes everything the command prints, appended. */
  readonly logPath: string;
  readonly cwd?: string;
  /** The whole environment of the command. */
  readonly env: NodeJS.ProcessEnv;
  /** Folder for the note of which process runs, read by the reaper. */
  readonly pidDirectory: string;
}

/** A command failed; the message names it, its log file and the log's last lines. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly logPath: string;
  constructor(message: string, logPath: string) {
    super(message);
    this.logPath = logPath;
  }
}

/** The last lines of a text, without empty ones. */
export function lastLines(text: string, count: number): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-count)
    .join('\n');
}

/**
 * Runs a command to its end, everything it prints going to the log; answers with nothing.
 * The command and all it starts die with this process. Throws CommandError when it cannot start or fails.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<void> {
  const { logPath, env, pidDirectory } = options;
  await mkdir(dirname(logPath), { recursive: true });
  await mkdir(pidDirectory, { recursive: true });
  const log = createWriteStream(logPath, { flags: 'a' });
  log.write(`$ ${[command, ...args].join(' ')}\n`);
  // A group of its own: the reaper ends the command together with everything the command started.
  const child = spawn(command, args, {
    cwd: options.cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const reaper = startReaper(pidDirectory);
  const pidFile = join(pidDirectory, 'command.pid');
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) =>
      resolve(code === 0 ? undefined : `ended by ${signal ?? `code ${code}`}`),
    );
  });
  if (child.pid !== undefined) {
    // At once or not at all: the reaper of a process that dies here must not find half a number.
    await writeFile(`${pidFile}.new`, `-${child.pid}`);
    await rename(`${pidFile}.new`, pidFile);
  }
  const failure = await ended;
  await rm(pidFile, { force: true });
  reaper.dismiss();
  log.end();
  await finished(log);
  if (failure === undefined) return;
  const text = await readFile(logPath, 'utf8');
  throw new CommandError(`${command} ${failure}; log: ${logPath}\n${lastLines(text, 20)}`, logPath);
}

/** The full path of an executable on a search path, or undefined. */
export async function findExecutable(
  name: string,
  searchPath: string | undefined,
): Promise<string | undefined> {
  for (const directory of (searchPath ?? '').split(delimiter)) {
    if (directory === '') continue;
    const candidate = join(directory, name);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

/** Whether a file exists and may be executed. */
export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
