import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, escapeLiteral } from 'pg';
import { isConditionTrue } from '../../apis/core/v1alpha1/condition.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { NetworkKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { AmbivalentDBInstanceClassKind } from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { applyTo, eventually } from '../cluster/stack-harness.ts';
import { objectOf } from '../fakes/object-of.ts';
import type { Proof } from './catalogue.ts';
import { ambivalentClass, credentialsSecret, proofNow } from './catalogue.ts';
import type { Life, Replica } from './replica.ts';
import type {
  CloudMood,
  CloudName,
  FaultAction,
  LinkFault,
  ProviderName,
  Server,
  Signal,
} from './schedule.ts';
import { servers } from './schedule.ts';
import { signalTree } from './server-process.ts';
import type { Users } from './users.ts';
import type { World } from './world.ts';
import { credentialsNamespace } from './world.ts';

/** A fault that has begun. */
export interface Harm {
  /** The target of the fault, if chance or the moment decided it. */
  readonly detail?: string;
  /** Ends it: from then on nothing keeps the desired state from being reached. */
  end(): Promise<unknown>;
  /** Something to ask for afterwards that only works if all is well again; ends when it has been asked for. */
  probe?(): Promise<void>;
}

export interface Injection {
  readonly world: World;
  readonly users: Users;
  /** The replica that leads, by the API server's records; waits for one for a while. */
  readonly leading: () => Promise<Replica>;
}

/** Does what the schedule says. */
export function inject({ world, users, leading }: Injection, action: FaultAction): Promise<Harm> {
  switch (action.type) {
    case 'signal':
      return isServer(action.target)
        ? signalServer(world, action.target, action.signal)
        : signalReplicas(world, leading, action.target, action.signal);
    case 'link':
      return harmLink(world, leading, action.link, action.fault);
    case 'compaction':
      return compaction(world);
    case 'restore':
      return restoredBackup(world);
    case 'mood':
      return badMood(world, action.cloud, action.mood);
    case 'slots':
      return takenSlots(world);
    case 'credentials':
      return { wrong: wrongCredentials, rotated: rotation, lost: lostCredentials }[action.how](
        world,
        action.provider,
      );
    case 'definition':
      return deletedDefinition(world, users, action.plural, action.holds);
  }
}

const isServer = (target: string): target is Server => servers.some((server) => server === target);

async function signalReplicas(
  { replicas }: World,
  leading: Injection['leading'],
  target: 'leader' | 'standby' | 'both',
  signal: Signal,
): Promise<Harm> {
  const leader = await leading();
  const chosen = replicas.filter((each) => target === 'both' || (each === leader) === (target === 'leader'));
  const lives = chosen.flatMap((each) => each.current() ?? []);
  if (signal === 'SIGSTOP') return frozen(lives);
  for (const each of chosen) each.hold();
  await Promise.all(lives.map((life) => ended(life, signal)));
  return { detail: named(lives), end: () => Promise.all(chosen.map((each) => each.start())) };
}

const named = (lives: readonly Life[]): string => lives.map(({ user }) => user).join(', ');

async function ended(life: Life, signal: NodeJS.Signals): Promise<void> {
  life.wasEnded = true;
  life.process.signal(signal);
  // SIGTERM drains for 30 s at most.
  await Promise.race([life.process.ended, sleep(40_000, undefined, { ref: false })]);
  if (!life.process.hasEnded()) life.process.signal('SIGKILL');
}

function frozen(lives: readonly Life[]): Harm {
  for (const { process } of lives) process.signal('SIGSTOP');
  return {
    detail: named(lives),
    async end() {
      for (const { process } of lives) process.signal('SIGCONT');
    },
  };
}

/** A server as a process that can be frozen, and stopped and started. */
interface Stoppable {
  pid(): Promise<number> | number;
  stop(signal: Exclude<Signal, 'SIGSTOP'>): unknown;
  start(): Promise<unknown>;
}

