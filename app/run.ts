/*
 *   flags ──▶ client ──▶ composition.ts: informers, stores, controllers ──▶ runtime/process/run.ts ──▶ teardown
 */

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import countBy from 'lodash/countBy.js';
import type { Observable } from 'rxjs';
import { BehaviorSubject, concat, EMPTY, first, merge, switchMap, takeUntil, tap } from 'rxjs';
import { isLabel, notALabel } from '../apis/core/api-names.ts';
import { DefinitionError } from '../apis/core/definition-error.ts';
import { requireForm } from '../apis/core/forms.ts';
import { fieldPaths } from '../apis/field-paths.ts';
import type { DefinedStack } from '../controllers/author/define-stack.ts';
import { processForm } from '../controllers/author/definition-forms.ts';
import { WiringError } from '../controllers/wiring.ts';
import type { Dashboard, DashboardOptions } from '../dashboard/dashboard.ts';
import { createDashboard } from '../dashboard/dashboard.ts';
import { kubernetesClient } from '../runtime/client/http-kubernetes-client.ts';
import { definitionGuard } from '../runtime/client/install-crds.ts';
import type { LoadedKubeConfig } from '../runtime/client/kube-config.ts';
import { readKubeConfig } from '../runtime/client/kube-config.ts';
import { KubeConfigError } from '../runtime/client/kube-config-entries.ts';
import { oldServer } from '../runtime/client/old-server.ts';
import { createHost } from '../runtime/controller/host.ts';
import { createLogger } from '../runtime/log/log.ts';
import type { Metrics } from '../runtime/probes/metrics.ts';
import { createMetrics } from '../runtime/probes/metrics.ts';
import type { Page } from '../runtime/probes/serve-http.ts';
import { handOverSignals } from '../runtime/process/early-stop.ts';
import type { Flags } from '../runtime/process/flags.ts';
import { FlagError, parseFlags } from '../runtime/process/flags.ts';
import type { LeaderElection, LeaderElectionOptions } from '../runtime/process/leader-election.ts';
import { leaderElection } from '../runtime/process/leader-election.ts';
import { makeConnectionsPatient } from '../runtime/process/patient-connections.ts';
import { run } from '../runtime/process/run.ts';
import { createTenure } from '../runtime/process/tenure.ts';
import type { Clock } from '../runtime/time/clock.ts';
import { realClock } from '../runtime/time/clock.ts';
import { composition } from './composition.ts';
import { definitions, sharedPackage } from './definitions.ts';
import type { IdleStackNotesOptions } from './idle-stacks.ts';
import { createStackMetrics } from './metrics/stack-metrics.ts';
import { servers } from './servers.ts';
import { farewell, stops } from './stopping.ts';

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

/** A process of this package, or one whose package uses kinds of this one. */
export interface OwnProcessFacts extends ProcessFacts {
  /** Throws if these stacks cannot run in one process. Absent: a test has checked them, as it has those of this package. */
  readonly checkStacks?: (chosen: readonly DefinedStack[]) => unknown;
  /** The folder with the definitions of this package. `--install-crds` installs them, too. */
  readonly sharedCrds?: string;
  /** Whether no other process can run these stacks, so that `--leader-elect=false` is no danger. Default: false. */
  readonly isAlone?: boolean;
}

const drainTimeoutMs = 30_000;
const onlyObserving = '--observe-only: this process changes nothing in external systems and in Vault';

/**
 * Runs stacks, by default all, as the flags and variables of the process say, until a signal ends the process. Resolves
 * as soon as everything is started, or at once after `--help`. Errors are written to standard error and set the exit code:
 * 2 for a flag; 1 for stacks that conflict or a name that cannot be used.
 */
