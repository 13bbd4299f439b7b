import { setTimeout as sleepFor } from 'node:timers/promises';
import { filter, mergeMap, NEVER, Subject, Subscription } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey, objectKey, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { watchedIn } from '../../app/watched-namespaces.ts';
import type { Informers } from '../../runtime/cache/informers.ts';
import { createInformers } from '../../runtime/cache/informers.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import type { Selection } from '../../runtime/client/kubernetes-client.ts';
import { createBacklog } from '../../runtime/controller/backlog.ts';
import type { Outcome } from '../../runtime/controller/controller.ts';
import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { Request, Result } from '../../runtime/controller/reconcile.ts';
import { triggerBy } from '../../runtime/controller/triggers.ts';
import { createEventCorrelator } from '../../runtime/events/event-correlator.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import type { EventRecorder } from '../../runtime/events/event-recorder.ts';
import { run } from '../../runtime/process/run.ts';
import type { FaultyClient } from '../fakes/faulty-client.ts';
import { faultyClient } from '../fakes/faulty-client.ts';
import { recordedLog } from '../fakes/recorded-log.ts';
import { FakeCluster } from './cluster-fake.ts';
import { service } from './objects.ts';

export { FakeCluster };

/** `object`: `FancySQLInstance team/orders`. */
export interface RecordedEvent extends EventFacts {
  readonly object: string;
}

export interface FakeProcessOptions extends Partial<Environment> {
  /**
   * The external system is a real one, which takes real time: the clock stands still until the runs that wait for it
   * have ended.
   */
  readonly isExternalReal?: boolean;
}

/** So many runs are no settling any more. */
const mostRuns = 5_000;

/**
 * A process over a cluster, as `main.ts` puts it together, under the cluster's clock: informers, controllers on their
 * work queues, resyncs. Events are written down instead of sent. It lives until it crashes or is stopped; another may
 * then be started over the same cluster. Its controllers begin when it first settles.
 */
export class FakeProcess {
  readonly env: Environment;
  /** The Events: the same one once in 10 minutes. */
  readonly events: RecordedEvent[] = [];
  /** The sender of each Event. */
  readonly eventSources: string[] = [];
  /** The Events as often as they were recorded. */
  readonly recordings: RecordedEvent[] = [];
  /** The errors that reconcilers threw, without conflicts. */
  readonly errors: unknown[] = [];
  conflicts = 0;
  runs = 0;
  hasCrashed = false;
  readonly #cluster: FakeCluster;
  readonly #client: FaultyClient;
  readonly #informers: Informers;
  readonly #specs: readonly ControllerSpec[];
  readonly #log = recordedLog();
  /** Processes of tests are many, and their objects few. */
  readonly #correlator = createEventCorrelator({ capacity: 256 });
  readonly #isExternalReal: boolean;
  /** Values that live as long as the process. */
  readonly #life = new Subscription();
  /** Asks every controller of a kind to look again. */
  readonly #looksAgain$ = new Subject<Kind>();
  /** Kinds that have been read. */
  readonly #read = new Set<string>();
  #isStarted = false;
  #running = 0;

