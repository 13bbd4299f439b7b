import { readFileSync } from 'node:fs';
import { processState, ticksPerSecond } from '../cpu-seconds.ts';

/** An amount of memory in MiB, from the text of `/proc/<pid>/status`. */
const memoryIn = (name: 'VmHWM' | 'VmRSS' | 'RssAnon') => (status: string) => {
  const [, kib] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return Number(kib) / 1024;
};

/** NaN where the system has no /proc or the process is gone. */
function read(
  pid: number | undefined,
  file: 'stat' | 'status' | 'io',
  parse: (text: string) => number,
): number {
  try {
    return parse(readFileSync(`/proc/${pid}/${file}`, 'utf8'));
  } catch {
    return Number.NaN;
  }
}

/** User and system time of a process so far, in seconds. */
export const cpuSeconds = (pid: number | undefined): number =>
  read(pid, 'stat', (text) => processState(text).ownSeconds);

/** The bytes that a process has read and written so far, by system calls. NaN where the system does not tell. */
export function bytesOf(pid: number | undefined): { readonly read: number; readonly written: number } {
  const count = (name: string) =>
    read(pid, 'io', (text) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1]));
  return { read: count('rchar'), written: count('wchar') };
}

/** The most memory a process has held so far, in MiB. */
export const peakMemoryMiB = (pid: number | undefined): number => read(pid, 'status', memoryIn('VmHWM'));

/** The memory a process holds now, in MiB. */
export const memoryMiB = (pid: number | undefined): number => read(pid, 'status', memoryIn('VmRSS'));

/** The memory that a process holds now and shares with no file, in MiB. */
export const anonymousMiB = (pid: number | undefined): number => read(pid, 'status', memoryIn('RssAnon'));

/** Seconds of CPU all processes together have used, from the text of `/proc/stat`. */
function machineCpuSecondsIn(stat: string): number {
  const [, user, nice, system, _idle, _wait, irq, softIrq, steal] = stat.split('\n', 1)[0]!.split(/\s+/);
  const busy = [user, nice, system, irq, softIrq, steal].map(Number).reduce((a, b) => a + b, 0);
  return busy / ticksPerSecond;
}

/** Seconds of CPU all processes of the machine have used, and what the hypervisor took for others. */
export function machineCpuSeconds(): number {
  try {
    return machineCpuSecondsIn(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return Number.NaN;
  }
}
