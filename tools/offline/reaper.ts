import { spawn } from 'node:child_process';

/** A small process that outlives this one just long enough to clean up after it. */
export interface Reaper {
  /** Sends the reaper home without it doing anything: the cleaning was done in order. */
  dismiss(): void;
}

// $1: folder with the files `<name>.pid`, each holding one process number (or a negative group number).
// $2: folder to remove, or nothing. `read` ends when this process closed the pipe, whatever it died of.
const SCRIPT = `
while read -r _; do :; done
for file in "$1"/*.pid; do
  [ -f "$file" ] && kill -s KILL -- "$(cat "$file")" 2>/dev/null
done
[ -z "$2" ] || { sleep 0.2; rm -rf "$2"; }
`;

/**
 * Starts a reaper: when this process dies, even by SIGKILL, it kills what the `.pid` files of `pidDirectory`
 * name and removes `removeDirectory`, when given.
 */
export function startReaper(pidDirectory: string, removeDirectory = ''): Reaper {
  // Its own session, so that a Ctrl-C meant for this process does not end the reaper first.
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'reaper', pidDirectory, removeDirectory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return { dismiss: () => void child.kill('SIGKILL') };
}
