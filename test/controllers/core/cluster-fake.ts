import isEqual from 'lodash/isEqual.js';
import { NEVER } from 'rxjs';
import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf, kindKey, objectKey, objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import { ApiError } from '../../../runtime/client/errors.ts';
import type { KubernetesClient } from '../../../runtime/client/kubernetes-client.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import { admit, isDefinition } from '../../fakes/admission.ts';

type Json = Readonly<Record<string, unknown>>;
type Stored = KubernetesObject & { readonly status?: unknown };
export type Verb = 'get' | 'create' | 'update' | 'updateStatus' | 'delete';

/** A call that reached the cluster. */
export interface ApiCall {
  readonly verb: Verb;
  readonly kind: string;
  readonly key: string;
}

/** Decides about a call before it is carried out: throw to refuse it, never settle to cut the process off. */
export type Gate = (call: ApiCall) => Promise<void> | void;

/** The process died: nothing after this call happened. */
export class Crash extends Error {}

export const conflict = () => new ApiError('the object has been modified', { code: 409, reason: 'Conflict' });
export const broken = () => new ApiError('etcd is unavailable', { code: 500, reason: 'InternalError' });
export const forbidden = (message = 'denied by a webhook') =>
  new ApiError(message, { code: 403, reason: 'Forbidden' });
const notFound = (what: string) => new ApiError(`${what} not found`, { code: 404, reason: 'NotFound' });
const alreadyExists = (what: string) =>
  new ApiError(`${what} already exists`, { code: 409, reason: 'AlreadyExists' });

const invalid = (message: string) => new ApiError(message, { code: 422, reason: 'Invalid' });

/** The object as it may be stored, where there is a definition of its kind. Throws what schema or rules refuse. */
function admitted(kind: Kind, object: KubernetesObject, before?: KubernetesObject): Stored {
  if (!isDefinition(kind)) return object;
  const verdict = admit(kind, object, before);
  if ('object' in verdict) return verdict.object;
  throw invalid(verdict.message);
}

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
 * finalizers, status subresources, schemas and rules; and the clock. Calls are recorded in order, and can be made to fail, to meet
 * somebody else's change, or to be the last thing the process does.
 */
