import isEqual from 'lodash/isEqual.js';
import type { Subscription } from 'rxjs';
import { NEVER } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf, kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { ControllerSpec } from '../../runtime/controller-spec.ts';
import type { Environment } from '../../runtime/environment.ts';
import { ApiError, isConflict } from '../../runtime/errors.ts';
import type { EventFacts } from '../../runtime/event-recorder.ts';
import type { KubernetesClient, Selection } from '../../runtime/kubernetes-client.ts';
import type { Request, Result } from '../../runtime/reconcile.ts';
import { requestFor, requestKey } from '../../runtime/reconcile.ts';
import type { Resource } from '../../runtime/resource.ts';
import { createResource } from '../../runtime/resource.ts';
import { selects } from '../../runtime/selection.ts';
import type { StreamedStore } from '../../runtime/store.ts';
import { createStore } from '../../runtime/store.ts';
import { recordedLog } from '../fakes/recorded-log.ts';

type Json = Readonly<Record<string, unknown>>;
type Stored = KubernetesObject & { readonly status?: unknown };
export type Verb = 'get' | 'create' | 'update' | 'updateStatus' | 'delete';

/** One successful write, in order: `create Secret team/conn`. */
export interface Write {
  readonly verb: Verb;
  readonly kind: string;
  readonly key: string;
}

/** The process died: nothing after this call happened. */
export class Crash extends Error {}

export const conflict = () => new ApiError('the object has been modified', { code: 409, reason: 'Conflict' });
export const forbidden = (message = 'denied by a webhook') =>
  new ApiError(message, { code: 403, reason: 'Forbidden' });
const notFound = (what: string) => new ApiError(`${what} not found`, { code: 404, reason: 'NotFound' });
const alreadyExists = (what: string) =>
  new ApiError(`${what} already exists`, { code: 409, reason: 'AlreadyExists' });

/** RFC 7386. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

interface Hook {
  readonly verb: Verb;
  readonly kind: string;
  readonly act: () => void;
  left: number;
}

/**
 * What outlives a process: the objects of an API server, in memory, with resourceVersions, generations,
 * finalizers and status subresources; and the clock. Writes are recorded in order. Calls can be made to fail,
 * to meet somebody else's change, or to be the last thing the process does.
 */
export class FakeCluster {
  readonly writes: Write[] = [];
  readonly client: KubernetesClient;
  /** Milliseconds since the epoch. */
  clockMs = Date.parse('2026-01-02T03:04:05Z');
  /** How many more writes (and external calls) the process survives. */
  stepsLeft = Number.POSITIVE_INFINITY;
  readonly #objects = new Map<string, Stored>();
  readonly #listeners = new Set<(kind: string, object: Stored, isDeleted: boolean) => void>();
  #hooks: Hook[] = [];
  #version = 100;
  #uids = 0;

  constructor() {
    this.client = {
      get: async (kind, key) => {
        this.#enter('get', kind);
        return this.#find(kind, key) as never;
      },
      create: async (kind, object) => {
        this.#enter('create', kind);
        const created = this.#create(kind, object);
        this.#leave('create', kind, created);
        return created as never;
      },
      patch: async (kind, key, patch, options) => {
        const verb = options?.subresource === 'status' ? 'updateStatus' : 'update';
        this.#enter(verb, kind);
        const patched = this.#patch(kind, key, patch as Json, verb);
        this.#leave(verb, kind, patched);
        return patched as never;
      },
      delete: async (kind, key, { uid, resourceVersion }) => {
        this.#enter('delete', kind);
        const current = this.#find(kind, key);
        const { metadata } = current;
        const isOther = (given: string | undefined, actual: string | undefined) =>
          given !== undefined && given !== actual;
        if (isOther(uid, metadata.uid) || isOther(resourceVersion, metadata.resourceVersion))
          throw conflict();
        this.#delete(kind, current);
        this.#leave('delete', kind, current);
      },
      list: () => Promise.reject(new Error('stores are fed directly')),
      watch: () => NEVER,
      apply: () => Promise.reject(new Error('nobody applies')),
      replace: () => Promise.reject(new Error('nobody replaces')),
    };
  }