export async function runStacks(stacks: readonly DefinedStack[], facts: OwnProcessFacts): Promise<void> {
  try {
    requireForm({ name: 'run' }, processForm, { ...facts, stacks });
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
  {
    name: component,
    version,
    crds,
    sharedCrds,
    optional = [],
    checkStacks,
    isAlone = false,
  }: OwnProcessFacts,
  flags: Flags,
  kubeConfig: LoadedKubeConfig,
): void {
  makeConnectionsPatient();
  const chosen = [...stacks, ...optional].filter(({ name }) => flags.stacks.includes(name));
  checkStacks?.(chosen);
  const clock = realClock();
  const random = Math.random;
  const log = createLogger({ level: flags.logLevel, format: flags.logFormat, clock });

  // The client and the controllers report to these.
  const isLeading$ = new BehaviorSubject(!flags.leaderElect);
  const { metrics, stackMetrics, page } = metricsOf(version, flags, clock, isLeading$);
  const lease = leaseOf(flags, kubeConfig);
  const dashboard = dashboardOf(version, flags, { clock, lease, stacks: chosen });

  // The client and the controllers.
  const tenure = createTenure({ clock });
  const checkLease = tenure.check;
  const http = kubernetesClient({ kubeConfig, log, clock, onRequest: metrics.request, checkLease });
  const guard = definitionGuard({
    client: http,
    log,
    fieldsOf: fieldPaths,
    packages: [component, sharedPackage],
  });
  const { client, informers, events, backlog, controllers, stackStates } = composition({
    client: http,
    component,
    stacks: chosen,
    log,
    clock,
    random,
    checkLease,
    admit: guard.admit,
    host: createHost({ variables: process.env }),
    ...settingsOf(flags),
    ...(kubeConfig.proxies && { createAgent: kubeConfig.proxies.createAgent }),
    ...(stackMetrics && { observer: stackMetrics }),
    ...(dashboard && { onEvent: dashboard.memory.recordEvent }),
  });
  const { resource, states } = informers;
  metrics.states({ informers: states, stacks: stackStates, droppedEvents: () => events.droppedCount });

  // An administrator reads these.
  const tools = { client, log, clock };
  const election = electionOf(flags, lease, { ...tools, random, tenure });
  const old = oldServer(tools);
  const idle = idleStacks(
    optional.filter((stack) => !chosen.includes(stack)),
    { ...tools, chosen, isLeading$, namespaces: flags.namespaces },
  );
  const notes = (): readonly string[] => [
    ...(flags.observeOnly ? [onlyObserving] : []),
    ...old.notes(),
    ...guard.notes(),
    ...idle.notes(),
    ...(election?.notes() ?? []),
  ];

  const { stop$, secondSignal$ } = stops(log);
  const work$ = run({
    informers,
    controllers,
    background: [
      events.run$,
      ...(stackMetrics ? [stackMetrics.run$] : []),
      old.run$,
      guard.run$,
      idle.run$,
      ...servers(
        flags,
        { states, stackStates, leaseRefused: () => election?.whyRefused(), notes },
        page,
        clock,
      ),
      ...(dashboard ? [dashboard.serve({ resource, client, log })] : []),
    ],
    concurrency: flags.maxConcurrentReconciles,
    syncPeriodMs: flags.syncPeriodMs,
    stop$,
    drainTimeoutMs,
    log,
    clock,
    random,
    backlog,
    observe: metrics.controller,
    ...(election && { election: { leadership$: observed(election, flags, metrics, isLeading$) } }),
  }).pipe(
    tap(metrics.outcome),
    tap((outcome) => dashboard?.memory.recordOutcome(outcome)),
  );
  const folders = { own: [crds].flat(), shared: sharedCrds };
  const installed$ = definitions(flags, folders, { ...tools, kinds: informers.kinds() });

  log.info('starting', {
    version,
    stacks: chosen.map(({ name }) => name),
    controllers: countBy(controllers, 'sort'),
    server: kubeConfig.getCurrentCluster()?.server,
  });
  if (election === undefined && !isAlone) {
    log.warn('leader election is off: make sure that no other process runs these stacks in this cluster');
  }
  if (flags.observeOnly) log.warn(onlyObserving);
  merge(
    stop$,
    secondSignal$,
    concat(installed$.pipe(takeUntil(stop$)), work$, farewell({ events, election, http, clock })).pipe(
      tap({ complete: () => process.exit(0) }),
    ),
  ).subscribe({
    error(error: unknown) {
      log.error('cannot continue: the process exits', { error });
      process.exit(1);
    },
  });
  handOverSignals();
}

/** The metrics of the process, those of its stacks if they are served, and their page with fresh values. */
function metricsOf(version: string, flags: Flags, clock: Clock, isLeading$: BehaviorSubject<boolean>) {
  const metrics = createMetrics({ version, clock });
  // A standby exports 0, so that the sum over all processes is 0 if none leads.
  if (flags.leaderElect) metrics.leading(flags.leaderElectionId, false);
  const { registry } = metrics;
  const stackMetrics =
    flags.metricsBindAddress === undefined
      ? undefined
      : createStackMetrics({ registry, isWorking: () => isLeading$.value, clock });
  const page = async (): Promise<Page> => {
    await stackMetrics?.refresh();
    return metrics.page();
  };
  return { metrics, stackMetrics, page };
}

/** The live page, if its flag is set. It exists before the composition, so that it receives Events from the start. */
function dashboardOf(
  version: string,
  { dashboardBindAddress: address }: Flags,
  options: Pick<DashboardOptions, 'clock' | 'lease' | 'stacks'>,
): Dashboard | undefined {
  return address && createDashboard({ address, version, ...options });
}

/** The flags that the controllers obey. */
const settingsOf = (flags: Flags) => ({
  pollIntervalMs: flags.pollIntervalMs,
  maxExternalCallsPerSecond: flags.maxExternalCallsPerSecond,
  isObserveOnly: flags.observeOnly,
  ...(flags.namespaces !== undefined && { claimNamespaces: flags.namespaces }),
  ...(flags.secretNamespaces !== undefined && { secretNamespaces: flags.secretNamespaces }),
});

/** The lease of the election, unless its flag is off. */
const leaseOf = (
  { leaderElect, leaderElectionNamespace, leaderElectionId: name }: Flags,
  { podNamespace }: LoadedKubeConfig,
): Pick<LeaderElectionOptions, 'namespace' | 'name'> | undefined =>
  leaderElect
    ? { namespace: leaderElectionNamespace ?? podNamespace ?? 'crossplane-system', name }
    : undefined;

/** The election, unless its flag is off. */
function electionOf(
  flags: Flags,
  lease: Pick<LeaderElectionOptions, 'namespace' | 'name'> | undefined,
  tools: Pick<LeaderElectionOptions, 'client' | 'log' | 'clock' | 'random' | 'tenure'>,
): LeaderElection | undefined {
  if (lease === undefined) return undefined;
  return leaderElection({
    ...tools,
    ...lease,
    createsNamespace: flags.installCrds,
    identity: `${hostname()}_${randomUUID()}`,
  });
}

/** The leadership of this process, which `isLeading$` and the metrics show. */
const observed = (
  { leadership$ }: LeaderElection,
  { leaderElectionId }: Flags,
  metrics: Metrics,
  isLeading$: BehaviorSubject<boolean>,
): LeaderElection['leadership$'] =>
  leadership$.pipe(
    tap((state) => {
      const isLeading = state === 'leading';
      metrics.leading(leaderElectionId, isLeading);
      isLeading$.next(isLeading);
    }),
  );

/** Looks for objects of stacks that do not run, once this process leads. A standby does not look. */
function idleStacks(
  idle: readonly DefinedStack[],
  {
    chosen,
    isLeading$,
    ...tools
  }: Omit<IdleStackNotesOptions, 'kinds'> & {
    readonly chosen: readonly DefinedStack[];
    readonly isLeading$: Observable<boolean>;
  },
): { readonly run$: Observable<unknown>; readonly notes: () => readonly string[] } {
  let current: readonly string[] = [];
  const notes = () => current;
  if (idle.length === 0) return { run$: EMPTY, notes };
  const run$ = isLeading$.pipe(
    first((isLeading) => isLeading),
    switchMap(() => import('./idle-stacks.ts')),
    switchMap(({ unhandledKinds, idleStackNotes }) =>
      idleStackNotes({ ...tools, kinds: unhandledKinds(idle, chosen) }),
    ),
    tap((next) => {
      current = next;
    }),
  );
  return { run$, notes };
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
