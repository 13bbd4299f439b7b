import isEqual from 'lodash/isEqual.js';
import type { Kind, KubernetesObject, ObjectKey, ObjectMeta } from '../apis/core/v1alpha1/kind.ts';
import { apiVersionOf, objectKey, objectKeyText } from '../apis/core/v1alpha1/kind.ts';
import { timestamp } from '../apis/core/v1alpha1/timestamp.ts';
import { selects } from '../runtime/cache/selection.ts';
import { ApiError } from '../runtime/client/errors.ts';
import { fieldManager } from '../runtime/client/http-request.ts';
import type { ListOptions, ListPage, Selection } from '../runtime/client/kubernetes-client.ts';
import type { Clock } from '../runtime/time/clock.ts';
import type { ManagedFields } from './field-tracking.ts';
import { createFieldTracking } from './field-tracking.ts';
import { merged } from './merged.ts';

type Json = Readonly<Record<string, unknown>>;
export type Stored = KubernetesObject & { readonly status?: unknown };

/** A change, as a watch delivers it. */
export interface WatchRecord {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored;
}

interface Change {
  readonly version: number;
  readonly collection: string;
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
}

/** A change of an object; undefined: the object did not or does not exist. */
export type Witness = (kind: Kind, before: Stored | undefined, after: Stored | undefined) => void;

interface Listener {
  readonly collection: string;
  readonly tell: (change: Change) => void;
}

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

const nameOf = ({ plural, group }: Kind): string => (group === '' ? plural : `${plural}.${group}`);
export const refusal = (code: number, reason: string, message: string) =>
  new ApiError(message, { code, reason });

/** The API server's answer to a write from an outdated version of `what`. */
export function conflict(what?: string): ApiError {
  const subject = what === undefined ? '' : `Operation cannot be fulfilled on ${what}: `;
  return refusal(409, 'Conflict', `${subject}the object has been modified`);
}

/** The value after JSON serialisation. */
const overTheWire = <T>(body: T): T => JSON.parse(JSON.stringify(body)) as T;

/** The object as it is stored. Throws ApiError if the schema or a rule refuses it. */
export type Admission = (kind: Kind, object: Stored, before?: Stored) => Stored;

/** The part of an object whose change increases the generation. */
function wished({ metadata: _m, status: _s, apiVersion: _v, kind: _k, ...rest }: Stored): object {
  return rest;
}

/**
 * An API server in memory: objects with resourceVersions, generations, finalizers and status subresources; admission,
 * preconditions, pages, and a history from which watches resume. `inProcessClient` is its client. Refusals are thrown as
 * ApiError.
 */
export class MemoryCluster {
  readonly #now: Clock['now'];
  readonly #admitted: Admission;
  readonly #objects = new Map<string, Stored>();
  readonly #tracking = createFieldTracking();
  /** The version of the last change of each collection, as in its watch cache. */
  readonly #collectionVersions = new Map<string, number>();
  readonly #listeners = new Set<Listener>();
  readonly #witnesses: Witness[] = [];
  #history: Change[] = [];
  #version = 100;
  #oldest = 0;
  #uids = 0;
  #tokensToExpire = 0;

  /**
   * `now` dates creations and deletions. Without `admit`, definitions are those of an older release, without schemas,
   * which accept every object.
   */
  constructor(
    now: Clock['now'] = () => new Date('2026-01-01T00:00:00Z'),
    { admit = (_kind, object) => object }: { readonly admit?: Admission } = {},
  ) {
    this.#now = now;
    this.#admitted = admit;
  }

  // The requests of the API.

