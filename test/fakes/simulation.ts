import { NEVER, Subscription, tap } from 'rxjs';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { composition } from '../../app/composition.ts';
import type { Stack } from '../../controllers/stack.ts';
import type { Dashboard } from '../../dashboard/dashboard.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import type { LogLevel } from '../../runtime/log/log.ts';
import { createLogger } from '../../runtime/log/log.ts';
import { run } from '../../runtime/process/run.ts';
import type { Random } from '../../runtime/time/random.ts';
import { seededRandom } from '../../runtime/time/random.ts';
import { inProcessClient } from '../../testing/in-process-client.ts';
import type { MemoryCluster } from '../../testing/memory-cluster.ts';
import type { TestClock } from '../../testing/test-clock.ts';
import { testClock } from '../../testing/test-clock.ts';
import { EnforcingCluster } from './enforcing-cluster.ts';
import type { FaultyClient } from './faulty-client.ts';
import { faultyClient } from './faulty-client.ts';
import { granted, rightsOfTests } from './granted.ts';
import { scrapedMetrics } from './scraped-metrics.ts';

export interface SimulationOptions {
  readonly seed: number;
  /** As the flag of that name; default 1 h. */
  readonly syncPeriodMs?: number;
  /** False: the definitions are those of an older release, which let everything through. */
  readonly isEnforced?: boolean;
  /** As the flag of that name; default 10. */
  readonly concurrency?: number;
  /** Of the process; default debug. */
  readonly logLevel?: LogLevel;
}

export interface StartOptions {
  readonly createPage?: (clock: TestClock) => Dashboard;
  /** As the flag --observe-only. */
  readonly isObserveOnly?: boolean;
  /** As the flags --namespace and --secret-namespaces; the second holds the first. */
  readonly namespaces?: { readonly claims: readonly string[]; readonly secrets?: readonly string[] };
}

/** The permissions and limits of a process. */
const rights = rightsOfTests();

/** As flags have them by default. */
const flags = {
  pollIntervalMs: 60_000,
  maxExternalCallsPerSecond: 200,
} as const;

/**
 * The whole process, put together as `app/run.ts` does, over a cluster in memory: all its time is one clock that is moved by
 * hand, all its chance comes from one seed, and requests, answers and events are on their way for as long as chance says.
 * The same seed leads to the same log, line by line.
 */
export class Simulation {
  readonly clock: TestClock = testClock();
  readonly random: Random;
  readonly cluster: MemoryCluster;
  /** The process's log, as lines of JSON. */
  readonly log: string[] = [];
  /**
   * The writes that the process sent, without Events: `1500 update FancySQLInstance team/orders`, with the time in
   * milliseconds. The API server may have refused them.
   */
  readonly writes: string[] = [];
  /** Those of these writes that the API server carried out. */
  readonly carriedOut: string[] = [];
  /** The reads of one object that the process sent, with their time: `1500 get Secret infra/db`. */
  readonly reads: string[] = [];
  /** How often it wrote an Event. */
  eventWrites = 0;
  /**
   * The watches that it has begun: `FancySQLInstance in team`, `Provider`, `Namespace metadata.name=team`.
   */
  readonly watched = new Set<string>();
  /** Its runs: `binding(fancysqlinstance) KeepBound: its managed resource changed`. */
  readonly runs: string[] = [];
  readonly #syncPeriodMs: number;
  readonly #logLevel: LogLevel;
  readonly #concurrency: number;
  #life = new Subscription();
  #client: FaultyClient | undefined;
  #scrape: (() => Promise<string>) | undefined;

  constructor({
    seed,
    syncPeriodMs = 3_600_000,
    isEnforced = true,
    concurrency = 10,
    logLevel = 'debug',
  }: SimulationOptions) {
    this.#logLevel = logLevel;
    this.#concurrency = concurrency;
    this.cluster = new EnforcingCluster(() => this.clock.now(), { isEnforced });
    this.#syncPeriodMs = syncPeriodMs;
    this.random = seededRandom(seed);
  }

  /** Starts the process, with a live page if it is given one; one that runs is killed before. */
  start(
    stacks: readonly Stack[],
    { createPage, namespaces, isObserveOnly = false }: StartOptions = {},
  ): void {
    this.kill();
    const { clock, random } = this;
    const direct = inProcessClient(this.cluster, clock, async ({ verb, kind, key }, effect) => {
      // A request counts when it is sent: the API server works for a refused one, too.
      const isRead = verb === 'get';
      const isEvent = kind.kind === 'Event';
      const line = `${clock.elapsedMs()} ${verb} ${kind.kind} ${objectKeyText(key)}`;
      if (isEvent) this.eventWrites += 1;
      else (isRead ? this.reads : this.writes).push(line);
      const before = this.cluster.resourceVersion;
      const answer = effect();
      if (isRead || isEvent) return answer;
      this.carriedOut.push(line);
      if (this.cluster.resourceVersion === before) this.carriedOut.push('which changed nothing');
      return answer;
    });
    const noted: KubernetesClient = {
      ...direct,
      watch: (kind, options) => {
        const { namespace, fieldSelector } = options;
        const where = [namespace && `in ${namespace}`, fieldSelector].filter((part) => part !== undefined);
        this.watched.add([kind.kind, ...where].join(' '));
        return direct.watch(kind, options);
      },
    };
    this.#client = faultyClient(granted(noted, rights), clock, { latency: random });
    const log = createLogger({
      level: this.#logLevel,
      format: 'json',
      clock,
      write: (line) => this.log.push(line),
    });
    const { metrics, stackMetrics, scrape } = scrapedMetrics(clock);
    this.#scrape = scrape;
    const page = createPage?.(clock);
    const { client, informers, events, backlog, controllers, stackStates } = composition({
      client: this.#client,
      ...(page && { onEvent: page.memory.recordEvent }),
      component: 'services-stack',
      stacks,
      log,
      clock,
      random,
      observer: stackMetrics,
      ...(namespaces && { claimNamespaces: namespaces.claims }),
      ...(namespaces?.secrets && { secretNamespaces: namespaces.secrets }),
      ...flags,
      isObserveOnly,
    });
    metrics.states({
      informers: informers.states,
      stacks: stackStates,
      droppedEvents: () => events.droppedCount,
    });
    const running$ = run({
      informers,
      controllers,
      background: [
        events.run$,
        stackMetrics.run$,
        ...(page ? [page.serve({ resource: informers.resource, client, log })] : []),
      ],
      concurrency: this.#concurrency,
      syncPeriodMs: this.#syncPeriodMs,
      stop$: NEVER,
      backlog,
      drainTimeoutMs: 30_000,
      log,
      clock,
      random,
      observe: (name) => metrics.controller(name, this.#concurrency),
    }).pipe(tap(metrics.outcome));
    this.#life = running$.subscribe((outcome) => {
      const { controller, decision, because } = outcome;
      this.runs.push(`${controller} ${decision}: ${because.join(', ')}`);
      page?.memory.recordOutcome(outcome);
    });
  }

  /** Its answer under `/metrics`; nothing if it does not run. */
  async scrape(): Promise<string> {
    return (await this.#scrape?.()) ?? '';
  }

  /** The API server answers nothing any more. */
  cut(): void {
    this.#client?.cut();
  }

  /** The process dies: what it was about to do does not happen. */
  kill(): void {
    this.#scrape = undefined;
    this.#client?.cut();
    this.#life.unsubscribe();
  }
}
