import type { Subscription } from 'rxjs';
import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey, objectKey, objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { createResource } from '../../../runtime/cache/resource.ts';
import { selects } from '../../../runtime/cache/selection.ts';
import type { StreamedStore } from '../../../runtime/cache/store.ts';
import { createStore } from '../../../runtime/cache/store.ts';
import { isConflict } from '../../../runtime/client/errors.ts';
import type { Selection } from '../../../runtime/client/kubernetes-client.ts';
import type { ControllerSpec } from '../../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Request, Result } from '../../../runtime/controller/reconcile.ts';
import { createEventCorrelator } from '../../../runtime/events/event-correlator.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import type { EventRecorder } from '../../../runtime/events/event-recorder.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import type { WatchRecord } from '../../fakes/memory-cluster.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { FakeCluster } from './cluster-fake.ts';

export { FakeCluster };

interface Informer {
  readonly resource: Resource<KubernetesObject>;
}

/** `object`: `FancySQLInstance team/orders`. */
export interface RecordedEvent extends EventFacts {
  readonly object: string;
}

/** A request in the queue of a process. */
interface Waiting {
  readonly spec: ControllerSpec;
  readonly request: Request;
  readonly dueMs: number;
}

export interface FakeProcessOptions extends Partial<Environment> {
  /** Uniform in [0, 1): chooses which of the waiting requests runs next; without it, the oldest. */
  readonly order?: () => number;
}

/**
 * A process over a cluster: stores fed at once with every change, and the controllers' queues, worked off one
 * run at a time. It lives until it crashes or is stopped; another may then be started over the same cluster.
 */
export class FakeProcess {
  readonly env: Environment;
  /** What was told: the same once in 10 minutes. */
  readonly events: RecordedEvent[] = [];
  /** Who told each of them. */
  readonly eventSources: string[] = [];
  /** What was recorded, as often as it was. */
  readonly recordings: RecordedEvent[] = [];
  readonly #correlator = createEventCorrelator();
  /** What reconcilers threw, conflicts left out. */
  readonly errors: unknown[] = [];
  /** What ended triggers: they wake nobody any more. */
  readonly brokenTriggers: unknown[] = [];
  conflicts = 0;
  runs = 0;
  hasCrashed = false;
  readonly #cluster: FakeCluster;
  readonly #informers = new Map<string, Informer>();
  readonly #held = new Map<string, (() => void)[]>();
  readonly #specs: readonly ControllerSpec[];
  readonly #subscriptions: Subscription[] = [];
  readonly #leaving: (() => void)[] = [];
  readonly #order: () => number;
  #queue: Waiting[] = [];
  readonly #failures = new Map<string, number>();

