import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';

/** Stops a server and removes its data when this process ends, even by SIGKILL. */
export interface Watchdog {
  /** The process to end then, if any. */
  watch(pid: number | undefined): void;
  dismiss(): void;
}

/** A shell that waits for the end of its standard input; each line there is the process to watch. */
export function watchdog(directory: string): Watchdog {
  const script = [
    'pid=0; while read -r line; do pid=$line; done',
    'if [ "$pid" != 0 ]; then kill -QUIT "$pid"; while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done; fi',
    'rm -rf -- "$1"',
  ].join('\n');
  const child = spawn('/bin/sh', ['-c', script, 'sh', directory], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  unref(child);
  return {
    watch: (pid) => child.stdin.write(`${pid ?? 0}\n`),
    dismiss: () => child.kill('SIGKILL'),
  };
}

/** Neither the process nor its pipes keep us alive. */
export function unref(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) {
    if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
}
