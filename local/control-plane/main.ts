/**
 * `npm run control-plane [-- flags]`: a control plane that stays up until SIGINT or SIGTERM, or, with `--detach`, behind
 * the shell until `--stop`. Standard output carries one line for a shell, `export KUBECONFIG=...`; all else goes to
 * standard error. A wrong flag ends it with code 2.
 */
import { BadFlag } from '../flags.ts';
import { parsedOrExit, readCommandLine } from '../read-command-line.ts';
import { stopRequest } from '../stop-request.ts';
import { textProgress } from '../text-progress.ts';
import { controlPlaneBinaries } from './binaries.ts';
import type { ControlPlane } from './control-plane.ts';
import { startControlPlane } from './control-plane.ts';
import { prepareRules } from './definitions-server-binary.ts';
import { detachedAlone, runningDetached, startDetached, stopDetached } from './detached.ts';

const usage = `flags:
  --crds             installs the definitions of all kinds
  --detach           goes on behind the shell: eval "$(npm run --silent control-plane -- --detach)"
  --stop             ends the one that goes on behind the shell`;

const { crds, detach, stop } = parsedOrExit(
  readCommandLine(process.argv.slice(2), {
    usage,
    config: {
      options: {
        crds: { type: 'boolean', default: false },
        detach: { type: 'boolean', default: false },
        stop: { type: 'boolean', default: false },
      },
    },
    read: ({ values }) => {
      if (values.stop && (values.detach || values.crds)) throw new BadFlag('--stop goes with no other flag');
      return values;
    },
  }),
);
const progress = textProgress();
const again = 'npm run control-plane -- --stop';

if (detach || stop) {
  try {
    await detachedAlone(process.env, stop ? stopIt : startOrFind);
    process.exit(0);
  } catch (error) {
    progress.note(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

async function stopIt(): Promise<void> {
  const running = await runningDetached(process.env);
  if (running === undefined) throw new Error('none of this working copy goes on behind a shell');
  await stopDetached(running, process.env);
  progress.note('stopped');
}

async function startOrFind(): Promise<void> {
  let running = await runningDetached(process.env);
  if (running === undefined) {
    // The first start takes long, so its progress is shown.
    const binaries = await controlPlaneBinaries({ progress });
    await prepareRules(binaries, { environment: process.env, progress });
    running = await startDetached(import.meta.filename, crds ? ['--crds'] : [], process.env);
    progress.note(`serving; it logs to ${running.logFile}, and ${again} ends it`);
  } else {
    progress.note(`one is running already${crds ? ', and --crds is not heeded' : ''}; ${again} ends it`);
  }
  process.stdout.write(`${running.line}\n`);
}

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
  const binaries = await controlPlaneBinaries({ progress });
  await prepareRules(binaries, { environment: process.env, progress });
  controlPlane = await startControlPlane({ binaries, progress, withDefinitions: crds, rules: 'present' });
  process.stdout.write(`export KUBECONFIG=${controlPlane.kubeconfigPath}\n`);
  progress.note(`serving at ${controlPlane.server}; Ctrl-C ends it`);
} catch (error) {
  if (!isEnding) {
    progress.note(error instanceof Error ? error.message : String(error));
    await controlPlane?.stop();
    process.exit(1);
  }
}
