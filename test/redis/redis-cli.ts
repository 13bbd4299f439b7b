import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RedisSupport } from '../../local/redis-binaries.ts';

export interface Client {
  readonly host: string;
  readonly port: number;
  /** Its answer with AUTH. */
  readonly password?: string;
  /** A file with the certificate that it trusts; with it, it speaks TLS. */
  readonly cacert?: string;
}

/** The answer of Redis to one command, as its own command line prints it. */
export async function redisCli(
  support: RedisSupport,
  { host, port, password, cacert }: Client,
  ...command: readonly string[]
): Promise<string> {
  if (support.by === 'none') throw new Error(support.reason);
  const tls = cacert === undefined ? [] : ['--tls', '--cacert', cacert];
  const cli = spawn(support.cli, ['-h', host, '-p', String(port), ...tls, ...command], {
    env: { PATH: process.env.PATH ?? '', ...(password !== undefined && { REDISCLI_AUTH: password }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [cli.stdout, cli.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  await once(cli, 'close');
  return output.trim();
}
