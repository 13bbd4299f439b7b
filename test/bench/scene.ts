import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { demoStacks, stacks } from '../../app/stacks.ts';
import { freePort } from '../../local/free-port.ts';
import { createInformers } from '../../runtime/cache/informers.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import type { Store } from '../../runtime/cache/store.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import { realClock } from '../../runtime/time/clock.ts';
import type { FancySQLInstance } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { AmbivalentDBInstanceKind } from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import type { FancySQLFixture } from '../cluster/fancysql-fixture.ts';
import { favouriteClassRef, namespaces, startFancySQL } from '../cluster/fancysql-fixture.ts';
import type { StackProcess } from '../cluster/stack-harness.ts';
import { recordedLog } from '../fakes/recorded-log.ts';
import type { ApiRequests } from './api-requests.ts';
import { apiRequestsIn } from './api-requests.ts';
import type { BareClient } from './bare-client.ts';
import { bareClient } from './bare-client.ts';
import { sum } from './statistics.ts';

/** Two instant clouds, a class of each, and this process watching what happens. The stack does not run yet. */
export interface Scene {
  readonly fixture: FancySQLFixture;
  readonly client: KubernetesClient;
  /** For what the stack is compared with. */
  readonly bare: BareClient;
  readonly claims: Store<FancySQLInstance>;
  /** One for each cloud. */
  readonly managed: readonly Resource<Managed>[];
  /** Connection secrets. */
  readonly secrets: Store<Secret>;
  /** Requests answered so far; `writes` as `Cluster.writes` counts them. */
  requests(): Promise<ApiRequests & { readonly writes: Readonly<Record<string, number>> }>;
  /** The same, once no write has come in for half a second. */
  settledRequests(): ReturnType<Scene['requests']>;
  /** Requests the two clouds have had so far. */
  externalCalls(): number;
  /** Starts the process and does not wait. Its calls of the clouds are not held back, and it polls once an hour. */
  launch(options?: LaunchOptions): Stack;
  /** Starts the process; answers when it says that it is ready. */
  start(options?: LaunchOptions): Promise<Stack>;
  stop(): Promise<void>;
}

export interface LaunchOptions {
  /** Default: `main.ts`. */
  readonly program?: string;
  /** Added to ours. */
  readonly flags?: readonly string[];
  /** Added to this process's own environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Stack {
  readonly process: StackProcess;
  readonly launchedAtMs: number;
  /** When it is ready, in the milliseconds of `performance.now`. Rejects with its log if it ends before that. */
  ready(): Promise<number>;
  /** The text of its `/metrics`. */
  metrics(): Promise<string>;
  end(): Promise<void>;
}

/** Where the benchmark's claims are. */
export const namespace: string = namespaces[0];

const classLabels = { bench: 'true' };
export const classRef = favouriteClassRef('bench');
/** Selects a class of each cloud. */
export const classSelector = { matchLabels: classLabels };

/** Those secrets that the process watches. */
export const connectionSecretsOnly = { fieldSelector: `type=${connectionSecretType}` };

/** The default stacks, and those of the claims. */
const runningStacks = [...stacks, ...demoStacks].map(({ name }) => name).join(',');

const readinessPollMs = 10;

export async function startScene(): Promise<Scene> {
  // A definitions server needs a router in front of it, which would cost as much as the API server.
  // Flags that are ours only: the API server is to be as in a cluster.
  const apiServerFlags = { 'enable-priority-and-fairness': null, 'runtime-config': null };
  const fixture = await startFancySQL({}, { rules: 'none', apiServerFlags });
  try {
    // It leaves nothing open: filling that in, once, after a claim is bound, would be counted as idle or restart.
    const template = { forProvider: { fancinessLevel: 3, version: '5.7' } };
    await fixture.favouriteClass('bench', { labels: classLabels, template });
    await fixture.ambivalentClass('bench', classLabels);
  } catch (error) {
    await fixture.stop();
    throw error;
  }
  const { cluster } = fixture;
  const { client } = cluster;
  const bare = await bareClient(cluster.controlPlane);
  const informers = createInformers({ client, log: recordedLog(), clock: realClock(), random: Math.random });
  const claims = informers.resource(FancySQLInstanceKind).store;
  const managed = [FavouriteDBInstanceKind, AmbivalentDBInstanceKind].map((kind) =>
    informers.resource(kind as Kind<Managed>),
  );
  const secrets = informers.resource(SecretKind, connectionSecretsOnly).store;
  const watching = informers.run$.subscribe();
  await informers.synced(AbortSignal.timeout(30_000));

  const scene: Scene = {
    fixture,
    client,
    bare,
    claims,
    managed,
    secrets,
    async requests() {
      const writes = await cluster.writes();
      return { ...apiRequestsIn(await cluster.kubectl(['get', '--raw', '/metrics'])), writes };
    },
    async settledRequests() {
      for (let before = await scene.requests(); ; ) {
        await sleep(500);
        const now = await scene.requests();
        if (countOf(now) === countOf(before)) return now;
        before = now;
      }
    },
    externalCalls: () =>
      sum([fixture.favourite, fixture.other].flatMap((cloud) => Object.values(cloud.calls()))),
    launch: (options = {}) => launch(fixture, options),
    async start({ flags = [], ...others } = {}) {
      const [health, metrics] = [await freePort(), await freePort()];
      const addresses = [
        ...['--health-probe-bind-address', `127.0.0.1:${health}`],
        ...['--metrics-bind-address', `127.0.0.1:${metrics}`],
      ];
      const stack = launch(fixture, { flags: [...addresses, ...flags], ...others }, { health, metrics });
      await stack.ready();
      return stack;
    },
    async stop() {
      watching.unsubscribe();
      bare.close();
      await fixture.stop();
    },
  };
  return scene;
}

const countOf = ({ writes, eventWrites }: Awaited<ReturnType<Scene['requests']>>): number =>
  sum(Object.values(writes)) + eventWrites;

function launch(
  { cluster }: FancySQLFixture,
  { program, flags = [], environment = {} }: LaunchOptions,
  ports?: { readonly health: number; readonly metrics: number },
): Stack {
  // The harness passes our own environment on.
  const own = Object.fromEntries(Object.keys(environment).map((name) => [name, process.env[name]]));
  Object.assign(process.env, environment);
  const launchedAtMs = performance.now();
  const all = [
    '--stacks',
    runningStacks,
    '--poll-interval',
    '1h',
    '--max-external-calls-per-second',
    '100000',
  ];
  const stack = cluster.startProcess([...all, ...flags], program === undefined ? {} : { program });
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  return {
    process: stack,
    launchedAtMs,
    async ready() {
      if (ports === undefined) throw new Error('the process was started without a health probe');
      while (!(await isReady(ports.health))) {
        if (stack.child.exitCode !== null) throw new Error(`the process has ended:\n${stack.log()}`);
        await sleep(readinessPollMs);
      }
      return performance.now();
    },
    async metrics() {
      if (ports === undefined) throw new Error('the process was started without metrics');
      return (await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)).text();
    },
    async end() {
      const code = await stack.end();
      if (code !== 0) throw new Error(`the process ended with ${code}:\n${stack.log()}`);
    },
  };
}

async function isReady(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.ok === true;
}
