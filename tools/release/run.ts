import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a command in a folder. Resolves with its standard output. Rejects with the end of its output, if it fails. */
export type Run = (folder: string, command: string, ...args: readonly string[]) => Promise<string>;

/** Commands that end when the signal is aborted. Then they reject with its reason. */
export const runUntil =
  (signal: AbortSignal): Run =>
  async (folder, command, ...args) => {
    signal.throwIfAborted();
    const running = execute(command, [...args], { cwd: folder, maxBuffer: 2 ** 28, signal });
    const { child } = running;
    const exited = new Promise<unknown>((resolve) => child.once('exit', resolve));
    try {
      child.stdin?.end();
      return (await running).stdout;
    } catch (error) {
      // At the abort the command may still write. A command that cannot be started has no pid.
      if (child.pid !== undefined) await exited;
      signal.throwIfAborted();
      const {
        stdout = '',
        stderr = '',
        message,
      } = error as Error & Partial<Record<'stdout' | 'stderr', string>>;
      const printed = `${stdout}\n${stderr}`.trim().split('\n').slice(-40).join('\n');
      throw new Error(`${[command, ...args].join(' ')} failed:\n${printed || message}`, { cause: error });
    }
  };
