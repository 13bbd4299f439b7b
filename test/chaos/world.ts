import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { RedisClusterKind } from '../../apis/cache/v1alpha1/redis-cluster.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { MySQLInstanceKind } from '../../apis/database/v1alpha1/mysql-instance.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { freePort } from '../../local/free-port.ts';
import type { LocalPostgresql } from '../../local/postgresql.ts';
import { startPostgresql } from '../../local/postgresql.ts';
import { apiErrorIn } from '../../runtime/client/errors.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import { seededRandom } from '../../runtime/time/random.ts';
import { RDSInstanceKind } from '../../stacks/aws/kinds/database/v1beta1/rds-instance.ts';
import { VPCKind } from '../../stacks/aws/kinds/ec2/v1beta1/vpc.ts';
import { QueueKind } from '../../stacks/aws/kinds/sqs/v1beta1/queue.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { AmbivalentDBInstanceKind } from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { CloudMemorystoreInstanceKind } from '../../stacks/gcp/kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { TopicKind } from '../../stacks/gcp/kinds/pubsub/v1alpha1/topic.ts';
import { PostgreSQLDatabaseKind } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { startReaper } from '../../tools/offline/reaper.ts';
import { adminClient, applyTo } from '../cluster/stack-harness.ts';
import type { Binding } from '../docs/manifests.ts';
import { objectsOf } from '../docs/manifests.ts';
import { objectOf } from '../fakes/object-of.ts';
import { rateRule } from './audit-rules.ts';
import { auditTrail } from './audit-trail.ts';
import { aws } from './clouds/aws.ts';
import type { CloudProcess, CloudProgram } from './clouds/cloud-process.ts';
import { cloudProcess } from './clouds/cloud-process.ts';
import { demoCloud } from './clouds/demo-cloud.ts';
import { googleCloud } from './clouds/google-cloud.ts';
import type { FaultyLink } from './faulty-link.ts';
import { startFaultyLink } from './faulty-link.ts';
import { plantedValue } from './leaked-secrets.ts';
import type { External, Observed } from './observed.ts';
import type { Replica } from './replica.ts';
import { replica } from './replica.ts';
import type { CloudName } from './schedule.ts';
import { cloudNames } from './schedule.ts';
import type { SentRequest } from './sent-requests.ts';
import { sentRequests } from './sent-requests.ts';
import { hasConnection, signalTree } from './server-process.ts';

export const claimKinds: readonly Kind<Claim>[] = [
  FancySQLInstanceKind,
  PostgreSQLInstanceKind,
  MySQLInstanceKind,
  RedisClusterKind,
] as never;
export const managedKinds: readonly Kind<Managed>[] = [
  FavouriteDBInstanceKind,
  AmbivalentDBInstanceKind,
  PostgreSQLDatabaseKind,
  NetworkKind,
  RDSInstanceKind,
  VPCKind,
  QueueKind,
  CloudMemorystoreInstanceKind,
  TopicKind,
] as never;

export const credentialsNamespace = 'credentials';
export const teams = ['team-a', 'team-b'] as const;
const leaseNamespace = 'crossplane-system';

/** A call that changes something in a cloud, as it came in. */
export interface ExternalWrite {
  /** The life of the process that sent it. */
  readonly user: string;
  readonly what: string;
  readonly atMs: number;
}

/** Everything real: control plane, PostgreSQL, the clouds, a faulty link to each, and two replicas that do not run yet. */
export interface World {
  readonly directory: string;
  readonly controlPlane: ControlPlane;
  readonly postgresql: LocalPostgresql;
  readonly clouds: Readonly<Record<CloudName, CloudProcess>>;
  readonly replicas: readonly Replica[];
  /** Those to the API server by the replica's name, `apiserver-a`. */
  readonly links: Readonly<Record<string, FaultyLink>>;
  /** Users' own, past all faulty links. */
  readonly client: KubernetesClient;
  readonly audit: Awaited<ReturnType<typeof auditTrail>>;
  /** Calls of the clouds, by what they are about. */
  readonly externalCalls: ReturnType<typeof rateRule>;
  /** The changing requests to the clouds since the last call. */
  externalWrites(): readonly ExternalWrite[];
  /** Values that must not leak. */
  readonly planted: ReadonlySet<string>;
  /** Yields a new value that must not leak; or adds one to them. */
  plant(value?: string): string;
  /** Kinds whose definition may be gone: it is deleted at times, or was with all that there is of it. */
  readonly undefinedKinds: Set<string>;
  /** The password with which the PostgreSQL server lets its administrator in. */
  administratorPassword: string;
  /** As it is now, or throws. */
  observe(): Promise<Observed>;
  /** One statement on the server, past its link; with a URI as whom that says. */
  sql<Row extends object>(text: string, uri?: string): Promise<readonly Row[]>;
  stop(): Promise<void>;
}