  constructor(
    cluster: FakeCluster,
    controllers: (env: Environment) => readonly ControllerSpec[] = () => [],
    { order = () => 0, ...given }: FakeProcessOptions = {},
  ) {
    this.#cluster = cluster;
    this.#order = order;
    this.env = {
      client: cluster.client,
      resource: (kind, selection) => this.#resource(kind, selection) as never,
      events: this.#recorder('services-stack'),
      log: recordedLog(),
      clock: {
        ...realClock(),
        now: () => new Date(cluster.clockMs),
        elapsedMs: () => cluster.clockMs,
      },
      random: () => 0.5,
      pollIntervalMs: 60_000,
      maxConcurrentReconciles: 1,
      maxExternalCallsPerSecond: 1e9, // the limiter would wait in real time
      ...given,
    };
    this.#specs = controllers(this.env);
    for (const spec of this.#specs) {
      for (const { requests$: trigger$ } of spec.triggers) {
        this.#subscriptions.push(
          trigger$.subscribe({
            next: (request) => this.enqueue(spec, request),
            error: (error: unknown) => this.brokenTriggers.push(error),
          }),
        );
      }
    }
  }

  /** From now on the store of this kind hears nothing but what this process itself writes and reads. */
  hold(kind: Kind): void {
    this.#held.set(kindKey(kind), []);
  }

  /** The store catches up. */
  release(kind: Kind): void {
    const missed = this.#held.get(kindKey(kind)) ?? [];
    this.#held.delete(kindKey(kind));
    for (const apply of missed) apply();
  }

  enqueue(spec: ControllerSpec, request: Request, delayMs = 0): void {
    const dueMs = this.#cluster.clockMs + delayMs;
    const isSame = (other: Waiting) =>
      other.spec === spec && objectKeyText(other.request) === objectKeyText(request);
    const before = this.#queue.find(isSame);
    if (before !== undefined && before.dueMs <= dueMs) return;
    this.#queue = [...this.#queue.filter((other) => !isSame(other)), { spec, request, dueMs }];
  }

  /** One run of the first controller, outside the queue. */
  async reconcile(request: Request): Promise<Result> {
    const [spec] = this.#specs;
    if (spec === undefined) throw new Error('no controller');
    return spec.reconcile(request, new AbortController().signal, this.env.log);
  }

  /** Asks every controller to look again at everything of these kinds, as a resync does. */
  resync(...kinds: readonly Kind[]): void {
    for (const spec of this.#specs) {
      for (const kind of kinds) {
        for (const { metadata } of this.#cluster.all(kind)) this.enqueue(spec, objectKey(metadata));
      }
    }
  }

  /** Runs whatever is due within `withinMs` of now, delays included, by moving the clock; polls lie beyond. */
  async settle(withinMs = 10_000): Promise<this> {
    const endMs = this.#cluster.clockMs + withinMs;
    for (let runs = 0; !this.hasCrashed; runs += 1) {
      if (runs > 2_000) throw new Error(`does not settle: ${this.#queue.map(({ spec }) => spec.name)}`);
      const next = this.#next(endMs);
      if (next === undefined) return this;
      this.#cluster.clockMs = Math.max(this.#cluster.clockMs, next.dueMs);
      this.#queue = this.#queue.filter((waiting) => waiting !== next);
      await this.#run(next);
    }
    return this;
  }

  stop(): void {
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    for (const leave of this.#leaving) leave();
    this.#queue = [];
  }

  #next(endMs: number): Waiting | undefined {
    const earliestMs = Math.max(this.#cluster.clockMs, Math.min(...this.#queue.map(({ dueMs }) => dueMs)));
    if (earliestMs > endMs) return undefined;
    const due = this.#queue.filter(({ dueMs }) => dueMs <= earliestMs);
    return due[Math.floor(this.#order() * due.length)];
  }

  async #run({ spec, request }: Waiting): Promise<void> {
    this.runs += 1;
    const id = `${spec.name} ${objectKeyText(request)}`;
    try {
      const result = await spec.reconcile(request, new AbortController().signal, this.env.log);
      if (result.type === 'requeue') this.#backOff(id, spec, request);
      else this.#failures.delete(id);
      if (result.type === 'after') this.enqueue(spec, request, result.delayMs);
    } catch (error) {
      if (this.#cluster.stepsLeft <= 0) {
        this.hasCrashed = true;
        this.stop();
      } else if (isConflict(error)) {
        this.conflicts += 1;
        this.enqueue(spec, request, 10);
      } else {
        this.errors.push(error);
        this.#backOff(id, spec, request);
      }
    }
  }

  #backOff(id: string, spec: ControllerSpec, request: Request): void {
    const count = this.#failures.get(id) ?? 0;
    this.#failures.set(id, count + 1);
    this.enqueue(spec, request, (spec.backoff?.baseMs ?? 5) * 2 ** count);
  }

  #recorder(source: string): EventRecorder {
    return {
      record: (object, event) => {
        const recorded = { ...event, object: `${object.kind} ${objectKeyText(objectKey(object.metadata))}` };
        this.recordings.push(recorded);
        if (this.#correlator.observe(object, event, source, this.#cluster.clockMs) === undefined) return;
        this.events.push(recorded);
        this.eventSources.push(source);
      },
      from: (other) => this.#recorder(other),
    };
  }

  #resource(kind: Kind, selection: Selection = {}): Resource<KubernetesObject> {
    const existing = this.#informers.get(kindKey(kind));
    if (existing !== undefined) return existing.resource;
    const store = createStore(kind, { selection, clock: this.env.clock });
    const objects = this.#cluster.all(kind).filter(selects(selection));
    const resourceVersion = `${Math.max(0, ...objects.map(({ metadata }) => Number(metadata.resourceVersion)))}`;
    store.apply({ type: 'restart' });
    store.apply({ type: 'listed', objects, resourceVersion });
    store.apply({ type: 'synced', resourceVersion });
    const informer = { resource: createResource(this.#cluster.client, store) };
    this.#informers.set(kindKey(kind), informer);
    this.#leaving.push(this.#cluster.watch(kind, (record) => this.#feed(kind, store, record), selection));
    return informer.resource;
  }

  #feed(kind: Kind, store: StreamedStore<KubernetesObject>, { type, object }: WatchRecord): void {
    const apply = () => store.apply({ type: type === 'DELETED' ? 'deleted' : 'applied', object });
    const held = this.#held.get(kindKey(kind));
    if (held === undefined) apply();
    else held.push(apply);
  }
}
