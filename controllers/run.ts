/*
 *   flags ──▶ client ──▶ composition.ts: informers, stores, controllers ──▶ runtime/process/run.ts ──▶ teardown
 */

import { randomUUID } from 'node:crypto';
import { constants, hostname } from 'node:os';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Observable } from 'rxjs';
import {
  concat,
  defer,
  EMPTY,
  ignoreElements,
  merge,
  share,
  shareReplay,
  skip,
  take,
  takeUntil,
  tap,
} from 'rxjs';
import { isLabel, notALabel } from '../apis/core/api-names.ts';
import { DefinitionError } from '../apis/core/definition-error.ts';
import type { Dashboard } from '../dashboard/dashboard.ts';
import { createDashboard } from '../dashboard/dashboard.ts';
import { abortable } from '../runtime/abortable.ts';
import type { Informers } from '../runtime/cache/informers.ts';
import { messageOf } from '../runtime/client/errors.ts';
import { kubernetesClient } from '../runtime/client/http-kubernetes-client.ts';
import type { InstallCrdsOptions } from '../runtime/client/install-crds.ts';
import { installCrds } from '../runtime/client/install-crds.ts';
import { readKubeConfig } from '../runtime/client/kube-config.ts';
import type { OldServer } from '../runtime/client/old-server.ts';
import { oldServer } from '../runtime/client/old-server.ts';
import { createHost } from '../runtime/controller/host.ts';
import { createLogger } from '../runtime/log/log.ts';
import {
  serveHealth,
  somethingRuns,
  stacksWithoutDefinitions,
  storesSynced,
  watchesAlive,
  watchesTell,
} from '../runtime/probes/health.ts';
import type { Metrics } from '../runtime/probes/metrics.ts';
import { createMetrics } from '../runtime/probes/metrics.ts';
import type { Page } from '../runtime/probes/serve-http.ts';
import { serveHttp } from '../runtime/probes/serve-http.ts';
import { handOverSignals } from '../runtime/process/early-stop.ts';
import type { Flags } from '../runtime/process/flags.ts';
import { FlagError, parseFlags } from '../runtime/process/flags.ts';
import type { LeaderElection } from '../runtime/process/leader-election.ts';
import { leaderElection } from '../runtime/process/leader-election.ts';
import { run } from '../runtime/process/run.ts';
import { stopSignals } from '../runtime/process/shutdown.ts';
import type { Clock } from '../runtime/time/clock.ts';
import { realClock } from '../runtime/time/clock.ts';
import { deadlineAfter } from '../runtime/time/deadline.ts';
import { checkStacks } from './author/check-stacks.ts';
import type { DefinedStack } from './author/define-stack.ts';
import type { Composition } from './composition.ts';
import { composition } from './composition.ts';
import type { StackMetrics } from './core/metrics/stack-metrics.ts';
import { createStackMetrics } from './core/metrics/stack-metrics.ts';
import { WiringError } from './core/wiring.ts';

/** What a process is, beside its stacks. */
export interface ProcessFacts {
  /**
   * The source of Events, and the default of `--leader-election-id`. Lower case letters, digits and dashes.
   */
  readonly name: string;
  /** For `--version`, the log and metrics. */
  readonly version: string;
  /** The folder of the definitions that `--install-crds` installs, as `npm run generate` writes it. */
  readonly crds: string;
}

const drainTimeoutMs = 30_000;
const farewellMs = 3_000;
/** Of that, for the Events that are left. */
const tellingMs = 1_000;

/**
 * Runs stacks as the process is told by its flags and variables, until a signal ends it; then exits. It resolves as soon
 * as all is under way, or at once after `--help`. What cannot be run is told on standard error and becomes the exit code:
 * 2 for a flag, 1 for stacks that do not go together, and a name that cannot be used.
 */
