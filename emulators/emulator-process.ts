import { checkWritable, readJsonFile } from '../local/flag-files.ts';
import type { HelpAsked } from '../local/read-command-line.ts';
import { askedOf } from '../local/read-command-line.ts';
import { stopRequest } from '../local/stop-request.ts';
import { cannotListen } from '../runtime/probes/cannot-listen.ts';
import type { LoopbackServer } from './loopback-server.ts';
import { startLoopbackServer } from './loopback-server.ts';

/**
 * Does what a command line asks for, and ends this process: with 0, with 2 if it asks for nothing that there is (then it
 * is the text that says so), with 1 and what is wrong if the work fails.
 */
export async function runCommandLine<T extends object>(
  asked: T | HelpAsked | string,
  act: (asked: T) => Promise<void>,
): Promise<never> {
  const work = askedOf(asked);
  try {
    await act(work);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${failureOf(error)}\n`);
    process.exit(1);
  }
}

/** What went wrong, in one sentence; a port that it cannot have by the flag that changes it. */
export function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { syscall, address, port } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
  };
  if (syscall !== 'listen') return error.message;
  return `${cannotListen('--port', `${address}:${port}`, error)}; 0 takes a free one`;
}

/**
 * Finds out, before anything that takes time, whether a stand-in can have its port and its file. Rejects with what
 * `failureOf` tells.
 */
export async function checkPlace({
  port,
  dataFile,
}: {
  readonly port?: number;
  readonly dataFile?: string;
}): Promise<void> {
  if (dataFile !== undefined) {
    readJsonFile('--data', dataFile);
    checkWritable('--data', dataFile);
  }
  const { stop } = await startLoopbackServer({ port, answer: () => 'cut' });
  await stop();
}

/** Tells where a stand-in is, on standard output, and ends it when this process is asked to end (see `stopRequest`). */
export async function serveUntilStopped({ url, stop }: LoopbackServer): Promise<void> {
  const stopped = stopRequest();
  process.stdout.write(`${url}\n`);
  await stopped;
  await stop();
}
