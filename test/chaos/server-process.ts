import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process of node that runs one of our files, its output in a file. */
export interface ServerProcess {
  readonly pid: number;
  readonly logFile: string;
  readonly ended: Promise<Ended>;
  hasEnded(): boolean;
  signal(signal: NodeJS.Signals): void;
}

/**
 * Starts `node <args>`. A file `<name>.pid` in `directory` names it for the reaper as long as it runs.
 * Output is written to a file and not to a pipe: the process continues without a reader.
 */
export function startServerProcess(
  directory: string,
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ServerProcess {
  const logFile = join(directory, `${name}.log`);
  const output = openSync(logFile, 'a');
  const child: ChildProcess = spawn(process.execPath, [...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    // Its own group: Ctrl-C in a terminal is for us, and we end it in order.
    detached: true,
  });
  const pid = child.pid ?? 0;
  const pidFile = join(directory, `${name}.pid`);
  writeFileSync(pidFile, String(pid));
  const ended = once(child, 'exit').then(async ([code, signal]) => {
    await rm(pidFile, { force: true });
    return { code, signal } as Ended;
  });
  return {
    pid,
    logFile,
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    signal: (signal) => void child.kill(signal),
  };
}

/** All processes below one, itself first; on Linux only. */
export function processTree(pid: number): readonly number[] {
  const children = (() => {
    try {
      return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    } catch {
      return [];
    }
  })();
  return [pid, ...children.flatMap((child) => processTree(Number(child)))];
}

/** Sends a signal to all of a process's tree; one that has just ended is no error. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  for (const each of processTree(pid)) {
    try {
      process.kill(each, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Whether a process has a TCP connection from one port of loopback to another; on Linux only. */
export function hasConnection(pid: number, fromPort: number, toPort: number): boolean {
  const address = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  try {
    const rows = readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
      .split('\n')
      .map((row) => row.trim().split(/\s+/));
    // Both ports: one port may be the near end of several connections. The tenth field is the inode.
    const row = rows.find(([, from, to]) => from === address(fromPort) && to === address(toPort));
    return row !== undefined && descriptorsOf(pid).includes(`socket:[${row[9]}]`);
  } catch {
    return false; // it has ended
  }
}

/** The targets of a process's descriptors, as the kernel names them. Throws if there is no such process. */
export const descriptorsOf = (pid: number): readonly string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((number) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${number}`);
    } catch {
      return []; // it was closed during that time
    }
  });