  get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): T {
    return this.#existing(kind, key) as unknown as T;
  }

  create(kind: Kind, given: KubernetesObject): Stored {
    const { status: _, ...object } = overTheWire(given) as Stored;
    const { generateName } = object.metadata;
    const name = object.metadata.name ?? `${generateName}${(++this.#uids).toString(36).padStart(5, 'x')}`;
    const key = { ...object.metadata, name };
    if (this.find(kind, key) !== undefined) {
      throw refusal(409, 'AlreadyExists', `${nameOf(kind)} "${name}" already exists`);
    }
    const { managedFields: _m, ...own } = object.metadata as ObjectMeta & {
      readonly managedFields?: unknown;
    };
    const metadata = { ...own, ...this.#born(), name, generation: 1 };
    const created = this.#admitted(kind, { ...object, metadata });
    this.#tracking.begin(metadata.uid, ours);
    return this.#store(kind, undefined, created);
  }

  /** A JSON merge patch. */
  patch(kind: Kind, key: ObjectKey, patch: object, subresource?: 'status'): Stored {
    const current = this.#existing(kind, key);
    const body = overTheWire(patch) as Json;
    return this.#write(kind, current, merged(current, body) as Stored, {
      precondition: versionIn(body),
      subresource,
    });
  }

  replace(kind: Kind, given: KubernetesObject, subresource?: 'status'): Stored {
    const object = overTheWire(given);
    const current = this.#existing(kind, object.metadata);
    return this.#write(kind, current, object, { precondition: versionIn(object), subresource });
  }

  /** A server-side apply without conflicts. */
  apply(kind: Kind, key: ObjectKey, fields: object, manager = fieldManager): Stored {
    const current = this.find(kind, key);
    const wanted = merged(current ?? { metadata: objectKey(key) }, overTheWire(fields)) as Stored;
    if (current === undefined) return this.create(kind, wanted);
    return this.#write(kind, current, wanted, { by: { manager, operation: 'Apply' } });
  }

  /** An object as the API returns it, with its field managers. */
  shown<T extends KubernetesObject>(object: T): T {
    return this.#tracking.shown(object);
  }

  /** The object that remains because of its finalizers; undefined if it was deleted at once. */
  delete(kind: Kind, key: ObjectKey, preconditions: Preconditions = {}): Stored | undefined {
    const current = this.#existing(kind, key);
    for (const field of ['uid', 'resourceVersion'] as const) {
      const wanted = preconditions[field];
      const actual = current.metadata[field];
      if (wanted !== undefined && wanted !== actual) {
        const message = `Precondition failed: ${field} in precondition: ${wanted}, in object meta: ${actual}`;
        throw conflict(`${nameOf(kind)} "${key.name}": ${message}`);
      }
    }
    return this.leave(kind, key);
  }

  list<T extends KubernetesObject>(kind: Kind<T>, options: ListOptions): ListPage<T> {
    const isWanted = selects(options);
    const collection = this.#collection(kind);
    const all = this.#in(collection)
      .filter(([, object]) => isWanted(object))
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    const current =
      options.resourceVersion === '0'
        ? String(this.#collectionVersions.get(collection) ?? this.#oldest)
        : this.resourceVersion;
    const [version = current, after] = options.continueToken?.split('~') ?? [];
    if (options.continueToken !== undefined && this.#tokensToExpire > 0) {
      this.#tokensToExpire -= 1;
      throw refusal(410, 'Expired', 'The provided continue parameter is too old');
    }
    const rest = after === undefined ? all : all.filter(([key]) => key > after);
    const page = options.limit === undefined ? rest : rest.slice(0, options.limit);
    return {
      items: page.map(([, object]) => object as unknown as T),
      resourceVersion: version,
      ...(page.length < rest.length && { continueToken: `${version}~${page.at(-1)?.[0]}` }),
    };
  }

  /**
   * Delivers every change of selected objects since a version, past ones at once. Returns the function that ends it. An
   * object that enters the selection is ADDED; one that leaves it is DELETED.
   */
  watch(
    kind: Kind,
    { resourceVersion, ...selection }: Selection & { readonly resourceVersion: string },
    tell: (record: WatchRecord) => void,
  ): () => void {
    const since = Number(resourceVersion);
    if (since < this.#oldest) {
      throw refusal(410, 'Expired', `too old resource version: ${since} (${this.#oldest})`);
    }
    const isWanted = selects(selection);
    const listener: Listener = {
      collection: this.#collection(kind),
      tell({ before, after }) {
        const was = before !== undefined && isWanted(before);
        const is = after !== undefined && isWanted(after);
        if (is) tell({ type: was ? 'MODIFIED' : 'ADDED', object: after });
        else if (was) tell({ type: 'DELETED', object: before });
      },
    };
    for (const change of this.#history) {
      if (change.version > since && change.collection === listener.collection) listener.tell(change);
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // For tests: actions of others and reads, without the API.

  get resourceVersion(): string {
    return String(this.#version);
  }

  find<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): T | undefined {
    return this.#objects.get(this.#place(kind, key)) as unknown as T | undefined;
  }

  all<T extends KubernetesObject>(kind: Kind<T>): readonly T[] {
    return this.#in(this.#collection(kind)).map(([, object]) => object as unknown as T);
  }

  /** All stored objects of all kinds. */
  objects(): readonly KubernetesObject[] {
    return [...this.#objects.values()];
  }

  /** Calls `witness` for every change of any kind from now on. */
  witness(witness: Witness): void {
    this.#witnesses.push(witness);
  }

  /** Creates or replaces an object with its status, without schema and rules. */
  put<T extends KubernetesObject>(kind: Kind<T>, given: T): T {
    const object = overTheWire(given) as Stored;
    const before = this.find(kind, object.metadata) as Stored | undefined;
    const { uid, creationTimestamp } = { ...this.#born(before), ...object.metadata };
    const metadata = { ...object.metadata, uid, creationTimestamp, generation: generationOf(object, before) };
    if (before?.metadata.uid === uid) this.#tracking.written(uid, other);
    else this.#tracking.begin(uid, other);
    return this.#store(kind, before, { ...object, metadata }) as unknown as T;
  }

  /** `kubectl delete` at that time: finalizers apply. An object that does not exist is no error. */
  leave(kind: Kind, key: ObjectKey, at = this.#timestamp()): Stored | undefined {
    const current = this.find(kind, key) as Stored | undefined;
    if (current === undefined) return undefined;
    if (!current.metadata.finalizers?.length) {
      this.#gone(kind, current);
      return undefined;
    }
    if (current.metadata.deletionTimestamp !== undefined) return current;
    return this.#store(kind, current, {
      ...current,
      metadata: { ...current.metadata, deletionTimestamp: at },
    });
  }

  /** Deletes an object, ignoring its finalizers. */
  remove(kind: Kind, name: string, namespace?: string): void {
    const key = namespace === undefined ? { name } : { name, namespace };
    const current = this.find(kind, key) as Stored | undefined;
    if (current !== undefined) this.#gone(kind, current);
  }

  /** Forgets the history: older versions are answered with 410. */
  compact(): void {
    this.#history = [];
    this.#oldest = this.#version;
  }

  /** The next continue tokens are answered with 410. */
  expireContinueTokens(times = 1): void {
    this.#tokensToExpire = times;
  }

  /** Restores an older state, as from a backup: versions continue from there, and later ones are unknown. */
  rewind(version: number): void {
    this.#version = version;
    this.#history = [];
    for (const collection of this.#collectionVersions.keys()) {
      this.#collectionVersions.set(collection, version);
    }
  }

  /** Increases the version, as changes of other kinds do. */
  skipVersions(count: number): void {
    this.#version += count;
  }

  #timestamp = (): string => timestamp(this.#now());
  #collection = ({ group, plural }: Kind): string => `${plural}.${group}`;
  #place = (kind: Kind, key: ObjectKey): string => `${this.#collection(kind)}|${objectKeyText(key)}`;
  #in(collection: string): readonly (readonly [string, Stored])[] {
    const start = `${collection}|`;
    const found: (readonly [string, Stored])[] = [];
    for (const entry of this.#objects) if (entry[0].startsWith(start)) found.push(entry);
    return found;
  }

  #born(before?: Stored): Required<Pick<ObjectMeta, 'uid' | 'creationTimestamp'>> {
    const { uid = `uid-${++this.#uids}`, creationTimestamp = this.#timestamp() } = before?.metadata ?? {};
    return { uid, creationTimestamp };
  }

  #existing(kind: Kind, key: ObjectKey): Stored {
    const found = this.find(kind, key) as Stored | undefined;
    if (found === undefined) throw refusal(404, 'NotFound', `${nameOf(kind)} "${key.name}" not found`);
    return found;
  }

  #write(
    kind: Kind,
    current: Stored,
    wanted: Stored,
    {
      precondition,
      subresource,
      by = ours,
    }: {
      readonly precondition?: string | undefined;
      readonly subresource?: 'status' | undefined;
      readonly by?: ManagedFields;
    },
  ): Stored {
    if (precondition !== undefined && precondition !== current.metadata.resourceVersion) {
      throw conflict(`${nameOf(kind)} "${current.metadata.name}"`);
    }
    const { managedFields, ...own } = wanted.metadata as ObjectMeta & { readonly managedFields?: unknown };
    const { status, ...rest } = { ...wanted, metadata: own };
    const { status: currentStatus, ...currentRest } = current;
    const next =
      subresource === 'status'
        ? { ...currentRest, ...(status !== undefined && { status }) }
        : { ...rest, ...(currentStatus !== undefined && { status: currentStatus }) };
    // Fields that only the server sets.
    const { uid, resourceVersion, creationTimestamp, generation, deletionTimestamp } = current.metadata;
    const deletedAt = next.metadata.deletionTimestamp;
    if (deletedAt !== undefined && deletedAt !== deletionTimestamp) {
      const what = `${kind.kind}.${kind.group} "${current.metadata.name}" is invalid`;
      const why = `metadata.deletionTimestamp: Invalid value: "${deletedAt}": field is immutable`;
      throw refusal(422, 'Invalid', `${what}: ${why}`);
    }
    const metadata = {
      ...next.metadata,
      uid,
      resourceVersion,
      creationTimestamp,
      generation,
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    } as ObjectMeta;
    const { apiVersion, kind: type } = current;
    const valid = this.#admitted(kind, { ...next, apiVersion, kind: type, metadata }, current);
    // The status subresource does not change the tracking of managers.
    const given = subresource === 'status' ? undefined : managedFields;
    const isCleared = this.#tracking.written(uid ?? '', by, given);
    if (!isCleared && isEqual(valid, current)) return current;
    return this.#store(kind, current, {
      ...valid,
      // Defaults that this write filled in count as stored before, because an API server fills them in at each read.
      metadata: {
        ...valid.metadata,
        ...(subresource !== 'status' && { generation: generationOf(valid, current) }),
      },
    });
  }

  /**
   * Stores an object with a new resourceVersion. An object that is being deleted is removed with its last finalizer, and
   * the answer has its previous version (apiserver, registry/generic/registry/store.go: deleteWithoutFinalizers).
   */
  #store(kind: Kind, before: Stored | undefined, object: Stored): Stored {
    const { deletionTimestamp, finalizers } = object.metadata;
    if (deletionTimestamp !== undefined && !finalizers?.length) {
      const last = this.#gone(kind, object, before);
      const { resourceVersion = '' } = before?.metadata ?? {};
      return { ...last, metadata: { ...last.metadata, resourceVersion } };
    }
    const stored = this.#stamped(kind, object);
    this.#objects.set(this.#place(kind, stored.metadata), stored);
    this.#happened(kind, before, stored);
    return stored;
  }

  /** `former` is the object before the write that removed its last finalizer. */
  #gone(kind: Kind, object: Stored, former: Stored = object): Stored {
    const last = this.#stamped(kind, object);
    this.#tracking.forget(last.metadata.uid ?? '');
    this.#objects.delete(this.#place(kind, last.metadata));
    this.#happened(kind, last, undefined, former);
    return last;
  }

  #stamped(kind: Kind, object: Stored): Stored {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: this.resourceVersion };
    return { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
  }

  #happened(
    kind: Kind,
    before: Stored | undefined,
    after: Stored | undefined,
    former: Stored | undefined = before,
  ): void {
    const collection = this.#collection(kind);
    const { resourceVersion } = this;
    // An object that leaves a selection is delivered in its old state, with the new version.
    const last = before && { ...before, metadata: { ...before.metadata, resourceVersion } };
    for (const witness of this.#witnesses) witness(kind, former, after);
    const change = { version: this.#version, collection, before: last, after };
    this.#history.push(change);
    this.#collectionVersions.set(collection, this.#version);
    for (const listener of [...this.#listeners]) {
      if (listener.collection === collection && this.#listeners.has(listener)) listener.tell(change);
    }
  }
}

/** Writes through the API are by our processes; writes by the methods for tests are by others. */
const ours: ManagedFields = { manager: fieldManager, operation: 'Update' };
const other: ManagedFields = { manager: 'kubectl', operation: 'Update' };

const versionIn = (body: object): string | undefined =>
  (body as Partial<KubernetesObject>).metadata?.resourceVersion;

/** The generation: one more than before if anything except metadata and status has changed. */
function generationOf(object: Stored, before: Stored | undefined): number {
  const isNew = before === undefined || !isEqual(wished(object), wished(before));
  return (before?.metadata.generation ?? 0) + (isNew ? 1 : 0);
}
