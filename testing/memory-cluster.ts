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

/** A change as a watch tells it. */
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

/** What became of an object of a kind; undefined is none. */
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

/** What an API server says of a write that comes too late, to `what`. */
export function conflict(what?: string): ApiError {
  const subject = what === undefined ? '' : `Operation cannot be fulfilled on ${what}: `;
  return refusal(409, 'Conflict', `${subject}the object has been modified`);
}

/** As it travels. */
const overTheWire = <T>(body: T): T => JSON.parse(JSON.stringify(body)) as T;

/** The object as it may be stored. Throws ApiError for what schema or rules refuse. */
export type Admission = (kind: Kind, object: Stored, before?: Stored) => Stored;

/** What a new generation is counted by. */
function wished({ metadata: _m, status: _s, apiVersion: _v, kind: _k, ...rest }: Stored): object {
  return rest;
}

/**
 * What an API server knows and how it judges, in memory and behind no door: objects with resourceVersions, generations,
 * finalizers and status subresources, what admission says of them, preconditions, pages, and a history
 * that watches resume from. `inProcessClient` is the client's end of it. What it
 * refuses, it throws as ApiError.
 */
export class MemoryCluster {
  readonly #now: Clock['now'];
  readonly #admitted: Admission;
  readonly #objects = new Map<string, Stored>();
  readonly #tracking = createFieldTracking();
  /** The version of the last change of each collection, which its watch cache knows. */
  readonly #collectionVersions = new Map<string, number>();
  readonly #listeners = new Set<Listener>();
  readonly #witnesses: Witness[] = [];
  #history: Change[] = [];
  #version = 100;
  #oldest = 0;
  #uids = 0;
  #tokensToExpire = 0;

  /**
   * `now` dates what is created and deleted. Without `admit`, definitions are those of an older release, without
   * schemas, which let everything through.
   */
  constructor(
    now: Clock['now'] = () => new Date('2026-01-01T00:00:00Z'),
    { admit = (_kind, object) => object }: { readonly admit?: Admission } = {},
  ) {
    this.#now = now;
    this.#admitted = admit;
  }

  // What the API does.

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

  /** A server-side apply of a manager whom nobody contradicts. */
  apply(kind: Kind, key: ObjectKey, fields: object, manager = fieldManager): Stored {
    const current = this.find(kind, key);
    const wanted = merged(current ?? { metadata: objectKey(key) }, overTheWire(fields)) as Stored;
    if (current === undefined) return this.create(kind, wanted);
    return this.#write(kind, current, wanted, { by: { manager, operation: 'Apply' } });
  }

  /** An object as the API shows it: with who has written it. */
  shown<T extends KubernetesObject>(object: T): T {
    return this.#tracking.shown(object);
  }

  /** What is left of the object: undefined if nothing, as nothing holds it. */
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
   * Tells of every change of what is selected since a version, at once of those there were; answers with what ends it. What
   * comes into the selection is ADDED, what leaves it DELETED.
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

  // What others do and tests see, past the API.

  get resourceVersion(): string {
    return String(this.#version);
  }

  find<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): T | undefined {
    return this.#objects.get(this.#place(kind, key)) as unknown as T | undefined;
  }

  all<T extends KubernetesObject>(kind: Kind<T>): readonly T[] {
    return this.#in(this.#collection(kind)).map(([, object]) => object as unknown as T);
  }

  /** What is stored, of all kinds. */
  objects(): readonly KubernetesObject[] {
    return [...this.#objects.values()];
  }

  /** Tells of every change from now on, of whatever kind, as it is made. */
  witness(witness: Witness): void {
    this.#witnesses.push(witness);
  }

  /** Creates or replaces an object as it is given, status included, whatever schema and rules say. */
  put<T extends KubernetesObject>(kind: Kind<T>, given: T): T {
    const object = overTheWire(given) as Stored;
    const before = this.find(kind, object.metadata) as Stored | undefined;
    const { uid, creationTimestamp } = { ...this.#born(before), ...object.metadata };
    const metadata = { ...object.metadata, uid, creationTimestamp, generation: generationOf(object, before) };
    if (before?.metadata.uid === uid) this.#tracking.written(uid, theirs);
    else this.#tracking.begin(uid, theirs);
    return this.#store(kind, before, { ...object, metadata }) as unknown as T;
  }

  /** `kubectl delete`, at that time: finalizers hold. What is gone already is no error. */
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

  /** Deletes an object, finalizers or not. */
  remove(kind: Kind, name: string, namespace?: string): void {
    const key = namespace === undefined ? { name } : { name, namespace };
    const current = this.find(kind, key) as Stored | undefined;
    if (current !== undefined) this.#gone(kind, current);
  }

  /** Forgets what happened until now: older versions are answered with 410. */
  compact(): void {
    this.#history = [];
    this.#oldest = this.#version;
  }

  /** The next continue tokens are answered with 410. */
  expireContinueTokens(times = 1): void {
    this.#tokensToExpire = times;
  }

  /** Goes back in time, as a restored backup does: versions begin again there, and nothing is known of later ones. */
  rewind(version: number): void {
    this.#version = version;
    this.#history = [];
    for (const collection of this.#collectionVersions.keys()) {
      this.#collectionVersions.set(collection, version);
    }
  }

  /** Lets the version grow as if objects of other kinds had changed. */
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
    // What is the server's own to say.
    const { uid, resourceVersion, creationTimestamp, generation, deletionTimestamp } = current.metadata;
    const asked = next.metadata.deletionTimestamp;
    if (asked !== undefined && asked !== deletionTimestamp) {
      const what = `${kind.kind}.${kind.group} "${current.metadata.name}" is invalid`;
      const why = `metadata.deletionTimestamp: Invalid value: "${asked}": field is immutable`;
      throw refusal(422, 'Invalid', `${what}: ${why}`);
    }
    const metadata = {
      ...next.metadata,
      ...{ uid, resourceVersion, creationTimestamp, generation },
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    } as ObjectMeta;
    const { apiVersion, kind: type } = current;
    const valid = this.#admitted(kind, { ...next, apiVersion, kind: type, metadata }, current);
    // Through the status subresource nothing is said of who has written what.
    const given = subresource === 'status' ? undefined : managedFields;
    const isCleared = this.#tracking.written(uid ?? '', by, given);
    if (!isCleared && isEqual(valid, current)) return current;
    return this.#store(kind, current, {
      ...valid,
      metadata: { ...valid.metadata, generation: generationOf(valid, current) },
    });
  }

  /**
   * Stores with a new resourceVersion. An object being deleted goes with its last finalizer, and the answer has the version
   * that it had (apiserver, registry/generic/registry/store.go: deleteWithoutFinalizers).
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

  /** `former` is what it was before the write that lets it go. */
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
    // What leaves a selection is told as it was, under the new version.
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

/** Whoever comes through the API is one of our processes; whoever comes past it is not. */
const ours: ManagedFields = { manager: fieldManager, operation: 'Update' };
const theirs: ManagedFields = { manager: 'kubectl', operation: 'Update' };

const versionIn = (body: object): string | undefined =>
  (body as Partial<KubernetesObject>).metadata?.resourceVersion;

/** One more than before if anything but metadata and status is another. */
function generationOf(object: Stored, before: Stored | undefined): number {
  const isNew = before === undefined || !isEqual(wished(object), wished(before));
  return (before?.metadata.generation ?? 0) + (isNew ? 1 : 0);
}