export class FakeCluster {
  /** Every call, refused ones too. */
  readonly calls: ApiCall[] = [];
  /** Those that were carried out and are no reads. */
  readonly writes: ApiCall[] = [];
  gate: Gate = () => {};
  /** The same, after the call took effect. */
  afterCall: Gate = () => {};
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
      serverVersion: () => Promise.resolve({ major: 1, minor: 36 }),
      get: (kind, key) => this.#call('get', kind, key, () => this.#find(kind, key) as never),
      create: (kind, object) =>
        this.#call('create', kind, objectKey(object.metadata), () => this.#create(kind, object) as never),
      patch: (kind, key, patch, options) => {
        const verb = options?.subresource === 'status' ? 'updateStatus' : 'update';
        return this.#call(verb, kind, key, () => this.#patch(kind, key, patch as Json, verb) as never);
      },
      delete: (kind, key, { uid, resourceVersion }) =>
        this.#call('delete', kind, key, () => {
          const current = this.#find(kind, key);
          const { metadata } = current;
          const isOther = (given: string | undefined, actual: string | undefined) =>
            given !== undefined && given !== actual;
          if (isOther(uid, metadata.uid) || isOther(resourceVersion, metadata.resourceVersion))
            throw conflict();
          this.#delete(kind, current);
        }),
      list: () => Promise.reject(new Error('stores are fed directly')),
      watch: () => NEVER,
      apply: () => Promise.reject(new Error('nobody applies')),
      replace: () => Promise.reject(new Error('nobody replaces')),
    };
  }

  /** Somebody else's create or replace, with the status as given. Returns the stored object. */
  put<T extends KubernetesObject>(kind: Kind<T>, object: T): T {
    const key = this.#key(kind, objectKey(object.metadata));
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
    if (current === undefined) throw notFound(`${kind.kind} ${objectKeyText(key)}`);
    return this.put(kind, change(current));
  }

  /** Somebody else's `kubectl delete`, at that time: finalizers hold. What is gone already is no error. */
  delete(kind: Kind, key: Request, at = this.#timestamp()): void {
    const current = this.get(kind, key);
    if (current !== undefined) this.#delete(kind, current, at);
  }

  get<T extends KubernetesObject>(kind: Kind<T>, key: Request): T | undefined {
    return this.#objects.get(this.#key(kind, key)) as unknown as T | undefined;
  }

  /** The writes so far, one line each: `create Secret team/conn`. */
  get writeNames(): readonly string[] {
    return this.writes.map(({ verb, kind, key }) => `${verb} ${kind} ${key}`);
  }

  /** The same; forgets them. */
  takeWrites(): readonly string[] {
    const names = this.writeNames;
    this.writes.length = 0;
    return names;
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

  async #call<R>(verb: Verb, kind: Kind, key: Request, effect: () => R): Promise<R> {
    const call = { verb, kind: kind.kind, key: objectKeyText(key) };
    this.calls.push(call);
    await this.gate(call);
    this.#meet(verb, kind);
    try {
      const result = effect();
      if (verb !== 'get') {
        this.writes.push(call);
        this.step();
      }
      return result;
    } finally {
      await this.afterCall(call);
    }
  }

  #meet(verb: Verb, kind: Kind): void {
    if (this.stepsLeft <= 0) throw new Crash();
    for (const hook of [...this.#hooks]) {
      if (hook.verb !== verb || hook.kind !== kind.kind) continue;
      hook.left -= 1;
      if (hook.left <= 0) this.#hooks = this.#hooks.filter((other) => other !== hook);
      hook.act();
    }
  }

  #key = (kind: Kind, key: Request): string => `${kindKey(kind)}|${objectKeyText(key)}`;
  #nextUid = (): string => `uid-${++this.#uids}`;
  #timestamp = (): string => new Date(this.clockMs).toISOString().replace(/\.\d+Z$/, 'Z');

  #find(kind: Kind, key: Request): Stored {
    const found = this.#objects.get(this.#key(kind, key));
    if (found === undefined) throw notFound(`${kind.kind} ${objectKeyText(key)}`);
    return found;
  }

  #create(kind: Kind, object: KubernetesObject): Stored {
    const key = objectKey(object.metadata);
    if (this.#objects.has(this.#key(kind, key))) throw alreadyExists(`${kind.kind} ${objectKeyText(key)}`);
    const { status: _status, ...rest } = object as Stored;
    const metadata = {
      ...object.metadata,
      uid: this.#nextUid(),
      generation: 1,
      creationTimestamp: this.#timestamp(),
    };
    return this.#store(kind, admitted(kind, { ...rest, metadata }));
  }

  #patch(kind: Kind, key: Request, patch: Json, verb: Verb): Stored {
    const current = this.#find(kind, key);
    const { metadata, status, ...rest } = patch;
    const { resourceVersion, ...own } = (metadata ?? {}) as Json;
    if (resourceVersion !== undefined && resourceVersion !== current.metadata.resourceVersion)
      throw conflict();
    const patched =
      verb === 'updateStatus'
        ? merged(current, { status: status ?? {} })
        : merged(current, { ...rest, metadata: own });
    const wanted = admitted(kind, patched as Stored, current);
    if (isEqual(wanted, current)) return current;
    const { metadata: _m, status: _s, ...before } = current;
    const { metadata: _n, status: _t, ...after } = wanted;
    const generation = (current.metadata.generation ?? 0) + (isEqual(before, after) ? 0 : 1);
    return this.#store(kind, { ...wanted, metadata: { ...wanted.metadata, generation } });
  }

  #delete(kind: Kind, current: Stored, at = this.#timestamp()): void {
    if (!current.metadata.finalizers?.length) {
      this.#objects.delete(this.#key(kind, objectKey(current.metadata)));
      const metadata = { ...current.metadata, resourceVersion: `${++this.#version}` };
      this.#tell(kind, { ...current, metadata }, true);
    } else if (current.metadata.deletionTimestamp === undefined) {
      this.#store(kind, { ...current, metadata: { ...current.metadata, deletionTimestamp: at } });
    }
  }

  /** Stores with a new resourceVersion; an object being deleted goes with its last finalizer. */
  #store(kind: Kind, object: Stored): Stored {
    const metadata = { ...object.metadata, resourceVersion: `${++this.#version}` };
    const stored = { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
    const isGone = metadata.deletionTimestamp !== undefined && !metadata.finalizers?.length;
    if (isGone) this.#objects.delete(this.#key(kind, objectKey(metadata)));
    else this.#objects.set(this.#key(kind, objectKey(metadata)), stored);
    this.#tell(kind, stored, isGone);
    return stored;
  }

  #tell(kind: Kind, object: Stored, isDeleted: boolean): void {
    for (const listener of [...this.#listeners]) listener(kindKey(kind), object, isDeleted);
  }
}