/** Users of the process: more lives than that no run has. */
const userCount = 2000;

export interface WorldOptions {
  /** Of what links do by chance. */
  readonly seed: number;
  /** The flag of that name. */
  readonly pollInterval: string;
  /** A folder for all that is written, which stays; default: one that goes. */
  readonly logs?: string;
}

export async function startWorld({ seed, pollInterval, logs }: WorldOptions): Promise<World> {
  const directory =
    logs === undefined ? await mkdtemp(join(tmpdir(), 'services-stack-chaos-')) : resolve(logs);
  await mkdir(directory, { recursive: true });
  const reaper = startReaper(directory, logs === undefined ? directory : '');
  const planted = new Set<string>();
  const undefinedKinds = new Set([NetworkKind.kind]);
  const plant = (value: string = plantedValue()): string => {
    planted.add(value);
    return value;
  };
  const undo: (() => Promise<unknown> | unknown)[] = [
    () => {
      if (logs !== undefined) return;
      return rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
    () => reaper.dismiss(),
  ];
  const stop = async (): Promise<void> => {
    for (const each of undo.splice(0).toReversed()) await each();
  };
  try {
    const audit = await auditTrail(directory);
    const users = Array.from({ length: userCount }, (_, number) => ({
      user: `stack-${number + 1}`,
      token: plant(),
    }));
    const tokenFile = join(directory, 'tokens.csv');
    const tokens = users.map(({ user, token }) => `${token},${user},${user},services-stack\n`);
    await writeFile(tokenFile, tokens.join(''), { mode: 0o600 });
    const controlPlane = await startControlPlane({
      withDefinitions: true,
      apiServerFlags: { ...audit.apiServerFlags, 'token-auth-file': tokenFile },
    });
    undo.push(() => controlPlane.stop());
    const client = adminClient(controlPlane);
    undo.push(() => client.close());

    const postgresql = await startPostgresql({ ssl: true });
    undo.push(async () => {
      // A frozen one would never hear that it is to stop.
      const pid = postgresql.pid();
      if (pid !== undefined) signalTree(pid, 'SIGCONT');
      await postgresql.dispose();
    });
    plant(postgresql.password);

    const random = seededRandom(seed);
    const links: Record<string, FaultyLink> = {};
    const externalCalls = rateRule();
    let externalWrites: ExternalWrite[] = [];
    /** By link and the client's port. */
    const userOfConnection = new Map<string, string | undefined>();
    const replicas: Replica[] = [];
    const link = async (
      name: string,
      port: number,
      onRequest?: (request: SentRequest, clientPort: number) => void,
    ): Promise<FaultyLink> => {
      const sent = sentRequests();
      const made = await startFaultyLink({
        target: { host: '127.0.0.1', port },
        random,
        onConnection(clientPort) {
          sent.begin(clientPort);
          const lives = replicas.flatMap((each) => each.current() ?? []);
          const life = lives.find(({ process }) => hasConnection(process.pid, clientPort, made.port));
          userOfConnection.set(`${name} ${clientPort}`, life?.user);
        },
        ...(onRequest && {
          onSent(chunk, clientPort) {
            const request = sent.add(clientPort, chunk);
            if (request !== undefined) onRequest(request, clientPort);
          },
        }),
      });
      undo.push(() => made.close());
      links[name] = made;
      return made;
    };
    const clouds = {
      favourite: await cloud('favourite', demoCloud('favourite')),
      other: await cloud('other', demoCloud('other')),
      aws: await cloud('aws', aws),
      gcp: await cloud('gcp', googleCloud),
    };
    async function cloud<Saved extends object>(
      name: CloudName,
      program: CloudProgram<Saved>,
    ): Promise<CloudProcess> {
      const made = cloudProcess({ directory, name, program, plant, port: await freePort() });
      await made.start();
      undo.push(() => made.stop('SIGKILL'));
      await link(name, made.port, (request, clientPort) => {
        const { what, isWrite } = made.callOf(request);
        externalCalls.add(`${name} ${what}`, Date.now());
        const user = userOfConnection.get(`${name} ${clientPort}`);
        if (isWrite && user !== undefined) {
          externalWrites.push({ user, what: `${name} ${what}`, atMs: Date.now() });
        }
      });
      return made;
    }
    await link('postgresql', postgresql.port);

    const apiServerPort = Number(new URL(controlPlane.server).port);
    for (const name of ['a', 'b']) replicas.push(await replicaNamed(name));
    async function replicaNamed(name: string): Promise<Replica> {
      const { port } = await link(`apiserver-${name}`, apiServerPort);
      const made = replica({
        name,
        directory,
        kubeconfig: controlPlane.kubeconfig,
        apiServerPort: port,
        ports: { health: await freePort(), metrics: await freePort() },
        nextUser: () => users.shift() ?? { user: 'nobody', token: 'none' },
        flags: ['--poll-interval', pollInterval],
      });
      undo.push(async () => {
        made.hold();
        made.current()?.process.signal('SIGKILL');
        await made.lives.at(-1)?.process.ended;
      });
      return made;
    }

    const namespaces = [leaseNamespace, credentialsNamespace, ...teams];
    await applyTo(controlPlane, ...namespaces.map((name) => objectOf(NamespaceKind, { name })), ...rights());

    const world: World = {
      directory,
      controlPlane,
      postgresql,
      clouds,
      replicas,
      links,
      client,
      audit,
      externalCalls,
      externalWrites() {
        const all = externalWrites;
        externalWrites = [];
        return all;
      },
      planted,
      plant,
      administratorPassword: postgresql.password,
      undefinedKinds,
      async observe() {
        const all = async <T extends KubernetesObject>(
          kind: Kind<T>,
          fieldSelector?: string,
        ): Promise<readonly T[]> => {
          try {
            return (await client.list(kind, fieldSelector === undefined ? {} : { fieldSelector })).items;
          } catch (error) {
            // Any other is there, and an API server that says otherwise has just begun.
            if (apiErrorIn(error)?.code === 404 && undefinedKinds.has(kind.kind)) return [];
            throw error;
          }
        };
        const [claims, managed, secrets, databases] = await Promise.all([
          Promise.all(claimKinds.map((kind) => all(kind))),
          Promise.all(managedKinds.map((kind) => all(kind))),
          all(SecretKind, `type=${connectionSecretType}`),
          databasesOf(world),
        ]);
        const externals = [...cloudNames.flatMap((name) => clouds[name].externals()), ...databases];
        return { claims: claims.flat(), managed: managed.flat(), secrets, externals };
      },
      async sql<Row extends object>(text: string, uri?: string) {
        const login = uri === undefined ? administrator(world) : loginIn(uri);
        const connection = new Client({
          ...login,
          host: '127.0.0.1',
          port: postgresql.port,
          ssl: { rejectUnauthorized: false },
          connectionTimeoutMillis: 5000,
          query_timeout: 5000,
        });
        connection.on('error', () => {});
        await connection.connect();
        try {
          return (await connection.query<Row>(text)).rows;
        } finally {
          await connection.end();
        }
      },
      stop,
    };
    return world;
  } catch (error) {
    await stop();
    throw error;
  }
}

const administrator = ({ postgresql, administratorPassword }: World) => ({
  user: postgresql.superuser,
  password: administratorPassword,
  database: 'postgres',
});

/** Whom a tenant's URI logs in, and where. */
function loginIn(uri: string) {
  const { username, password, pathname } = new URL(uri);
  return {
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
  };
}

/** Databases with a mark of ours. */
async function databasesOf(world: World): Promise<readonly External[]> {
  const rows = await world.sql<{ name: string; oid: string; mark: string; limit: number }>(
    `SELECT datname AS name, oid::text, shobj_description(oid, 'pg_database') AS mark, datconnlimit AS limit
     FROM pg_database WHERE shobj_description(oid, 'pg_database') LIKE 'services-stack: %' ORDER BY 1`,
  );
  return rows.map(({ name, oid, mark, limit }) => ({
    system: 'postgresql' as const,
    name,
    owner: mark,
    identity: oid,
    fields: { connectionLimit: limit },
  }));
}

/** The rights that deploy/ gives the process with all stacks, for all users of the group that its tokens name. */
function rights(): readonly object[] {
  const manifests = ['deploy/base', 'deploy/cluster-wide', 'deploy/optional'].flatMap(objectsOf);
  return manifests
    .filter(({ apiVersion }) => apiVersion.startsWith('rbac.authorization.k8s.io/'))
    .filter(({ metadata }) => !metadata.name.endsWith('-install-crds'))
    .map((object) => {
      if (!object.kind.endsWith('Binding')) return object;
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'services-stack' }];
      return { ...(object as Binding), subjects };
    });
}
