import { NEVER } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Environment } from '../../runtime/environment.ts';
import { ApiError } from '../../runtime/errors.ts';
import type { EventFacts } from '../../runtime/event-recorder.ts';
import type { KubernetesClient, Selection } from '../../runtime/kubernetes-client.ts';
import type { Request } from '../../runtime/reconcile.ts';
import { requestKey } from '../../runtime/reconcile.ts';
import type { Resource } from '../../runtime/resource.ts';
import { createResource } from '../../runtime/resource.ts';
import type { StreamedStore } from '../../runtime/store.ts';
import { createStore } from '../../runtime/store.ts';
import { recordedLog } from '../fakes/recorded-log.ts';

type Json = Record<string, unknown>;
type Stored = KubernetesObject & { readonly status?: unknown };

/** A write or read that reached the cluster, in order. */
export interface ApiCall {
  readonly verb: 'get' | 'create' | 'patch' | 'patch status' | 'replace' | 'delete';
  readonly plural: string;
  readonly key: string;
  readonly body?: unknown;
}

/** Decides about a call before it is carried out: throw to refuse it, never settle to cut the process off. */
export type Gate = (call: ApiCall) => Promise<void> | void;

export const conflict = (): ApiError =>
  new ApiError('the object has been modified', { code: 409, reason: 'Conflict' });
export const broken = (): ApiError =>
  new ApiError('etcd is unavailable', { code: 500, reason: 'InternalError' });
const notFound = (name: string): ApiError =>
  new ApiError(`${name} not found`, { code: 404, reason: 'NotFound' });

/** RFC 7386. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result: Json = isObject ? { ...(target as Json) } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/**
 * A cluster in memory: resourceVersions, uids, generations, preconditions, finalizers, status subresource. Every
 * process that looks at it (`process`) has stores of its own, which follow at once unless told to lag.
 */
export class FakeCluster {
  readonly calls: ApiCall[] = [];
  gate: Gate = () => {};
  afterCall: Gate = () => {};
  readonly #objects = new Map<string, Map<string, Stored>>();
  readonly #followers = new Set<(kind: Kind, object: Stored, isGone: boolean) => void>();
  #version = 1_000;
  #uids = 0;

  /** The calls that changed something, or tried to. */
  get writes(): readonly ApiCall[] {
    return this.calls.filter(({ verb }) => verb !== 'get');
  }

  /** `verb plural key` of each write. */
  get writeNames(): readonly string[] {
    return this.writes.map(({ verb, plural, key }) => `${verb} ${plural} ${key}`);
  }

  read<T extends KubernetesObject>(kind: Kind<T>, key: Request): T | undefined {
    return this.#of(kind).get(requestKey(key)) as T | undefined;
  }

