/*
 *   flags ──▶ client ──▶ composition.ts: informers, stores, controllers ──▶ runtime/process/run.ts ──▶ teardown
 */

import { randomUUID } from 'node:crypto';
import { constants, hostname } from 'node:os';
import countBy from 'lodash/countBy.js';
import type { Observable } from 'rxjs';
import {
  concat,
  defer,
  EMPTY,
  ignoreElements,
  merge,
  ReplaySubject,
  share,
  shareReplay,
  skip,
  switchMap,
  take,
  takeUntil,
  tap,
} from 'rxjs';
import { isLabel, notALabel } from '../apis/core/api-names.ts';
import { DefinitionError } from '../apis/core/definition-error.ts';
import { checkStacks } from '../controllers/author/check-stacks.ts';
import type { DefinedStack } from '../controllers/author/define-stack.ts';
import { WiringError } from '../controllers/core/wiring.ts';
import type { Dashboard } from '../dashboard/dashboard.ts';
import { createDashboard } from '../dashboard/dashboard.ts';
import { abortable } from '../runtime/abortable.ts';
import type { Informers } from '../runtime/cache/informers.ts';
import { kubernetesClient } from '../runtime/client/http-kubernetes-client.ts';
import type { InstallCrdsOptions } from '../runtime/client/install-crds.ts';
import { definitionGuard, installCrds } from '../runtime/client/install-crds.ts';
import type { LoadedKubeConfig } from '../runtime/client/kube-config.ts';
import { readKubeConfig } from '../runtime/client/kube-config.ts';
import { KubeConfigError } from '../runtime/client/kube-config-entries.ts';
import type { OldServer } from '../runtime/client/old-server.ts';
import { oldServer } from '../runtime/client/old-server.ts';
import { createHost } from '../runtime/controller/host.ts';
import { createLogger } from '../runtime/log/log.ts';
import type { Check } from '../runtime/probes/health.ts';
import {
  serveHealth,
  someStackRuns,
  stacksWithoutDefinitions,
  storesSynced,
  watchesAlive,
  watchesDeliver,
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
import { makeConnectionsPatient } from '../runtime/process/patient-connections.ts';
import { run } from '../runtime/process/run.ts';
import { stopSignals } from '../runtime/process/shutdown.ts';
import { createTenure } from '../runtime/process/tenure.ts';
import type { Clock } from '../runtime/time/clock.ts';
import { realClock } from '../runtime/time/clock.ts';
import { deadlineAfter } from '../runtime/time/deadline.ts';
import type { Composition } from './composition.ts';
import { composition } from './composition.ts';
import type { StackMetrics } from './metrics/stack-metrics.ts';
import { createStackMetrics } from './metrics/stack-metrics.ts';

/** The facts about a process besides its stacks. */
export interface ProcessFacts {
  /** The source of Events, and the default of `--leader-election-id`. Lower-case letters, digits and dashes. */
  readonly name: string;
  /** For `--version`, the log and metrics. */
  readonly version: string;
  /** One or more folders of definitions for `--install-crds`, as `npm run generate` writes them. */
  readonly crds: string | readonly string[];
  /** More stacks, which run only if `--stacks` names them. */
  readonly optional?: readonly DefinedStack[];
}

const drainTimeoutMs = 30_000;
const onlyObserving = '--observe-only: this process changes nothing in external systems and in Vault';
/** How long the last requests may take after the drain. */
const farewellMs = 3_000;
/** The part of it for the remaining Events. */
const flushMs = 1_000;

/**
 * Runs stacks, by default all, as the flags and variables of the process say, until a signal ends the process. Resolves
 * as soon as everything is started, or at once after `--help`. Errors are written to standard error and set the exit code:
 * 2 for a flag; 1 for stacks that conflict or a name that cannot be used.
 */
export async function runStacks(stacks: readonly DefinedStack[], facts: ProcessFacts): Promise<void> {
  try {
    if (!isLabel(facts.name)) throw new DefinitionError(`name of the process: ${notALabel(facts.name)}`);
    const invocation = parseFlags(process.argv.slice(2), {
      stacks: stacks.map(({ name }) => name),
      optionalStacks: facts.optional?.map(({ name }) => name) ?? [],
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

/** Starts the process: flags → client → stacks → signals → teardown. */
function start(
  stacks: readonly DefinedStack[],
  { name: component, version, crds, optional = [] }: ProcessFacts,
  flags: Flags,
  kubeConfig: LoadedKubeConfig,
): void {
  makeConnectionsPatient();
  const chosen = [...stacks, ...optional].filter(({ name }) => flags.stacks.includes(name));
  checkStacks(chosen);
  const clock = realClock();
  const random = Math.random;
  const log = createLogger({ level: flags.logLevel, format: flags.logFormat, clock });
  let isLeading = false;
  const metrics = createMetrics({ version, clock });
  const isServed = flags.metricsBindAddress !== undefined;
  const stackMetrics = isServed
    ? createStackMetrics({
        registry: metrics.registry,
        isWorking: () => election === undefined || isLeading,
        clock,
      })
    : undefined;
  const { dashboardBindAddress: address } = flags;
  /** Created before the composition, so that it receives Events from the start. */
  const dashboard: Dashboard | undefined =
    address &&
    createDashboard({
      ...{ address, version, log, clock, stacks: chosen },
      resource: (...kind) => informers.resource(...kind),
      client: { get: (...rest) => client.get(...rest) },
    });
  const tenure = createTenure({ clock });
  const { check: checkLease } = tenure;
  const http = kubernetesClient({
    kubeConfig,
    log,
    clock,
    onRequest: metrics.request,
    checkLease,
  });
  const guard = definitionGuard({ client: http, log });
  const { client, informers, events, controllers, stackStates } = composition({
    client: http,
    component,
    stacks: chosen,
    log,
    clock,
    random,
    pollIntervalMs: flags.pollIntervalMs,
    maxExternalCallsPerSecond: flags.maxExternalCallsPerSecond,
    isObserveOnly: flags.observeOnly,
    ...(stackMetrics && { observer: stackMetrics }),
    host: createHost({ variables: process.env }),
    ...(kubeConfig.proxies && { createAgent: kubeConfig.proxies.createAgent }),
    checkLease,
    admit: guard.admit,
    ...(dashboard && { onEvent: dashboard.memory.recordEvent }),
    ...(flags.namespaces !== undefined && { claimNamespaces: flags.namespaces }),
    ...(flags.secretNamespaces !== undefined && { secretNamespaces: flags.secretNamespaces }),
  });
  metrics.states({
    informers: informers.states,
    stacks: stackStates,
    droppedEvents: () => events.droppedCount,
  });
  const election: LeaderElection | undefined = flags.leaderElect
    ? leaderElection({
        client,
        namespace: flags.leaderElectionNamespace ?? kubeConfig.podNamespace ?? 'crossplane-system',
        name: flags.leaderElectionId,
        createsNamespace: flags.installCrds,
        identity: `${hostname()}_${randomUUID()}`,
        log,
        clock,
        random,
        tenure,
      })
    : undefined;
  // A standby exports 0, so that the sum over all processes is 0 if none leads.
  if (election !== undefined) metrics.leading(flags.leaderElectionId, false);
  const old = oldServer({ client, log, clock });
  /** Emits once this process leads. At once, if no other process can lead. A standby does not look for idle kinds. */
  const leads$ = new ReplaySubject<unknown>(1);
  if (election === undefined) leads$.next(undefined);
  const idle = optional.filter((stack) => !chosen.includes(stack));
  let idleNotes: readonly string[] = [];
  const idle$ = leads$.pipe(
    take(1),
    switchMap(() => import('./idle-stacks.ts')),
    switchMap(({ unhandledKinds, idleStackNotes }) =>
      idleStackNotes({
        kinds: unhandledKinds(idle, chosen),
        namespaces: flags.namespaces,
        client,
        log,
        clock,
      }),
    ),
    tap((notes) => {
      idleNotes = notes;
    }),
  );
  const signals$ = stopSignals().pipe(share());
  const stop$ = signals$.pipe(
    take(1),
    tap((signal) => log.info('stopping: running reconciles may finish', { signal })),
    shareReplay(1),
  );
  const secondSignal$ = signals$.pipe(
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
      guard.run$,
      ...(idle.length > 0 ? [idle$] : []),
      ...servers(
        flags,
        {
          ...informers,
          stackStates,
          leaseRefused: () => election?.whyRefused(),
          notes: () => [
            ...(flags.observeOnly ? [onlyObserving] : []),
            ...old.notes(),
            ...idleNotes,
            ...(election?.notes() ?? []),
          ],
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
            if (isLeading) leads$.next(state);
          }),
        ),
      },
    }),
  }).pipe(
    tap(metrics.outcome),
    tap((outcome) => dashboard?.memory.recordOutcome(outcome)),
  );
  const farewell$ = defer(async () => {
    const { signal } = deadlineAfter(clock, farewellMs, {
      reason: () => new Error('the last requests of the process took too long'),
    });
    // Events are sent while the Lease is still held, but only for a short time, because a standby waits for the Lease.
    const flushing = deadlineAfter(clock, flushMs, {
      reason: () => new Error('the remaining Events took too long to send'),
      outer: signal,
    });
    await events.flush(flushing.signal);
    flushing.cancel();
    await election?.release(signal);
    await http.close();
  });

  const server = kubeConfig.getCurrentCluster()?.server;
  const names = chosen.map(({ name }) => name);
  log.info('starting', { version, stacks: names, controllers: countBy(controllers, 'sort'), server });
  if (election === undefined) {
    log.warn('leader election is off: make sure that no other process runs these stacks in this cluster');
  }
  if (flags.observeOnly) log.warn(onlyObserving);
  merge(
    stop$,
    secondSignal$,
    concat(
      definitions(flags, [crds].flat(), { client, log, clock, kinds: informers.kinds() }).pipe(
        takeUntil(stop$),
      ),
      work$,
      farewell$,
    ).pipe(tap({ complete: () => process.exit(0) })),
  ).subscribe({
    error(error: unknown) {
      log.error('cannot continue: the process exits', { error });
      process.exit(1);
    },
  });
  handOverSignals();
}

