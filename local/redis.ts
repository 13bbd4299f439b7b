import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startAtPort } from './free-port.ts';
import { runServer } from './running-server.ts';
import { watchedFolder } from './watched-folder.ts';

/** The settings that can change while it runs. */
interface RedisSettings {
  /** The password of clients (AUTH). Default: none. */
  readonly password?: string;
  /** As in redis.conf. */
  readonly configs?: Readonly<Record<string, string>>;
}

export interface RedisOptions extends RedisSettings {
  readonly binaries: { readonly server: string; readonly cli: string };
  /** Default: a free one. */
  readonly port?: number;
  /** Takes TLS only, and shows this certificate; both PEM. Default: no TLS. */
  readonly tls?: { readonly certificate: string; readonly privateKey: string };
}

/** A real Redis on 127.0.0.1 that keeps everything in memory. */
export interface LocalRedis {
  readonly host: string;
  readonly port: number;
  readonly pid: number | undefined;
  /** Changes it without a pause; a configuration that is left out keeps its value. Throws an Error with its refusal. */
  configure(settings: RedisSettings): Promise<void>;
  /** Stops it, with all its data. Idempotent. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const host = '127.0.0.1';
const certificateFile = 'server.crt';

/**
 * Starts a Redis. When this process ends, in any way, a watchdog ends the server. It reads its settings from its standard
 * input, so that no password is in a file or on a command line. Throws an Error with the end of its log if it does not
 * start.
 */
export async function startRedis(options: RedisOptions): Promise<LocalRedis> {
  const { binaries, tls } = options;
  const { directory, dog, clear } = watchedFolder('redis');
  try {
    if (tls !== undefined) {
      await writeFile(join(directory, certificateFile), tls.certificate);
      await writeFile(join(directory, 'server.key'), tls.privateKey, { mode: 0o600 });
    }
    const { port, server } = await startAtPort(options.port, async (at) => ({
      port: at,
      server: await runServer({
        noun: 'Redis',
        program: binaries.server,
        args: ['-'],
        input: configOf(options, { directory, port: at }),
        log: 'stdout',
        ready: /Ready to accept connections/,
        dog,
      }),
    }));
    let { password } = options;
    const stop = async (): Promise<void> => {
      await server.end();
      await clear();
    };
    return {
      host,
      port,
      pid: server.pid,
      async configure(settings) {
        const address = ['-h', host, '-p', String(port)];
        const trust = tls === undefined ? [] : ['--tls', '--cacert', join(directory, certificateFile)];
        await sendCommand(binaries.cli, {
          args: [...address, ...trust],
          password,
          command: `CONFIG SET ${wordsOf(settings).join(' ')}`,
        });
        password = settings.password;
      },
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** The settings as words of redis.conf and of CONFIG SET. */
const wordsOf = ({ password = '', configs = {} }: RedisSettings): readonly string[] =>
  Object.entries({ ...configs, requirepass: password }).map(
    ([name, value]) => `${name} ${JSON.stringify(value)}`,
  );

function configOf(
  { tls, ...settings }: RedisOptions,
  { directory, port }: { readonly directory: string; readonly port: number },
): string {
  const at = (name: string): string => JSON.stringify(join(directory, name));
  const listening =
    tls === undefined
      ? [`port ${port}`]
      : [
          ...['port 0', `tls-port ${port}`, 'tls-auth-clients no'],
          ...[`tls-cert-file ${at(certificateFile)}`, `tls-key-file ${at('server.key')}`],
          `tls-ca-cert-file ${at(certificateFile)}`,
        ];
  const lines = [
    ...[`bind ${host}`, ...listening, 'daemonize no', 'save ""', 'appendonly no', `dir ${at('')}`],
    ...wordsOf(settings),
  ];
  return `${lines.join('\n')}\n`;
}

/** Sends one command by the standard input of redis-cli. Throws an Error with the server's refusal. */
async function sendCommand(
  program: string,
  {
    args,
    password,
    command,
  }: { readonly args: readonly string[]; readonly password: string | undefined; readonly command: string },
): Promise<void> {
  const cli = spawn(program, ['--no-auth-warning', ...args], {
    env: { PATH: process.env.PATH ?? '', ...(password !== undefined && { REDISCLI_AUTH: password }) },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let output = '';
  cli.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  cli.stdin.on('error', () => {});
  cli.stdin.end(`${command}\n`);
  await once(cli, 'close');
  if (output.trim() !== 'OK') throw new Error(`Redis does not take its configuration: ${output.trim()}`);
}
