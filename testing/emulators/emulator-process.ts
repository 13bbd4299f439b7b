import { checkWritable, readJsonFile } from '../../local/flag-files.ts';
import type { HelpRequested } from '../../local/read-command-line.ts';
import { parsedOrExit } from '../../local/read-command-line.ts';
import { stopRequest } from '../../local/stop-request.ts';
import { cannotListen } from '../../runtime/probes/cannot-listen.ts';
import type { LoopbackServer } from './loopback-server.ts';
import { startLoopbackServer } from './loopback-server.ts';

/**
 * Runs a command line and ends this process: with 0; with 2 if the command line is wrong, and prints the error; with 1 if
 * the work fails, and prints the reason.
 */
export async function runCommandLine<T extends object>(
  parsed: T | HelpRequested | string,
  act: (options: T) => Promise<void>,
): Promise<never> {
  const work = parsedOrExit(parsed);
  try {
    await act(work);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${failureOf(error)}\n`);
    process.exit(1);
  }
}

/** The reason of a failure, in one sentence. For a port that is in use it names the flag. */
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
 * Checks early whether an emulator can use its port and its file. Rejects with an error for `failureOf`.
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

/** Prints the URL of an emulator on standard output. Stops it when this process is asked to end (see `stopRequest`). */
export async function serveUntilStopped({ url, stop }: LoopbackServer): Promise<void> {
  const stopped = stopRequest();
  process.stdout.write(`${url}\n`);
  await stopped;
  await stop();
}
