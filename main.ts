import './runtime/process/heap.ts';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { constants, hostname } from 'node:os';
import { join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Observable } from 'rxjs';
import type { Informers } from './runtime/cache/informers.ts';
import type { InstallCrdsOptions } from './runtime/client/install-crds.ts';
import type { Metrics } from './runtime/probes/metrics.ts';
import { handOverSignals } from './runtime/process/early-stop.ts';
import type { Flags } from './runtime/process/flags.ts';
import type { LeaderElection } from './runtime/process/leader-election.ts';
import type { Clock } from './runtime/time/clock.ts';

// Everything that takes time to load comes after early-stop.ts has run.
const rxjs = await import('rxjs');
const { concat, defer, EMPTY, merge, share, shareReplay, skip, take, takeUntil, tap } = rxjs;
const { composition } = await import('./controllers/composition.ts');
const { WiringError } = await import('./controllers/core/wiring.ts');
const { stacks } = await import('./controllers/stacks.ts');
const { messageOf } = await import('./runtime/client/errors.ts');
const { FlagError, parseFlags } = await import('./runtime/process/flags.ts');
const { serveHealth, storesSynced, watchesAlive, watchesTell } = await import('./runtime/probes/health.ts');
const { createHost } = await import('./runtime/controller/host.ts');
const { kubernetesClient } = await import('./runtime/client/http-kubernetes-client.ts');
const { installCrds } = await import('./runtime/client/install-crds.ts');
const { readKubeConfig } = await import('./runtime/client/kube-config.ts');
const { leaderElection } = await import('./runtime/process/leader-election.ts');
const { createLogger } = await import('./runtime/log/log.ts');
const { run } = await import('./runtime/process/run.ts');
const { createMetrics } = await import('./runtime/probes/metrics.ts');
const { serveHttp } = await import('./runtime/probes/serve-http.ts');
const { realClock } = await import('./runtime/time/clock.ts');
const { deadlineAfter } = await import('./runtime/time/deadline.ts');
const { stopSignals } = await import('./runtime/process/shutdown.ts');

const drainTimeoutMs = 30_000;
const farewellMs = 3_000;
const component = 'services-stack';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as {
  readonly version: string;
};

try {
  const invocation = parseFlags(process.argv.slice(2), {
    stacks: stacks.map(({ name }) => name),
    version,
  });
  if (invocation.type === 'print') process.stdout.write(invocation.text);
  else start(invocation.flags, await usableKubeConfig(invocation.flags));
} catch (error) {
  if (!(error instanceof FlagError || error instanceof WiringError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof FlagError ? error.exitCode : 1;
}

/** Flags → client → stacks → signals → teardown. */
function start(flags: Flags, kubeConfig: KubeConfig): void {
  const clock = realClock();
  const random = Math.random;
  const log = createLogger({ level: flags.logLevel, format: flags.logFormat, clock });
  const metrics = createMetrics({
    version,
    clock,
    informers: () => informers.states(),
    droppedEvents: () => events.droppedCount,
  });
  const client = kubernetesClient({
    kubeConfig,
    log,
    clock,
    onRequest: metrics.request,
    checkLease: () => election?.check(),
  });
  const chosen = stacks.filter(({ name }) => flags.stacks.includes(name));
  const { informers, events, controllers } = composition({
    client,
    component,
    stacks: chosen,
    log,
    clock,
    random,
    pollIntervalMs: flags.pollIntervalMs,
    maxExternalCallsPerSecond: flags.maxExternalCallsPerSecond,
    host: createHost({ variables: process.env }),
    checkLease: () => election?.check(),
    ...(flags.namespace !== undefined && { claimNamespace: flags.namespace }),
  });
  const election: LeaderElection | undefined = flags.leaderElect
    ? leaderElection({
        client,
        namespace: flags.leaderElectionNamespace,
        name: component,
        identity: `${hostname()}_${randomUUID()}`,
        log,
        clock,
        random,
      })
    : undefined;
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
    background: [events.run$, ...servers(flags, informers, metrics, clock)],
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
          tap((state) => metrics.leading(component, state === 'leading')),
        ),
      },
    }),
  }).pipe(tap(metrics.outcome));
  const farewell$ = defer(async () => {
    const { signal } = deadlineAfter(clock, farewellMs, {
      reason: () => new Error('the farewell took too long'),
    });
    await Promise.all([events.flush(signal), election?.release(signal)]);
    await client.close();
  });

  const server = kubeConfig.getCurrentCluster()?.server;
  log.info('starting', { version, stacks: chosen.map(({ name }) => name), server });
  merge(
    stop$,
    insistence$,
    concat(
      definitions(flags, { client, log, clock, kinds: informers.kinds() }).pipe(takeUntil(stop$)),
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
  tools: Pick<InstallCrdsOptions, 'client' | 'log' | 'clock' | 'kinds'>,
): Observable<void> {
  if (!isAsked) return EMPTY;
  const directory = join(import.meta.dirname, 'crds');
  return new rxjs.Observable((subscriber) => {
    const abort = new AbortController();
    installCrds({ ...tools, directory, signal: abort.signal }).then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
    return () => abort.abort();
  });
}

/** The HTTP servers that are asked for. */
function servers(
  { healthProbeBindAddress, metricsBindAddress }: Flags,
  { states }: Pick<Informers, 'states'>,
  metrics: Metrics,
  clock: Clock,
): readonly Observable<unknown>[] {
  const health = {
    live: { watches: watchesAlive(states, { clock }) },
    ready: { stores: storesSynced(states), watches: watchesTell(states, { clock }) },
  };
  return [
    ...(healthProbeBindAddress ? [serveHealth({ address: healthProbeBindAddress, ...health })] : []),
    ...(metricsBindAddress ? [serveHttp(metricsBindAddress, { '/metrics': metrics.page })] : []),
  ];
}