  all<T extends KubernetesObject>(kind: Kind<T>): readonly T[] {
    return [...this.#of(kind).values()] as unknown as readonly T[];
  }

  /** Puts an object there without a recorded call, as its author would. */
  seed<T extends KubernetesObject>(kind: Kind<T>, object: T): T {
    const before = this.#of(kind).get(requestKey(object.metadata));
    const metadata = {
      ...object.metadata,
      uid: object.metadata.uid ?? before?.metadata.uid ?? this.#uid(),
      generation: (before?.metadata.generation ?? 0) + 1,
    };
    return this.#put(kind, { ...object, metadata });
  }

  /** Asks for deletion, as kubectl does. */
  remove<T extends KubernetesObject>(kind: Kind<T>, key: Request, at: string): void {
    const found = this.#of(kind).get(requestKey(key));
    if (found === undefined) return;
    if ((found.metadata.finalizers ?? []).length === 0) this.#drop(kind, found);
    else this.#put(kind as Kind, { ...found, metadata: { ...found.metadata, deletionTimestamp: at } });
  }

  client(): KubernetesClient {
    const call = async <R>(facts: ApiCall, effect: () => R): Promise<R> => {
      this.calls.push(facts);
      await this.gate(facts);
      try {
        return effect();
      } finally {
        await this.afterCall(facts);
      }
    };
    return {
      get: (kind, key) =>
        call({ verb: 'get', plural: kind.plural, key: requestKey(key) }, () => this.#get(kind, key)),
      list: async (kind) => ({ items: this.all(kind), resourceVersion: String(this.#version) }),
      watch: () => NEVER,
      create: (kind, object) =>
        call({ verb: 'create', plural: kind.plural, key: requestKey(object.metadata), body: object }, () =>
          this.#create(kind, object),
        ),
      patch: (kind, key, patch, options) =>
        call(
          {
            verb: options?.subresource === 'status' ? 'patch status' : 'patch',
            plural: kind.plural,
            key: requestKey(key),
            body: patch,
          },
          () => this.#patch(kind, key, patch as Json, options?.subresource === 'status'),
        ),
      apply: () => Promise.reject(new Error('not used')),
      replace: () => Promise.reject(new Error('not used')),
      delete: (kind, key, { uid, resourceVersion }) =>
        call({ verb: 'delete', plural: kind.plural, key: requestKey(key) }, () => {
          const found = this.#get(kind, key);
          if (uid !== undefined && uid !== found.metadata.uid) throw conflict();
          if (resourceVersion !== undefined && resourceVersion !== found.metadata.resourceVersion)
            throw conflict();
          this.remove(kind, key, '2026-01-02T03:04:05Z');
        }),
    };
  }

  /** What a controller process is given, with stores that hold what the cluster holds now. */
  process(options: Partial<Environment> = {}): FakeProcess {
    const client = this.client();
    const resources = new Map<
      string,
      { store: StreamedStore<KubernetesObject>; resource: Resource<KubernetesObject> }
    >();
    const events: (EventFacts & { readonly name: string })[] = [];
    const state = { isLagging: false };
    const version = () => String(this.#version);
    const resource = <T extends KubernetesObject>(kind: Kind<T>, selection?: Selection): Resource<T> => {
      let entry = resources.get(kindKey(kind));
      if (entry === undefined) {
        const store = createStore(kind, selection === undefined ? {} : { selection });
        store.apply({ type: 'restart' } as Parameters<typeof store.apply>[0]);
        store.apply({ type: 'listed', objects: this.all(kind), resourceVersion: version() });
        store.apply({ type: 'synced', resourceVersion: version() });
        entry = {
          store: store as unknown as StreamedStore<KubernetesObject>,
          resource: createResource(client, store) as unknown as Resource<KubernetesObject>,
        };
        resources.set(kindKey(kind), entry);
      }
      return entry.resource as unknown as Resource<T>;
    };
    this.#followers.add((kind, object, isGone) => {
      if (state.isLagging) return;
      resources.get(kindKey(kind))?.store.apply({ type: isGone ? 'deleted' : 'applied', object });
    });
    const environment: Environment = {
      client,
      resource,
      events: { record: ({ metadata }, facts) => events.push({ ...facts, name: metadata.name }) },
      log: recordedLog(),
      now: () => new Date('2026-01-02T03:04:05Z'),
      random: () => 0.5,
      pollIntervalMs: 60_000,
      maxConcurrentReconciles: 10,
      ...options,
    };
    return { env: environment, events, state };
  }

  #of(kind: Kind): Map<string, Stored> {
    let objects = this.#objects.get(kindKey(kind));
    if (objects === undefined) {
      objects = new Map();
      this.#objects.set(kindKey(kind), objects);
    }
    return objects;
  }

  #uid(): string {
    this.#uids += 1;
    return `uid-${this.#uids}`;
  }

  #put<T extends KubernetesObject>(kind: Kind<T>, object: T): T {
    this.#version += 1;
    const stored = {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(this.#version) },
    };
    this.#of(kind).set(requestKey(object.metadata), stored);
    for (const follow of this.#followers) follow(kind, stored, false);
    return stored;
  }

  #drop(kind: Kind, object: Stored): void {
    this.#version += 1;
    this.#of(kind).delete(requestKey(object.metadata));
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    for (const follow of this.#followers) follow(kind, last, true);
  }

  #get<T extends KubernetesObject>(kind: Kind<T>, key: Request): T {
    const found = this.#of(kind).get(requestKey(key));
    if (found === undefined) throw notFound(`${kind.plural} ${requestKey(key)}`);
    return found as unknown as T;
  }

  #create<T extends KubernetesObject>(kind: Kind<T>, object: T): T {
    if (this.#of(kind).has(requestKey(object.metadata))) {
      throw new ApiError('already exists', { code: 409, reason: 'AlreadyExists' });
    }
    return this.#put(kind, { ...object, metadata: { ...object.metadata, uid: this.#uid(), generation: 1 } });
  }

  #patch<T extends KubernetesObject>(kind: Kind<T>, key: Request, patch: Json, isStatus: boolean): T {
    const found = this.#get(kind, key) as unknown as Stored;
    const { resourceVersion } = (patch.metadata ?? {}) as { readonly resourceVersion?: string };
    if (resourceVersion !== undefined && resourceVersion !== found.metadata.resourceVersion) throw conflict();
    const after = merged(found, patch) as Stored;
    const isSpecChanged =
      JSON.stringify({ ...after, metadata: 0, status: 0 }) !==
      JSON.stringify({ ...found, metadata: 0, status: 0 });
    const generation = (found.metadata.generation ?? 0) + (isSpecChanged && !isStatus ? 1 : 0);
    const next = (
      isStatus
        ? { ...found, status: after.status }
        : {
            ...after,
            metadata: { ...after.metadata, generation },
            ...(found.status === undefined ? {} : { status: found.status }),
          }
    ) as Stored;
    if (next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0) {
      this.#drop(kind, next);
      return next as unknown as T;
    }
    return this.#put(kind as Kind, next) as unknown as T;
  }
}

/** One controller process over a fake cluster. */
export interface FakeProcess {
  readonly env: Environment;
  readonly events: readonly (EventFacts & { readonly name: string })[];
  /** While it lags, the stores hear of nothing but the process's own writes. */
  readonly state: { isLagging: boolean };
}