function serverOf({ controlPlane, postgresql, clouds }: World, target: Server): Stoppable {
  switch (target) {
    case 'apiserver':
      return {
        pid: async () => (await controlPlane.pids()).apiServer,
        // It shuts down in its own time; during that time it refuses.
        stop: (signal) => void controlPlane.stopApiServer(signal).catch(() => {}),
        async start() {
          await controlPlane.stopApiServer();
          await controlPlane.startApiServer();
        },
      };
    case 'etcd':
      return {
        pid: async () => (await controlPlane.pids()).etcd,
        stop: (signal) => controlPlane.stopEtcd(signal),
        start: () => controlPlane.startEtcd(),
      };
    case 'postgresql':
      return {
        pid: () => postgresql.pid() ?? 0,
        // SIGTERM: new connections are refused, and open ones may stay until the second signal.
        stop: (signal) => process.kill(postgresql.pid() ?? 0, signal),
        async start() {
          await postgresql.stop();
          await postgresql.start();
        },
      };
    default:
      return {
        pid: () => clouds[target].current()?.pid ?? 0,
        stop: (signal) => clouds[target].stop(signal),
        start: () => clouds[target].start(),
      };
  }
}

async function signalServer(world: World, target: Server, signal: Signal): Promise<Harm> {
  const server = serverOf(world, target);
  if (signal === 'SIGSTOP') {
    const pid = await server.pid();
    signalTree(pid, 'SIGSTOP');
    return { end: async () => signalTree(pid, 'SIGCONT') };
  }
  await server.stop(signal);
  return { end: () => server.start() };
}

async function harmLink(
  world: World,
  leading: Injection['leading'],
  link: string,
  fault: LinkFault,
): Promise<Harm> {
  const name = link === 'apiserver' ? `apiserver-${(await leading()).name}` : link;
  world.links[name]!.become(fault);
  return { detail: name, end: async () => world.links[name]!.become('open') };
}

/** The replicas miss changes that etcd forgets, and an API server that was started since never knew of. */
async function compaction({ links, controlPlane, replicas }: World): Promise<Harm> {
  const cut = replicas.map(({ name }) => links[`apiserver-${name}`]!);
  for (const link of cut) link.become('cut');
  return {
    async end() {
      await compact(controlPlane.etcdUrl);
      await controlPlane.stopApiServer();
      await controlPlane.startApiServer();
      for (const link of cut) link.become('open');
    },
  };
}

/** Changes after the backup are lost, and their versions are given out again. */
async function restoredBackup({ controlPlane, client, directory }: World): Promise<Harm> {
  const backup = join(directory, 'etcd-backup');
  await controlPlane.stopEtcd('SIGTERM');
  await rm(backup, { recursive: true, force: true });
  await cp(controlPlane.etcdData, backup, { recursive: true });
  await controlPlane.startEtcd();
  // Everybody learns of what will be forgotten.
  const claims = (await eventually('claims are listed', () => client.list(FancySQLInstanceKind, {}))).items;
  for (const { metadata } of claims.slice(0, 20)) {
    const annotations = { 'chaos.test/forgotten': String(Date.now()) };
    await eventually('it is annotated', () =>
      client.patch(FancySQLInstanceKind, objectKey(metadata), { metadata: { annotations } }),
    );
  }
  return {
    async end() {
      await controlPlane.stopApiServer();
      await controlPlane.stopEtcd();
      await rm(controlPlane.etcdData, { recursive: true });
      await rename(backup, controlPlane.etcdData);
      await controlPlane.startEtcd();
      await controlPlane.startApiServer();
    },
  };
}

const moodFlags: Readonly<Record<CloudMood, readonly string[]>> = {
  'fails half of all requests': ['--fail-rate', '0.5'],
  'limits requests': ['--rate-limit', '3'],
  'shows changes late': ['--read-delay', '3s'],
};

/** The same cloud, with other behaviour; it is restarted to begin that, and to end it. */
async function badMood({ clouds }: World, name: CloudName, mood: CloudMood): Promise<Harm> {
  const cloud = clouds[name];
  const restart = async (flags: readonly string[]): Promise<void> => {
    await cloud.stop('SIGTERM');
    await cloud.start({ flags });
  };
  await restart(moodFlags[mood]);
  return { end: () => restart([]) };
}

