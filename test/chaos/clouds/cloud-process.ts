import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { External } from '../observed.ts';
import type { CloudName } from '../schedule.ts';
import type { SentRequest } from '../sent-requests.ts';
import type { ServerProcess } from '../server-process.ts';
import { startServerProcess } from '../server-process.ts';

/** The credential of a client of a cloud. */
export interface Credentials {
  /** The content of a provider's Secret, if the cloud has that URL. */
  text(url: string): string;
  /** The request that makes the cloud accept them. */
  readonly flags: readonly string[];
}

export interface NewCredentialsOptions {
  /** Where the cloud is reached without a link in between. */
  readonly url: string;
  /** A folder of this run. */
  readonly directory: string;
  /** Yields a secret value that must not leak; or receives one. */
  plant(secret?: string): string;
}

/** A request to a cloud. */
export interface CloudCall {
  /**
   * The operation and its resource, without secret values: `DescribeVpcs vpc-1`. Many of one kind are a
   * loop.
   */
  readonly what: string;
  readonly isWrite: boolean;
}

/** The differences of one cloud. `Saved` is the content of its file. */
export interface CloudProgram<Saved extends object = object> {
  /** Its entry point, as `stacks/aws/emulator/main.ts`. */
  readonly main: string;
  /** Beside those that all have. */
  readonly flags: readonly string[];
  newCredentials(options: NewCredentialsOptions): Credentials;
  /** Its content without the credentials that it accepted; absent: it keeps none. */
  withoutCredentials?(saved: Saved): Saved;
  /** Its resources that are ours and not being deleted. */
  externals(saved: Saved, nowMs: number): readonly External[];
  callOf(request: SentRequest): CloudCall;
}

/** A cloud as a process of its own, which may be ended at any moment and goes on where it was. */
export interface CloudProcess {
  readonly port: number;
  /** Those that it takes. */
  credentials(): Credentials;
  /** Others, which it takes once it is started with them. */
  newCredentials(): Credentials;
  current(): ServerProcess | undefined;
  /** Sends it the signal, and waits for its end. */
  stop(signal: NodeJS.Signals): Promise<void>;
  /** Starts it, with other credentials or more flags if given, and waits until it answers. */
  start(options?: { readonly credentials?: Credentials; readonly flags?: readonly string[] }): Promise<void>;
  /** Its resources, from its own records. */
  externals(): readonly External[];
  callOf(request: SentRequest): CloudCall;
}

export interface CloudProcessOptions<Saved extends object> {
  readonly directory: string;
  readonly name: CloudName;
  readonly port: number;
  readonly program: CloudProgram<Saved>;
  readonly plant: (secret?: string) => string;
}

export function cloudProcess<Saved extends object>(options: CloudProcessOptions<Saved>): CloudProcess {
  const { directory, name, port, program, plant } = options;
  const dataFile = join(directory, `${name}-data.json`);
  const newCredentials = (): Credentials =>
    program.newCredentials({ directory, plant, url: `http://127.0.0.1:${port}` });
  let credentials = newCredentials();
  let current: ServerProcess | undefined;
  return {
    port,
    credentials: () => credentials,
    newCredentials,
    current: () => current,
    async stop(signal) {
      current?.signal(signal);
      await current?.ended;
    },
    async start({ credentials: given = credentials, flags: more = [] } = {}) {
      const held = saved<Saved>(dataFile);
      if (given !== credentials && held !== undefined && program.withoutCredentials !== undefined) {
        writeFileSync(dataFile, JSON.stringify(program.withoutCredentials(held)), { mode: 0o600 });
      }
      credentials = given;
      const flags = { port, data: dataFile, 'provisioning-time': '300ms', 'deletion-time': '200ms' };
      current = startServerProcess(directory, name, [
        program.main,
        ...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)]),
        ...program.flags,
        ...credentials.flags,
        ...more,
      ]);
      const started = current;
      while (!(await answers(port))) {
        if (started.hasEnded()) throw new Error(`the cloud "${name}" has ended, see ${started.logFile}`);
        await sleep(50);
      }
    },
    externals() {
      const held = saved<Saved>(dataFile);
      return held === undefined ? [] : program.externals(held, Date.now());
    },
    callOf: (request) => program.callOf(request),
  };
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1000) }).then(
    async (response) => (await response.arrayBuffer()) !== undefined,
    () => false,
  );

function saved<Saved extends object>(file: string): Saved | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Saved;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The owner in the tags of a resource, in any cloud; undefined: none. */
export const ownerIn = (tags: Readonly<Record<string, string>>): string | undefined =>
  tags['crossplane-name'] === undefined ? undefined : `${tags['crossplane-kind']} ${tags['crossplane-name']}`;

/** Of an API that says with the method what it does. */
export const restCall = ({ method, path }: SentRequest): CloudCall => ({
  what: `${method} ${path}`,
  isWrite: method !== 'GET',
});
