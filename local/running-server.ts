import { spawn } from 'node:child_process';
import type { Account } from './postgresql-binaries.ts';
import type { Watchdog } from './postgresql-watchdog.ts';
import { unref } from './postgresql-watchdog.ts';

export interface ServerProgram {
  /** For errors: `Redis`. */
  readonly noun: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Its standard input. Default: empty. */
  readonly input?: string;
  /** The stream that its log is written to. */
  readonly log: 'stdout' | 'stderr';
  /** A line of its log when it takes connections. */
  readonly ready: RegExp;
  /** Default: that of this process. */
  readonly account?: Account;
  /** Default `/`. */
  readonly directory?: string;
  /** Ends it after the end of this process. */
  readonly dog: Watchdog;
  /** Every line of its log. */
  readonly onLog?: ((line: string) => void) | undefined;
}

/** A server in a process of its own. */
export interface RunningServer {
  readonly pid: number | undefined;
  hasExited(): boolean;
  /** Stops it, by default with SIGTERM, and waits until all its processes have ended. Idempotent. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** The environment of programs that run here: without our own settings, and with messages in English, which are parsed. */
export const serverEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? '',
  LC_ALL: 'C',
  TZ: 'UTC',
});

/** Resolves when the server takes connections. Rejects with the end of its log if it ends before. */
export async function runServer(options: ServerProgram): Promise<RunningServer> {
  const { noun, program, args, input, log, ready, account, directory = '/', dog, onLog } = options;
  const piped = (is: boolean) => (is ? 'pipe' : 'ignore');
  const server = spawn(program, args, {
    ...account,
    cwd: directory,
    env: serverEnvironment(),
    stdio: [piped(input !== undefined), piped(log === 'stdout'), piped(log === 'stderr')],
    // Ctrl-C in a terminal must not end the server before its users.
    detached: true,
  });
  const exited = new Promise<void>((resolve) => {
    server.once('close', () => resolve());
    server.once('error', () => resolve());
  });
  dog.watch(server.pid);
  void exited.then(() => dog.watch(undefined));
  server.stdin?.on('error', () => {}); // of a program that does not start: reported below
  server.stdin?.end(input);
  const stream = server[log];
  const recent: string[] = [];
  await new Promise<void>((resolve, reject) => {
    let rest = '';
    stream?.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        onLog?.(line);
        recent.push(line);
        if (recent.length > 20) recent.shift();
        if (ready.test(line)) resolve();
      }
    });
    server.once('error', reject);
    server.once('close', () => reject(new Error(`${noun} did not start: ${recent.join('\n')}`)));
  });
  // A forgotten server must not keep this process alive; the watchdog then ends it.
  unref(server);
  return {
    pid: server.pid,
    hasExited: () => server.exitCode !== null || server.signalCode !== null,
    async end(signal = 'SIGTERM') {
      server.ref();
      if (stream !== null && 'ref' in stream && typeof stream.ref === 'function') stream.ref();
      if (server.exitCode === null && server.signalCode === null) server.kill(signal);
      // 'close' is emitted after the end of its last process, so that a start after a kill finds none.
      await exited;
    },
  };
}