  constructor(
    cluster: FakeCluster,
    controllers: (env: Environment) => readonly ControllerSpec[] = () => [],
    { isExternalReal = false, ...given }: FakeProcessOptions = {},
  ) {
    this.#cluster = cluster;
    this.#isExternalReal = isExternalReal;
    this.#client = faultyClient(cluster.client, cluster.clock);
    const { clock = cluster.clock, random = () => 0.5, log = this.#log } = given;
    const { claimNamespaces } = given;
    this.#informers = createInformers({
      client: this.#client,
      log,
      random,
      clock,
      namespacesOf: watchedIn([{ claims: [service] }], { claimNamespaces }),
    });
    this.env = {
      client: this.#client,
      resource: (kind, selection) => this.#resource(kind, selection),
      events: this.#recorder('services-stack'),
      log,
      clock,
      random,
      pollIntervalMs: 60_000,
      maxExternalCallsPerSecond: 1e9,
      ...given,
    };
    this.#specs = controllers(this.env);
    this.#life.add(this.#informers.run$.subscribe());
    this.#life.add(
      cluster.onCrash(() => {
        this.hasCrashed = true;
        this.stop();
      }),
    );
  }

  /** The log lines of stacks. */
  get reportedOfStacks(): readonly string[] {
    return this.#log.lines.flatMap(({ level, message, fields: { stack } }) =>
      stack === undefined || stack === null ? [] : [`${level} ${stack}: ${message.split(/[,:;]/)[0]}`],
    );
  }

  /** The errors that ended triggers, which were then subscribed to again. */
  get brokenTriggers(): readonly unknown[] {
    return this.#log.lines.filter(({ message }) => message.startsWith('a bug stopped a trigger'));
  }

  /** From now on the store of this kind hears nothing but what this process itself writes and reads. */
  hold(kind: Kind): void {
    this.#client.hold(kind);
  }

  /** Resolves once every store holds what there is. */
  async synced(): Promise<void> {
    await this.#informers.synced(new AbortController().signal);
  }

  /** One run of the first controller, outside the queue. */
  async reconcile(request: Request): Promise<Result> {
    const [spec] = this.#specs;
    if (spec === undefined) throw new Error('no controller');
    await this.synced();
    return spec.reconcile(request, new AbortController().signal, this.env.log);
  }

  /** Asks the controllers of these kinds to look again at everything, as at the end of the sync period. */
  resync(...kinds: readonly Kind[]): void {
    for (const kind of kinds) this.#looksAgain$.next(kind);
  }

  /**
   * Runs all work that is pending within `withinMs`, delays included, by moving the clock to each piece of
   * work. Polls are later than that.
   */
  async settle(withinMs = 10_000): Promise<this> {
    this.#start();
    const { clock } = this.#cluster;
    const endMs = clock.elapsedMs() + withinMs;
    const mostNow = this.runs + mostRuns;
    await this.#quiet();
    while (!this.hasCrashed) {
      if (this.runs > mostNow) throw new Error('does not settle');
      const { dueInMs } = clock;
      if (dueInMs === undefined || clock.elapsedMs() + dueInMs > endMs) break;
      await clock.advance(dueInMs);
      await this.#quiet();
    }
    return this;
  }

  /** It is killed: what it was about to do does not happen. */
  stop(): void {
    this.#client.cut();
    this.#life.unsubscribe();
  }

  /** Holds at once what there is, for those who do not wait until it is synced: as if each object had been read. */
  #resource<T extends KubernetesObject>(kind: Kind<T>, selection?: Selection): Resource<T> {
    const resource = this.#informers.resource(kind, selection);
    if (!this.#read.has(kindKey(kind))) {
      this.#read.add(kindKey(kind));
      const there = this.#cluster.isWithdrawn(kind) ? [] : this.#cluster.all(kind);
      for (const object of there) resource.store.record(object);
    }
    return resource;
  }

  #start(): void {
    if (this.#isStarted || this.#specs.length === 0) return;
    this.#isStarted = true;
    const { clock, log, random } = this.env;
    const running$ = run({
      informers: { ...this.#informers, run$: NEVER },
      controllers: this.#specs.map((spec) => this.#resynced(spec)),
      background: [],
      concurrency: 1,
      syncPeriodMs: 3_600_000,
      stop$: NEVER,
      drainTimeoutMs: 30_000,
      log,
      random,
      clock,
      backlog: createBacklog(),
      observe: () => ({
        added: () => {},
        due: () => {},
        started: () => {
          this.runs += 1;
          this.#running += 1;
        },
        finished: () => {
          this.#running -= 1;
        },
        retried: () => {},
        dropped: () => {},
      }),
    });
    this.#life.add(running$.subscribe((outcome) => this.#ended(outcome)));
  }

  #ended({ result, error }: Outcome): void {
    if (result === 'conflict') this.conflicts += 1;
    if (result === 'error' && error !== undefined) this.errors.push(error);
  }

  #resynced(spec: ControllerSpec): ControllerSpec {
    const { objects } = spec;
    if (objects === undefined) return spec;
    const requests$ = this.#looksAgain$.pipe(
      filter((kind) => kindKey(kind) === kindKey(objects.kind)),
      mergeMap(() => objects.all().map(({ metadata }) => objectKey(metadata))),
    );
    return { ...spec, triggers: [...spec.triggers, triggerBy('a test asks for it', requests$)] };
  }

  /** Nothing is under way but what waits for the clock. */
  async #quiet(): Promise<void> {
    await this.#cluster.clock.settle();
    while (this.#isExternalReal && this.#running > 0 && !this.hasCrashed) {
      await sleepFor(1);
      await this.#cluster.clock.settle();
    }
  }

  #recorder(source: string): EventRecorder {
    return {
      record: (object, event) => {
        const recorded = { ...event, object: `${object.kind} ${objectKeyText(objectKey(object.metadata))}` };
        this.recordings.push(recorded);
        if (event.isWritten === false) return;
        if (this.#correlator.observe(object, event, source, this.#cluster.clockMs) === undefined) return;
        this.events.push(recorded);
        this.eventSources.push(source);
      },
      from: (other) => this.#recorder(other),
    };
  }
}