/** The page of metrics, with fresh values. */
async function pageOf(metrics: Metrics, stackMetrics: StackMetrics | undefined): Promise<Page> {
  await stackMetrics?.refresh();
  return metrics.page();
}

/** The API server, the user and the proxies. Throws FlagError if the kubeconfig or a proxy variable cannot be used. */
async function usableKubeConfig({ kubeconfig: path, context }: Flags): Promise<LoadedKubeConfig> {
  try {
    return await readKubeConfig({ path, context, environment: process.env, clock: realClock() });
  } catch (error) {
    if (!(error instanceof KubeConfigError)) throw error;
    throw new FlagError(`${error.place}: ${error.message}`, { cause: error });
  }
}

/** Installs the definitions of the chosen stacks' kinds first, if `--install-crds` is set. */
function definitions(
  { installCrds: isAsked }: Flags,
  folders: readonly string[],
  tools: Omit<InstallCrdsOptions, 'directory' | 'signal'>,
): Observable<never> {
  if (!isAsked) return EMPTY;
  const installed = folders.map((directory) =>
    abortable((signal) => installCrds({ ...tools, directory, signal })),
  );
  return concat(...installed).pipe(ignoreElements());
}

/** The HTTP servers whose flags are set. */
function servers(
  { healthProbeBindAddress, metricsBindAddress }: Flags,
  {
    states,
    stackStates,
    leaseRefused,
    notes,
  }: Pick<Informers, 'states'> &
    Pick<Composition, 'stackStates'> &
    Pick<OldServer, 'notes'> & { readonly leaseRefused: Check },
  metrics: Metrics,
  clock: Clock,
): readonly Observable<unknown>[] {
  const health = {
    live: { watches: watchesAlive(states, { clock }) },
    ready: {
      stores: storesSynced(states),
      stacks: someStackRuns(stackStates, states),
      watches: watchesDeliver(states, { clock }),
      lease: leaseRefused,
    },
    notes: () => [...stacksWithoutDefinitions(stackStates, states)(), ...notes()],
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
