/**
 * `node --import ./test/no-servers.ts`: what runs starts no server. It may listen on a free port of loopback, as fakes
 * do for tests of what speaks HTTP; it may neither listen elsewhere nor start PostgreSQL, etcd or an API server, be it by
 * way of a shell. The node processes that it starts are held to the same.
 */
import type { SpawnOptions } from 'node:child_process';
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import type { ListenOptions } from 'node:net';
import { Server } from 'node:net';

/** The servers that `local/` and the emulators start, by the names of their programs. */
const servers =
  /(^|[\s/])(initdb|postgres|pg_ctl|mariadbd|redis-server|etcd|kube-apiserver|apiextensions-apiserver)(\s|$)/;
const isLoopback = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host);

/** Ports that a fake was given, and may take again after a pause. */
const given = new Set<number>([0]);

const listen = Server.prototype.listen as (this: Server, ...wanted: unknown[]) => Server;
Server.prototype.listen = function (this: Server, ...wanted: unknown[]): Server {
  const [first, second] = wanted;
  const { port = -1, host = '' } = (
    typeof first === 'object' ? first : { port: first, host: second }
  ) as ListenOptions;
  if (!given.has(Number(port)) || !isLoopback(host)) {
    throw new Error(`no server here: ${host || 'every interface'}:${port} is no free port of loopback`);
  }
  this.once('listening', () => {
    const address = this.address();
    if (address !== null && typeof address === 'object') given.add(address.port);
  });
  return listen.apply(this, wanted);
};

function refuse(...command: readonly string[]): void {
  if (command.at(-1) === '--version') return; // starts no server
  const named = command.find((word) => servers.test(word));
  if (named !== undefined) throw new Error(`no server here: ${named} is not to be started`);
}

interface Start extends SpawnOptions {
  readonly file: string;
  readonly args?: readonly string[];
}
interface Started {
  spawn(this: unknown, options: Start): number;
}
const { prototype } = childProcess.ChildProcess as unknown as { readonly prototype: Started };
const { spawn } = prototype;
prototype.spawn = function (options) {
  refuse(options.file, ...(options.args ?? []));
  return spawn.call(this, options);
};
for (const name of ['spawnSync', 'execFileSync', 'execSync'] as const) {
  const start = childProcess[name] as (file: string, ...rest: unknown[]) => never;
  childProcess[name] = (file: string, ...rest: unknown[]) => {
    refuse(file, ...rest.flat().filter((word) => typeof word === 'string'));
    return start(file, ...rest);
  };
}
syncBuiltinESMExports();

// Child processes inherit this module.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${import.meta.url}`;