  /** Somebody else's create or replace, with the status as given. Returns the stored object. */
  put<T extends KubernetesObject>(kind: Kind<T>, object: T): T {
    const key = this.#key(kind, requestFor(object.metadata));
    const before = this.#objects.get(key);
    const metadata = {
      ...object.metadata,
      uid: object.metadata.uid ?? before?.metadata.uid ?? this.#nextUid(),
      creationTimestamp: object.metadata.creationTimestamp ?? this.#timestamp(),
      generation: (before?.metadata.generation ?? 0) + 1,
    };
    return this.#store(kind, { ...object, metadata }) as unknown as T;
  }

  /** Somebody else's change. */
  edit<T extends KubernetesObject>(kind: Kind<T>, key: Request, change: (object: T) => T): T {
    const current = this.get(kind, key);
    if (current === undefined) throw notFound(`${kind.kind} ${requestKey(key)}`);
    return this.put(kind, change(current));
  }

  /** Somebody else's `kubectl delete`: finalizers hold. */
  delete(kind: Kind, key: Request): void {
    this.#delete(kind, this.#find(kind, key));
  }

  get<T extends KubernetesObject>(kind: Kind<T>, key: Request): T | undefined {
    return this.#objects.get(this.#key(kind, key)) as unknown as T | undefined;
  }

  /** The writes so far, one line each; forgets them. */
  takeWrites(): readonly string[] {
    return this.writes.splice(0).map(({ verb, kind, key }) => `${verb} ${kind} ${key}`);
  }

  all<T extends KubernetesObject>(kind: Kind<T>): readonly T[] {
    const prefix = `${kindKey(kind)}|`;
    return [...this.#objects].flatMap(([key, object]) =>
      key.startsWith(prefix) ? [object as unknown as T] : [],
    );
  }

  /** Runs `act` before the next `times` calls of this verb and kind are answered. It may throw their answer. */
  before(verb: Verb, kind: Kind, act: () => void, times = 1): void {
    this.#hooks.push({ verb, kind: kind.kind, act, left: times });
  }

  /** Counts a call to the outside as a step, so that a crash can come right after it. */
  step(): void {
    this.stepsLeft -= 1;
    if (this.stepsLeft <= 0) throw new Crash();
  }

  onChange(listener: (kind: string, object: Stored, isDeleted: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #enter(verb: Verb, kind: Kind): void {
    if (this.stepsLeft <= 0) throw new Crash();
    for (const hook of [...this.#hooks]) {
      if (hook.verb !== verb || hook.kind !== kind.kind) continue;
      hook.left -= 1;
      if (hook.left <= 0) this.#hooks = this.#hooks.filter((other) => other !== hook);
      hook.act();
    }
  }

  #leave(verb: Verb, kind: Kind, object: Stored): void {
    this.writes.push({ verb, kind: kind.kind, key: requestKey(requestFor(object.metadata)) });
    this.step();
  }

  #key = (kind: Kind, key: Request): string => `${kindKey(kind)}|${requestKey(key)}`;
  #nextUid = (): string => `uid-${++this.#uids}`;
  #timestamp = (): string => new Date(this.clockMs).toISOString().replace(/\.\d+Z$/, 'Z');

  #find(kind: Kind, key: Request): Stored {
    const found = this.#objects.get(this.#key(kind, key));
    if (found === undefined) throw notFound(`${kind.kind} ${requestKey(key)}`);
    return found;
  }

  #create(kind: Kind, object: KubernetesObject): Stored {
    const key = requestFor(object.metadata);
    if (this.#objects.has(this.#key(kind, key))) throw alreadyExists(`${kind.kind} ${requestKey(key)}`);
    const { status: _status, ...rest } = object as Stored;
    const metadata = {
      ...object.metadata,
      uid: this.#nextUid(),
      generation: 1,
      creationTimestamp: this.#timestamp(),
    };
    return this.#store(kind, { ...rest, metadata });
  }

