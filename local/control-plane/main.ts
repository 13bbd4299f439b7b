/**
 * `npm run control-plane [-- --crds]`: a control plane that stays up until SIGINT or SIGTERM.
 * Standard output carries one line for a shell, `export KUBECONFIG=...`; all else goes to standard error. A wrong flag
 * ends it with code 2.
 */
import { askedOf, readCommandLine } from '../read-command-line.ts';
import { stopRequest } from '../stop-request.ts';
import type { ControlPlane } from './control-plane.ts';
import { startControlPlane } from './control-plane.ts';
import { textProgress } from './progress.ts';

const usage = `flags:
  --crds             installs the definitions of all kinds, as the server's version takes them`;

const { crds } = askedOf(
  readCommandLine(process.argv.slice(2), {
    usage,
    config: { options: { crds: { type: 'boolean', default: false } } },
    read: ({ values }) => values,
  }),
);
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
void stopRequest().then(end);

try {
  controlPlane = await startControlPlane({ progress });
  if (crds) {
    const names = await controlPlane.installDefinitions();
    progress.note(`installed ${names.length} definitions`);
  }
  process.stdout.write(`export KUBECONFIG=${controlPlane.kubeconfigPath}\n`);
  progress.note(`serving at ${controlPlane.server}; Ctrl-C ends it`);
} catch (error) {
  if (!isEnding) {
    progress.note(error instanceof Error ? error.message : String(error));
    await controlPlane?.stop();
    process.exit(1);
  }
}
