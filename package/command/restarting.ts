import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import attempt from 'lodash/attempt.js';
import type { LoadedSource } from './sources.ts';
import { versionOf } from './sources.ts';

const lookEveryMs = 300;
const graceMs = 10_000;

/** A process that starts again when one of its sources changes. */
interface Restarting {
  stop(): Promise<void>;
}

/**
 * Starts a process, and starts it again when a source that it has loaded is not as it was before it was loaded. So an edit
 * counts at any time, also during a restart. A process that has ended starts again after an edit, too. The process reports its
 * sources with `reportSources`, over an IPC channel.
 */
export function restarting(start: () => ChildProcess, note: (message: string) => void): Restarting {
  const { signal, stop } = stopping();
  const running = (async () => {
    while (!signal.aborted) {
      const child = start();
      const versions = new Map<string, string>();
      child.on('message', (message) => {
        const { source, version } = message as LoadedSource;
        versions.set(source, version);
      });
      child.once('exit', (code) => {
        if (code !== null && code !== 0) note('the stacks failed, and start again after an edit');
      });
      const edited = await editedOf(versions, signal);
      if (edited !== undefined) note(`${relative('', edited)} has changed: the stacks start again`);
      await ended(child, child.pid ?? 0);
    }
  })();
  return {
    async stop() {
      stop();
      await running;
    },
  };
}

function stopping(): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, stop: () => controller.abort() };
}

/** The first source that is not as it was. Undefined: the signal aborted before. */
async function editedOf(
  versions: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    const [edited] = [...versions].find(([source, version]) => versionOf(source) !== version) ?? [];
    if (edited !== undefined) return edited;
    await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** Ends a process, or with a negative id its whole group. */
export async function ended(child: ChildProcess, id: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || id === 0) return;
  const exit = once(child, 'exit');
  attempt(() => process.kill(id, 'SIGTERM')); // it may have ended in this moment
  await Promise.race([exit, sleep(graceMs, undefined, { ref: false })]);
  if (child.exitCode === null && child.signalCode === null) attempt(() => process.kill(id, 'SIGKILL'));
  await exit; // the next process must not run beside this one
}