  #patch(kind: Kind, key: Request, patch: Json, verb: Verb): Stored {
    const current = this.#find(kind, key);
    const { metadata, status, ...rest } = patch;
    const { resourceVersion, ...own } = (metadata ?? {}) as Json;
    if (resourceVersion !== undefined && resourceVersion !== current.metadata.resourceVersion)
      throw conflict();
    const wanted =
      verb === 'updateStatus'
        ? (merged(current, { status: status ?? {} }) as Stored)
        : (merged(current, { ...rest, metadata: own }) as Stored);
    if (isEqual(wanted, current)) return current;
    const { metadata: _m, status: _s, ...before } = current;
    const { metadata: _n, status: _t, ...after } = wanted;
    const generation = (current.metadata.generation ?? 0) + (isEqual(before, after) ? 0 : 1);
    return this.#store(kind, { ...wanted, metadata: { ...wanted.metadata, generation } });
  }

  #delete(kind: Kind, current: Stored): void {
    if (!current.metadata.finalizers?.length) {
      this.#objects.delete(this.#key(kind, requestFor(current.metadata)));
      const metadata = { ...current.metadata, resourceVersion: `${++this.#version}` };
      this.#tell(kind, { ...current, metadata }, true);
    } else if (current.metadata.deletionTimestamp === undefined) {
      this.#store(kind, {
        ...current,
        metadata: { ...current.metadata, deletionTimestamp: this.#timestamp() },
      });
    }
  }

  /** Stores with a new resourceVersion; an object being deleted goes with its last finalizer. */
  #store(kind: Kind, object: Stored): Stored {
    const metadata = { ...object.metadata, resourceVersion: `${++this.#version}` };
    const stored = { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
    const isGone = metadata.deletionTimestamp !== undefined && !metadata.finalizers?.length;
    if (isGone) this.#objects.delete(this.#key(kind, requestFor(metadata)));
    else this.#objects.set(this.#key(kind, requestFor(metadata)), stored);
    this.#tell(kind, stored, isGone);
    return stored;
  }

  #tell(kind: Kind, object: Stored, isDeleted: boolean): void {
    for (const listener of [...this.#listeners]) listener(kindKey(kind), object, isDeleted);
  }
}

interface Informer {
  readonly resource: Resource<KubernetesObject>;
  readonly store: StreamedStore<KubernetesObject>;
  readonly isSelected: (object: KubernetesObject) => boolean;
}

export interface RecordedEvent extends EventFacts {
  readonly object: string;
}

/** A request in the queue of a process. */
interface Waiting {
  readonly spec: ControllerSpec;
  readonly request: Request;
  readonly dueMs: number;
}

/**
 * A process over a cluster: stores fed at once with every change, and the controllers' queues, worked off one
 * run at a time. It lives until it crashes or is stopped; another may then be started over the same cluster.
 */
export class FakeProcess {
  readonly env: Environment;
  readonly events: RecordedEvent[] = [];
  /** What reconcilers threw, conflicts left out. */
  readonly errors: unknown[] = [];
  conflicts = 0;
  runs = 0;
  hasCrashed = false;
  readonly #cluster: FakeCluster;
  readonly #informers = new Map<string, Informer>();
  readonly #held = new Map<string, (() => void)[]>();
  readonly #specs: readonly ControllerSpec[];
  readonly #subscriptions: Subscription[] = [];
  readonly #leave: () => void;
  readonly #random: () => number;
  #queue: Waiting[] = [];
  readonly #failures = new Map<string, number>();