/** Another client has all connections of the server, those for administrators included. */
async function takenSlots({ postgresql, administratorPassword }: World): Promise<Harm> {
  const taken: Client[] = [];
  const most = 150;
  for (let isFull = false; !isFull && taken.length < most; ) {
    const { host, port, superuser: user } = postgresql;
    const login = { host, port, user, password: administratorPassword, database: 'postgres' };
    const client = new Client({ ...login, ssl: { rejectUnauthorized: false } });
    client.on('error', () => {});
    try {
      await client.connect();
      taken.push(client);
    } catch {
      isFull = true;
    }
  }
  return {
    detail: `${taken.length} connections`,
    end: () => Promise.all(taken.map((client) => client.end())),
  };
}

async function lostCredentials(world: World, provider: ProviderName): Promise<Harm> {
  const args = ['-n', credentialsNamespace, 'delete', 'secret', provider, '--ignore-not-found'];
  await eventually('it is deleted', () => world.controlPlane.kubectl(args));
  return { end: () => applied(world, credentialsSecret(world, proofNow(world, provider))) };
}

/** Makes etcd forget all that is not the present, over its JSON gateway. */
async function compact(etcdUrl: string): Promise<void> {
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${etcdUrl}/v3/kv/${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const key = Buffer.from('/').toString('base64');
  const { header } = (await post('range', { key, limit: '1' })) as {
    readonly header: { readonly revision: string };
  };
  await post('compaction', { revision: header.revision, physical: true });
}

const applied = (world: World, object: object): Promise<string> =>
  eventually('it is applied', () => applyTo(world.controlPlane, object), 120_000);

/** A credential that no system accepts yet. */
function newProof(world: World, provider: ProviderName): Proof {
  if (provider !== 'postgresql') return { provider, credentials: world.clouds[provider].newCredentials() };
  return { provider, password: world.plant() };
}

async function wrongCredentials(world: World, provider: ProviderName): Promise<Harm> {
  await applied(world, credentialsSecret(world, newProof(world, provider)));
  return { end: () => applied(world, credentialsSecret(world, proofNow(world, provider))) };
}

/** The system accepts other credentials from now on; its users get them at the end. */
async function rotation(world: World, provider: ProviderName): Promise<Harm> {
  const fresh = newProof(world, provider);
  if (fresh.provider === 'postgresql') {
    const { superuser } = world.postgresql;
    await world.sql(`ALTER ROLE ${superuser} PASSWORD ${escapeLiteral(fresh.password)}`);
    world.administratorPassword = fresh.password;
  } else {
    const cloud = world.clouds[fresh.provider];
    await cloud.stop('SIGKILL');
    await cloud.start({ credentials: fresh.credentials });
  }
  return { end: () => applied(world, credentialsSecret(world, fresh)) };
}

async function deletedDefinition(
  world: World,
  users: Users,
  name: string,
  holds: 'nothing' | 'classes',
): Promise<Harm> {
  const { controlPlane, client } = world;
  await controlPlane.kubectl(['delete', 'crd', name, '--wait=false', '--ignore-not-found']);
  const left = () => controlPlane.kubectl(['get', 'crd', name, '--ignore-not-found', '-o', 'name']);
  let probes = 0;
  return {
    async end() {
      await eventually('the definition is gone', async () => (await left()) === '', 60_000);
      await controlPlane.installDefinitions();
      if (holds === 'nothing') return;
      const restore = () => client.create(AmbivalentDBInstanceClassKind, ambivalentClass());
      await eventually('the class is back', restore);
    },
    async probe() {
      if (name !== 'networks.network.fcp.crossplane.io') return;
      probes += 1;
      const key = { name: `probe-${Date.now()}-${probes}` };
      const forProvider = { cidr: '10.1.0.0/16' };
      const spec = { providerRef: { name: 'favourite' }, deletionPolicy: 'Delete', forProvider };
      await users.make(NetworkKind, objectOf(NetworkKind, key, { spec }));
      const isReady = async () => {
        const { status } = await client.get(NetworkKind, key);
        if (isConditionTrue(status?.conditions, 'Ready')) return true;
        throw new Error(JSON.stringify(status ?? 'no status'));
      };
      await eventually('the network is ready', isReady, 150_000);
      await users.remove(NetworkKind, key);
    },
  };
}