export async function runStacks(stacks: readonly DefinedStack[], facts: ProcessFacts): Promise<void> {
  try {
    if (!isLabel(facts.name)) throw new DefinitionError(`name of the process: ${notALabel(facts.name)}`);
    const invocation = parseFlags(process.argv.slice(2), {
      stacks: stacks.map(({ name }) => name),
      name: facts.name,
      version: facts.version,
    });
    if (invocation.type === 'print') process.stdout.write(invocation.text);
    else start(stacks, facts, invocation.flags, await usableKubeConfig(invocation.flags));
  } catch (error) {
    if (!(error instanceof FlagError || error instanceof WiringError || error instanceof DefinitionError))
      throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error instanceof FlagError ? error.exitCode : 1;
  }
}

/** Flags → client → stacks → signals → teardown. */
function start(
  stacks: readonly DefinedStack[],
  { name: component, version, crds }: ProcessFacts,
  flags: Flags,
  kubeConfig: KubeConfig,
): void {
  const chosen = stacks.filter(({ name }) => flags.stacks.includes(name));
  checkStacks(chosen);
  const clock = realClock();
  const random = Math.random;
  const log = createLogger({ level: flags.logLevel, format: flags.logFormat, clock });
  let isLeading = false;
  const metrics = createMetrics({
    version,
    clock,
    informers: () => informers.states(),
    stacks: () => stackStates(),
    droppedEvents: () => events.droppedCount,
  });
  const isServed = flags.metricsBindAddress !== undefined;
  const stackMetrics = isServed
    ? createStackMetrics({
        registry: metrics.registry,
        isWorking: () => election === undefined || isLeading,
        clock,
      })
    : undefined;
  const { dashboardBindAddress: address } = flags;
  /** Made before what it looks at, which tells it of Events from the start. */
  const dashboard: Dashboard | undefined =
    address &&
    createDashboard({
      ...{ address, version, log, clock, stacks: chosen },
      resource: (...kind) => informers.resource(...kind),
      client: { get: (...asked) => client.get(...asked) },
    });
  const checkLease = (): number => election?.check() ?? Number.POSITIVE_INFINITY;
  const http = kubernetesClient({
    kubeConfig,
    log,
    clock,
    onRequest: metrics.request,
    checkLease,
  });
  const { client, informers, events, controllers, stackStates } = composition({
    client: http,
    component,
    stacks: chosen,
    log,
    clock,
    random,
    pollIntervalMs: flags.pollIntervalMs,
    maxExternalCallsPerSecond: flags.maxExternalCallsPerSecond,
    ...(stackMetrics && { metrics: stackMetrics }),
    host: createHost({ variables: process.env }),
    checkLease,
    ...(dashboard && { onEvent: dashboard.memory.told }),
    ...(flags.namespaces !== undefined && { claimNamespaces: flags.namespaces }),
    ...(flags.secretNamespaces !== undefined && { secretNamespaces: flags.secretNamespaces }),
  });
  const election: LeaderElection | undefined = flags.leaderElect
    ? leaderElection({
        client,
        namespace: flags.leaderElectionNamespace,
        name: flags.leaderElectionId,
        createsNamespace: flags.installCrds,
        identity: `${hostname()}_${randomUUID()}`,
        log,
        clock,
        random,
      })
    : undefined;
  // One that stands by says so: where none leads, the sum of all is 0.
  if (election !== undefined) metrics.leading(flags.leaderElectionId, false);
  const old = oldServer({ client, log, clock });
  const signals$ = stopSignals().pipe(share());
  const stop$ = signals$.pipe(
    take(1),
    tap((signal) => log.info('stopping: running reconciles may finish', { signal })),
    shareReplay(1),
  );
  const insistence$ = signals$.pipe(
    skip(1),
    tap((signal) => process.exit(128 + constants.signals[signal])),
  );
  const work$ = run({
    informers,
    controllers,
    background: [
      events.run$,
      ...(stackMetrics ? [stackMetrics.run$] : []),
      old.run$,
      ...servers(
        flags,
        {
          ...informers,
          stackStates,
          told: () => [...old.told(), ...(election?.told() ?? [])],
        },
        { ...metrics, page: () => pageOf(metrics, stackMetrics) },
        clock,
      ),
      ...(dashboard ? [dashboard.served$] : []),
    ],
    concurrency: flags.maxConcurrentReconciles,
    syncPeriodMs: flags.syncPeriodMs,
    stop$,
    drainTimeoutMs,
    log,
    clock,
    random,
    observe: (name) => metrics.controller(name, flags.maxConcurrentReconciles),
    ...(election && {
      election: {
        leadership$: election.leadership$.pipe(
          tap((state) => {
            isLeading = state === 'leading';
            metrics.leading(flags.leaderElectionId, isLeading);
          }),
        ),
      },
    }),
  }).pipe(
    tap(metrics.outcome),
    tap((outcome) => dashboard?.memory.ended(outcome)),
  );
  const farewell$ = defer(async () => {
    const { signal } = deadlineAfter(clock, farewellMs, {
      reason: () => new Error('the farewell took too long'),
    });
    // What happened under the lease is told under it; whoever waits for it does not wait for all of that.
    const telling = deadlineAfter(clock, tellingMs, {
      reason: () => new Error('told enough'),
      outer: signal,
    });
    await events.flush(telling.signal);
    telling.cancel();
    await election?.release(signal);
    await http.close();
  });

  const server = kubeConfig.getCurrentCluster()?.server;
  log.info('starting', { version, stacks: chosen.map(({ name }) => name), server });
  if (election === undefined) {
    log.warn('leader election is off: no other process may run these stacks in this cluster');
  }
  merge(
    stop$,
    insistence$,
    concat(
      definitions(flags, { directory: crds, client, log, clock, kinds: informers.kinds() }).pipe(
        takeUntil(stop$),
      ),
      work$,
      farewell$,
    ).pipe(tap({ complete: () => process.exit(0) })),
  ).subscribe({
    error(error: unknown) {
      log.error('cannot go on', { error });
      process.exit(1);
    },
  });
  handOverSignals();
}

