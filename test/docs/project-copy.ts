import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const projectRoot = join(import.meta.dirname, '..', '..');

/** The files and folders from which a copy of the process runs. */
export const processSources: readonly string[] = [
  'apis',
  'app',
  'clients',
  'controllers',
  'crds',
  'dashboard',
  'main.ts',
  'package',
  'package.json',
  'runtime',
  'stacks',
  'trace',
];

/** A folder that a test may change, and in which it runs commands. */
export interface Folder {
  readonly directory: string;
  read(file: string): Promise<string>;
  /** Makes the folders it needs. */
  write(file: string, content: string): Promise<void>;
  /** Replaces a text of a file, which must be there. */
  replace(file: string, before: string, after: string): Promise<void>;
  /** Runs a command in the folder, to its end. */
  run(command: string, args: readonly string[]): Promise<Ended>;
  /** Runs node in the folder, to its end. */
  node(args: readonly string[]): Promise<Ended>;
  /** Starts node in the folder. */
  startNode(args: readonly string[], env?: Readonly<Record<string, string>>): Started;
  remove(): Promise<void>;
}

/** Parts of the project in a folder of their own. */
export type ProjectCopy = Folder;

/** How a command ended, and all it printed. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** A process that goes on until it is ended. */
export interface Started {
  /** All it has printed so far. */
  output(): string;
  hasEnded(): boolean;
  /** SIGTERM, or the signal given; answers with the exit code, null for a killed one. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Copies files and folders, by their paths in the project; its dependencies are linked. */
export async function copyProject(paths: readonly string[]): Promise<ProjectCopy> {
  const directory = await mkdtemp(join(tmpdir(), 'services-stack-copy-'));
  for (const path of paths) {
    await cp(join(projectRoot, path), join(directory, path), { recursive: true });
  }
  await symlink(join(projectRoot, 'node_modules'), join(directory, 'node_modules'));
  return folderAt(directory);
}

/** The folder of a path, which exists. */
export function folderAt(directory: string): Folder {
  const read = (file: string): Promise<string> => readFile(join(directory, file), 'utf8');
  const write = async (file: string, content: string): Promise<void> => {
    await mkdir(dirname(join(directory, file)), { recursive: true });
    await writeFile(join(directory, file), content);
  };
  return {
    directory,
    read,
    write,
    async replace(file, before, after) {
      const content = await read(file);
      assert.ok(content.includes(before), `${file} has ${before}`);
      await write(file, content.replace(before, after));
    },
    run: (command, args) => run(command, args, directory),
    node: (args) => run(process.execPath, args, directory),
    startNode: (args, env = {}) =>
      startCommand(process.execPath, args, { ...process.env, ...env }, directory),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Runs a command to its end. Rejects only if it cannot be started. */
function run(command: string, args: readonly string[], cwd: string): Promise<Ended> {
  // Otherwise a test runner that is started here would take itself for a part of the one that runs this.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((resolve, reject) => {
    execFile(command, [...args], { cwd, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, output: stdout + stderr });
      else reject(error);
    });
  });
}

/** Starts a command, whose whole environment is given. */
export function startCommand(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd?: string,
): Started {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  // Not `exit`, which may come before the last output.
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    output: () => output,
    hasEnded,
    async end(signal = 'SIGTERM') {
      if (!hasEnded()) child.kill(signal);
      await closed;
      return child.exitCode;
    },
  };
}
