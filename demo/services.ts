import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { controlPlaneBinaries } from '../local/control-plane/binaries.ts';
import type { ControlPlane } from '../local/control-plane/control-plane.ts';
import { startControlPlane } from '../local/control-plane/control-plane.ts';
import { processKubeconfig } from '../local/control-plane/process-account.ts';
import { freePort } from '../local/free-port.ts';
import type { LocalMariadb } from '../local/mariadb.ts';
import type { MariadbSupport } from '../local/mariadb-binaries.ts';
import { prepareMariadb } from '../local/mariadb-binaries.ts';
import type { LocalPostgresql } from '../local/postgresql.ts';
import { startPostgresql } from '../local/postgresql.ts';
import type { RedisSupport } from '../local/redis-binaries.ts';
import { prepareRedis } from '../local/redis-binaries.ts';
import type { TextProgress } from '../local/text-progress.ts';
import { watchedFolder } from '../local/watched-folder.ts';
import type { LocalAws } from '../stacks/aws/emulator/server.ts';
import { startAws } from '../stacks/aws/emulator/server.ts';
import { allServices } from '../stacks/aws/emulator/services.ts';
import type { LocalGoogleCloud } from '../stacks/gcp/emulator/server.ts';
import { startGoogleCloud } from '../stacks/gcp/emulator/server.ts';
import type { ServiceAccountKey } from '../stacks/gcp/emulator/service-accounts.ts';
import type { FlavourName } from '../testing/favourite-cloud/cloud.ts';
import type { FavouriteCloud } from '../testing/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../testing/favourite-cloud/server.ts';
import { localDatabases } from './aws/local-databases.ts';
import { localRedis } from './gcp/local-redis.ts';
import { startMysql } from './mysql.ts';

const root = join(import.meta.dirname, '..');

/** Everything the demo runs. */
export interface Services {
  readonly controlPlane: ControlPlane;
  readonly postgresql: LocalPostgresql;
  /** Absent: this machine has no MariaDB. */
  readonly mysql: LocalMariadb | undefined;
  readonly clouds: Readonly<Record<FlavourName, FavouriteCloud>>;
  /** The emulator of AWS. Behind each DB instance is a PostgreSQL, or a MariaDB if there is one. */
  readonly aws: LocalAws;
  readonly mariadb: MariadbSupport;
  /** The emulator of Google Cloud, and a key that it accepts. Behind each instance is a Redis if there is one. */
  readonly google: LocalGoogleCloud & { readonly key: ServiceAccountKey };
  readonly redis: RedisSupport;
  /** The controllers: `node main.ts`, with the service account and the rights that `deploy/` gives it. */
  readonly controllers: ChildProcess;
  /** The address of the live page. */
  readonly pageUrl: string;
  /** The log file of the controllers. */
  readonly logFile: string;
  /** The kubectl of the control plane: a name or a path. */
  readonly kubectl: string;
  /** Ends the controllers first, so that they report no failure of the others. Idempotent. */
  stop(): Promise<void>;
}

/** The administrator's password of the PostgreSQL server, as in `examples/postgresql/` and its guide. */
const password = 'postgresql-demo';

/** How long the clouds take to create and delete a resource, in ms. Default: long enough to watch it. */
export interface ServicesOptions {
  /** PostgreSQL also offers TLS, with a certificate that it signed itself. */
  readonly ssl?: boolean;
  readonly provisioningMs?: number;
  readonly deletionMs?: number;
}

/** Starts one after the other. If one fails, ends the others and throws. */
export async function startServices(
  progress: TextProgress,
  { provisioningMs = 2_000, deletionMs = 1_000, ssl = false }: ServicesOptions = {},
): Promise<Services> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).toReversed()) await each();
  };
  const cloud = async (flavour: FlavourName, port: number) => {
    const options = { flavour, provisioningMs, deletionMs };
    const started = await startFavouriteCloud({ ...options, port }).catch(() => startFavouriteCloud(options));
    stops.push(() => started.stop());
    return started;
  };
  const startLocalAws = async (mariadb: MariadbSupport) => {
    const databases = localDatabases(mariadb, progress);
    const options = { provisioningMs, deletionMs, services: allServices({ databases }) };
    const started = await startAws({ ...options, port: 18090 }).catch(() => startAws(options));
    stops.push(() => started.stop());
    return started;
  };
  const startLocalMysql = async (binaries: MariadbSupport): Promise<LocalMariadb | undefined> => {
    if (binaries.by === 'none') {
      progress.note(`examples/mysql/ is left out: ${binaries.reason}`);
      return undefined;
    }
    const started = await progress.step('start MariaDB', () => startMysql(binaries));
    stops.push(() => started.stop());
    return started;
  };
  const startLocalGoogleCloud = async (redis: RedisSupport) => {
    if (redis.by === 'none') progress.note(`nothing is behind instances of Memorystore: ${redis.reason}`);
    const options = { provisioningMs, deletionMs, ...(redis.by !== 'none' && { redis: localRedis(redis) }) };
    const started = await startGoogleCloud({ ...options, port: 18085 }).catch(() =>
      startGoogleCloud(options),
    );
    stops.push(() => started.stop());
    return { ...started, key: started.createKey() };
  };
  try {
    const [binaries, mariadb, redis] = await Promise.all([
      controlPlaneBinaries({ progress }),
      prepareMariadb({ environment: process.env, progress }),
      prepareRedis({ environment: process.env, progress }),
    ]);
    const controlPlane = await progress.step('start the control plane', () =>
      startControlPlane({ binaries, progress, withDefinitions: true, rules: 'present' }),
    );
    stops.push(() => controlPlane.stop());
    const postgresql = await progress.step('start PostgreSQL', () =>
      startPostgresql({ port: 15432, password, ssl }).catch(() => startPostgresql({ password, ssl })),
    );
    stops.push(() => postgresql.dispose());
    const clouds = { favourite: await cloud('favourite', 18080), other: await cloud('other', 18081) };
    const mysql = await startLocalMysql(mariadb);
    const aws = await startLocalAws(mariadb);
    const google = await startLocalGoogleCloud(redis);
    const { directory, clear } = watchedFolder('demo');
    stops.push(clear);
    const logFile = join(directory, 'controllers.log');
    const kubeconfig = join(directory, 'controllers.kubeconfig');
    await writeFile(kubeconfig, await processKubeconfig(controlPlane), { mode: 0o600 });
    const page = `127.0.0.1:${await freePort()}`;
    const controllers = startControllers(kubeconfig, logFile, page);
    stops.push(() => ended(controllers));
    return {
      controlPlane,
      postgresql,
      mysql,
      clouds,
      aws,
      mariadb,
      google,
      redis,
      controllers,
      pageUrl: `http://${page}`,
      logFile,
      kubectl: callable(binaries.kubectl),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startControllers(kubeconfig: string, logFile: string, page: string): ChildProcess {
  const flags = ['--poll-interval', '10s', '--log-format', 'pretty', '--dashboard-bind-address', page];
  const stacks = 'postgresql,mysql,aws,gcp,fcp,ocp';
  // It is the only process of this cluster.
  const args = ['main.ts', '--kubeconfig', kubeconfig, '--leader-elect=false', '--stacks', stacks, ...flags];
  // A group of its own: Ctrl-C is for the demo, which ends the controllers in its own time.
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  child.stderr?.pipe(createWriteStream(logFile));
  return child;
}

/** `kubectl` if that is what a shell finds, else its path. */
const callable = (path: string): string =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => join(folder, 'kubectl') === path)
    ? 'kubectl'
    : path;

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
