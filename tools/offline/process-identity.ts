import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** One process. A later one with the same number has another identity. */
export interface ProcessIdentity {
  /** Where `pid` means something: host, boot and process namespace. */
  readonly machine: string;
  readonly pid: number;
  /** When the process started, in the kernel's ticks; empty if the system does not report it. */
  readonly started: string;
}

async function machine(): Promise<string> {
  const [boot, namespace] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ]);
  return [hostname(), boot.trim(), namespace].join(' ');
}

/** The start of a process in kernel ticks; undefined if it has ended, or only waits to be reaped. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return '';
  // The command name, field 2, is in brackets and may hold spaces and brackets itself: count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : (fields[19] ?? '');
}

/** The identity of process `pid`, by default this one. */
export async function processIdentity(pid: number = process.pid): Promise<ProcessIdentity> {
  return { machine: await machine(), pid, started: (await startOf(pid)) ?? '' };
}

/** Whether that process still runs; undefined when it belongs to another machine or process namespace. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean | undefined> {
  if (identity.machine !== (await machine())) return undefined;
  const started = await startOf(identity.pid);
  return started !== undefined && started === identity.started;
}
