/**
 * `npm run control-plane [-- --crds]`: a control plane that stays up until SIGINT or SIGTERM.
 * Standard output carries one line for a shell, `export KUBECONFIG=...`; all else goes to standard error.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ControlPlane } from './control-plane.ts';
import { startControlPlane } from './control-plane.ts';
import { textProgress } from './progress.ts';

const { values } = parseArgs({ options: { crds: { type: 'boolean', default: false } } });
const progress = textProgress();

let controlPlane: ControlPlane | undefined;
let isEnding = false;

async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  // Before the servers are up there is nothing to stop in order: the reaper cleans after the exit.
  await controlPlane?.stop();
  progress.note('stopped');
  process.exit(0);
}
process.on('SIGINT', () => void end());
process.on('SIGTERM', () => void end());

try {
  controlPlane = await startControlPlane({ progress });
  if (values.crds) {
    const names = await controlPlane.installCrds([fileURLToPath(new URL('../../crds', import.meta.url))]);
    progress.note(`installed ${names.length} definitions`);
  }
  process.stdout.write(`export KUBECONFIG=${controlPlane.kubeconfigPath}\n`);
  progress.note(`serving at ${controlPlane.server}; Ctrl-C ends it`);
  // This timer keeps the process. npm passes signals to the shell between it and this process, and that shell
  // may die without passing them on: then this process has another parent, and that is the sign to end.
  const parent = process.ppid;
  const isUnderNpm = process.env.npm_lifecycle_event !== undefined;
  setInterval(() => {
    if (isUnderNpm && process.ppid !== parent) void end();
  }, 500);
} catch (error) {
  if (!isEnding) {
    progress.note(error instanceof Error ? error.message : String(error));
    await controlPlane?.stop();
    process.exit(1);
  }
}
