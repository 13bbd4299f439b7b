import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startAtPort } from './free-port.ts';
import { unprivilegedAccount } from './postgresql-binaries.ts';
import type { RunningServer } from './running-server.ts';
import { runServer, serverEnvironment } from './running-server.ts';
import { watchedFolder } from './watched-folder.ts';

export interface MariadbOptions {
  /** Programs, and the folders of messages, statements and plugins. */
  readonly binaries: {
    readonly server: string;
    readonly client: string;
    readonly share: string;
    readonly plugins: string;
  };
  /** An address of this machine; default 127.0.0.1. */
  readonly address?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** The name of the administrator; default `rdsadmin`. */
  readonly administrator?: string;
  /** More flags of the server, such as `--lower-case-table-names=1`. */
  readonly flags?: readonly string[];
}

/** A real MariaDB server, with its data in a temporary directory. */
export interface LocalMariadb {
  readonly address: string;
  readonly port: number;
  readonly pid: number | undefined;
  /** Runs statements as the administrator. Throws an Error with the server's refusal. */
  run(statements: string): Promise<void>;
  /** The same data at another port. */
  restart(port: number): Promise<void>;
  /** Stops it and removes its data. Idempotent. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The statements that create a server's own tables, in their order. */
const ownTables = ['mysql_system_tables.sql', 'mysql_performance_tables.sql', 'mysql_system_tables_data.sql'];

/**
 * Starts a MariaDB. When this process ends, in any way, a watchdog ends the server and removes its data. If this process is
 * that of root, the server runs under an account of the machine without rights. Throws an Error with the end
 * of the server's log if the server does not start.
 */
export async function startMariadb(options: MariadbOptions): Promise<LocalMariadb> {
  const { binaries, address = '127.0.0.1', administrator = 'rdsadmin', flags: more = [] } = options;
  const { directory, dog, clear } = watchedFolder('mariadb');
  try {
    const { uid, gid } = unprivilegedAccount();
    const data = join(directory, 'data');
    // A server that starts deletes the temporary tables in its folder, also those of another server.
    const temporary = join(directory, 'tmp');
    await mkdir(data);
    await mkdir(temporary);
    // The account of the server may not read the folder of the programs.
    const plugins = join(directory, 'plugins');
    await cp(binaries.plugins, plugins, { recursive: true });
    if (uid !== undefined && gid !== undefined) {
      await chown(directory, uid, gid);
      await chown(data, uid, gid);
      await chown(temporary, uid, gid);
    }
    const flags = [
      ...['--no-defaults', `--datadir=${data}`, `--lc-messages-dir=${binaries.share}`, '--skip-log-bin'],
      ...[`--character-sets-dir=${join(binaries.share, 'charsets')}`, `--plugin-dir=${plugins}`],
      `--tmpdir=${temporary}`,
      ...['--innodb-log-file-size=4M', '--innodb-buffer-pool-size=16M', '--innodb-flush-log-at-trx-commit=0'],
      ...(uid === undefined ? [] : [`--user=${uid}`]),
      ...more,
    ];
    const password = randomBytes(18).toString('base64url');
    await initialise(binaries, flags, { administrator, password });
    const startAt = async (
      at: number,
    ): Promise<{ readonly port: number; readonly server: RunningServer }> => ({
      port: at,
      server: await runServer({
        noun: 'MariaDB',
        program: binaries.server,
        args: [
          ...flags,
          ...[`--bind-address=${address}`, `--port=${at}`, `--socket=${join(data, 'socket')}`],
          ...['--skip-name-resolve', '--max-connections=50'],
        ],
        log: 'stderr',
        ready: /ready for connections/,
        dog,
      }),
    });
    let { port, server } = await startAtPort(options.port, startAt);
    const stop = async (): Promise<void> => {
      await server.end();
      await clear();
    };
    return {
      address,
      get port() {
        return port;
      },
      get pid() {
        return server.pid;
      },
      run: (statements) =>
        runClient(binaries.client, statements, { address, port, username: administrator, password }),
      async restart(another) {
        await server.end();
        ({ port, server } = await startAt(another));
      },
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** A text as a statement has it. */
export const quotedText = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
/** A name as a statement has it. */
export const quotedName = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/** Creates the server's own tables, and the administrator, the only user that can log in. */
async function initialise(
  { server, share }: MariadbOptions['binaries'],
  flags: readonly string[],
  { administrator, password }: { readonly administrator: string; readonly password: string },
): Promise<void> {
  const tables = await Promise.all(ownTables.map((name) => readFile(join(share, name), 'utf8')));
  const user = `${quotedText(administrator)}@'%'`;
  const statements = [
    ...['create database mysql;', 'use mysql;', ...tables],
    "delete from mysql.global_priv where User <> 'mariadb.sys';",
    'flush privileges;',
    `create user ${user} identified by ${quotedText(password)};`,
    `grant all on *.* to ${user} with grant option;`,
  ];
  const child = spawn(server, [...flags, '--bootstrap'], {
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log = `${log}${chunk.toString('utf8')}`.slice(-4_000);
  });
  child.stdin.on('error', () => {}); // of one that does not start: said below
  child.stdin.end(`${statements.join('\n')}\n`);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`MariaDB could not make its tables (code ${code}): ${log.trim()}`);
}

/** Runs statements by the standard input of the client. Throws an Error with the server's refusal. */
export async function runClient(
  program: string,
  statements: string,
  access: {
    readonly address: string;
    readonly port: number;
    readonly username: string;
    readonly password: string;
    readonly database?: string;
  },
): Promise<void> {
  const { address, port, username, password, database } = access;
  const args = [
    ...['--no-defaults', '--protocol=tcp', '--host', address, '--port', String(port), '--user', username],
    ...(database === undefined ? [] : ['--database', database]),
  ];
  const client = spawn(program, args, {
    env: { ...serverEnvironment(), MYSQL_PWD: password },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let output = '';
  client.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  client.stdin.on('error', () => {});
  client.stdin.end(statements);
  const [code] = (await once(client, 'close')) as [number | null];
  if (code !== 0) throw new Error(`MariaDB says no: ${output.trim()}`);
}