/** What is scraped. */
async function pageOf(metrics: Metrics, stackMetrics: StackMetrics | undefined): Promise<Page> {
  await stackMetrics?.refresh();
  return metrics.page();
}

/** What to talk to, and as whom; throws FlagError if that cannot be used. */
async function usableKubeConfig({ kubeconfig }: Flags): Promise<KubeConfig> {
  const source = kubeconfig === undefined ? '$KUBECONFIG or ~/.kube/config' : '--kubeconfig';
  const config = await readKubeConfig(kubeconfig).catch((error: unknown) => {
    throw new FlagError(`${source}: ${messageOf(error)}`, { cause: error });
  });
  if (config.getCurrentCluster() !== null) return config;
  throw new FlagError(`${source}: there is no current context with a cluster`);
}

/** Installs the definitions of the kinds that the chosen stacks use first, if asked to. */
function definitions(
  { installCrds: isAsked }: Flags,
  tools: Omit<InstallCrdsOptions, 'signal'>,
): Observable<void> {
  if (!isAsked) return EMPTY;
  return abortable((signal) => installCrds({ ...tools, signal })).pipe(ignoreElements());
}

/** The HTTP servers that are asked for. */
function servers(
  { healthProbeBindAddress, metricsBindAddress }: Flags,
  {
    states,
    stackStates,
    told,
  }: Pick<Informers, 'states'> & Pick<Composition, 'stackStates'> & Pick<OldServer, 'told'>,
  metrics: Metrics,
  clock: Clock,
): readonly Observable<unknown>[] {
  const health = {
    live: { watches: watchesAlive(states, { clock }) },
    ready: {
      stores: storesSynced(states),
      stacks: somethingRuns(stackStates, states),
      watches: watchesTell(states, { clock }),
    },
    told: () => [...stacksWithoutDefinitions(stackStates, states)(), ...told()],
  };
  return [
    ...(healthProbeBindAddress ? [serveHealth({ address: healthProbeBindAddress, ...health })] : []),
    ...(metricsBindAddress
      ? [
          serveHttp({
            flag: '--metrics-bind-address',
            address: metricsBindAddress,
            pages: { '/metrics': metrics.page },
          }),
        ]
      : []),
  ];
}