  /** `random` chooses which of the waiting requests runs next; without it, the oldest. */
  constructor(
    cluster: FakeCluster,
    controllers: (env: Environment) => readonly ControllerSpec[],
    { random = () => 0, ...given }: Partial<Pick<Environment, 'claimNamespace' | 'random'>> = {},
  ) {
    this.#cluster = cluster;
    this.#random = random;
    this.env = {
      client: cluster.client,
      resource: (kind, selection) => this.#resource(kind, selection) as never,
      events: {
        record: (object, event) => {
          const object_ = `${object.kind} ${requestKey(requestFor(object.metadata))}`;
          this.events.push({ ...event, object: object_ });
        },
      },
      log: recordedLog(),
      now: () => new Date(cluster.clockMs),
      random: () => 0.5,
      pollIntervalMs: 60_000,
      maxConcurrentReconciles: 1,
      maxExternalCallsPerSecond: 1e9, // the limiter would wait in real time
      ...given,
    };
    this.#leave = cluster.onChange((kind, object, isDeleted) => this.#feed(kind, object, isDeleted));
    this.#specs = controllers(this.env);
    for (const spec of this.#specs) {
      for (const trigger$ of spec.triggers) {
        this.#subscriptions.push(trigger$.subscribe((request) => this.enqueue(spec, request)));
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
      other.spec === spec && requestKey(other.request) === requestKey(request);
    const before = this.#queue.find(isSame);
    if (before !== undefined && before.dueMs <= dueMs) return;
    this.#queue = [...this.#queue.filter((other) => !isSame(other)), { spec, request, dueMs }];
  }

  /** One run of the first controller, outside the queue. */
  async reconcile(request: Request): Promise<Result> {
    const [spec] = this.#specs;
    if (spec === undefined) throw new Error('no controller');
    return spec.reconcile(request, new AbortController().signal);
  }

  /** Asks every controller to look again at everything of these kinds, as a resync does. */
  resync(...kinds: readonly Kind[]): void {
    for (const spec of this.#specs) {
      for (const kind of kinds) {
        for (const { metadata } of this.#cluster.all(kind)) this.enqueue(spec, requestFor(metadata));
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
    this.#leave();
    this.#queue = [];
  }

  #next(endMs: number): Waiting | undefined {
    const earliestMs = Math.max(this.#cluster.clockMs, Math.min(...this.#queue.map(({ dueMs }) => dueMs)));
    if (earliestMs > endMs) return undefined;
    const due = this.#queue.filter(({ dueMs }) => dueMs <= earliestMs);
    return due[Math.floor(this.#random() * due.length)];
  }

  async #run({ spec, request }: Waiting): Promise<void> {
    this.runs += 1;
    const id = `${spec.name} ${requestKey(request)}`;
    try {
      const result = await spec.reconcile(request, new AbortController().signal);
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

  #resource(kind: Kind, selection: Selection = {}): Resource<KubernetesObject> {
    const existing = this.#informers.get(kindKey(kind));
    if (existing !== undefined) return existing.resource;
    const store = createStore(kind, { selection });
    const isSelected = selects(selection);
    const objects = this.#cluster.all(kind).filter(isSelected);
    const resourceVersion = `${Math.max(0, ...objects.map(({ metadata }) => Number(metadata.resourceVersion)))}`;
    store.apply({ type: 'restart' });
    store.apply({ type: 'listed', objects, resourceVersion });
    store.apply({ type: 'synced', resourceVersion });
    const informer = { resource: createResource(this.#cluster.client, store), store, isSelected };
    this.#informers.set(kindKey(kind), informer);
    return informer.resource;
  }

  #feed(kind: string, object: KubernetesObject, isDeleted: boolean): void {
    const informer = this.#informers.get(kind);
    if (informer === undefined) return;
    // What leaves a selection is told as deleted, as the API server does.
    const isGone = isDeleted || !informer.isSelected(object);
    const apply = () => informer.store.apply({ type: isGone ? 'deleted' : 'applied', object });
    const held = this.#held.get(kind);
    if (held === undefined) apply();
    else held.push(apply);
  }
}
