import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { wellFormed } from '../../apis/core/v1alpha1/well-formed.ts';
import { boundedCache } from '../bounded-cache.ts';
import { ApiError, changedSinceRead, isNotFound } from '../client/errors.ts';
import type { KubernetesClient } from '../client/kubernetes-client.ts';
import type { Clock } from '../time/clock.ts';
import { isTrackedForUsAlone, untracked, withoutManagedFields } from './managed-fields.ts';
import { mergePatch } from './merge-patch.ts';
import { compareResourceVersions } from './resource-version.ts';
import type { Store } from './store.ts';
import { noteWritten } from './written-versions.ts';

/**
 * Reads and writes objects of one kind. Reads come from the store. Writes go to the API server, and their answers go into
 * the store. No method writes if nothing changes. Throws ApiError.
 *
 *     const found = claims.get({ namespace: 'team', name: 'orders' });
 *     const labels = { ...found?.metadata.labels, team: 'shop' };
 *     // One merge patch with found's resourceVersion; no request if it has the label. 409 if found is outdated.
 *     if (found) await claims.update(found, { ...found, metadata: { ...found.metadata, labels } }, signal);
 */
export interface Resource<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  readonly store: Store<T>;
  /** Reads the object from the store. */
  get(key: ObjectKey): T | undefined;
  /** Reads the object from the API server; undefined if it does not exist. */
  fetch(key: ObjectKey, signal?: AbortSignal): Promise<T | undefined>;
  /**
   * Checks that `current` is still the stored version, and returns it. Reads from the API server, unless an answer about
   * this object (a read or a write of this process) is younger than 5 s. It waits for the answer to a write under way.
   * Undefined: the object does not exist any more, or another object has its name. Throws a conflict if the object was
   * changed.
   */
  confirm(current: T, signal?: AbortSignal): Promise<T | undefined>;
  /** Reads the store, else the API server: the store may not have received the object yet, or does not select it. */
  find(key: ObjectKey, signal?: AbortSignal): Promise<T | undefined>;
  create(object: T, signal?: AbortSignal): Promise<T>;
  /**
   * Writes the difference of the two outside `status`, as one merge patch with `current`'s resourceVersion as
   * precondition. Returns the stored object, or `current` if nothing differs.
   */
  update(current: T, desired: T, signal?: AbortSignal, options?: UpdateOptions): Promise<T>;
  /** The same for `status`, through the status subresource. */
  updateStatus(current: T, desired: T, signal?: AbortSignal): Promise<T>;
  /** Deletes `current` if it is still that object (uid and resourceVersion). Not found is success. */
  delete(current: T, signal?: AbortSignal): Promise<void>;
}

export interface UpdateOptions {
  /**
   * If something differs and only this program has ever written the object, the write also makes the API server stop
   * tracking who wrote which field. Each later write then costs the server half (docs/decisions/0051). Default: false.
   */
  readonly ceasesTracking?: boolean;
}

/** Metadata that only the API server writes. */
const serverOwned = [
  'resourceVersion',
  'uid',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
];

/**
 * The part of an object that a write outside `status` may change. The API server drops empty labels, annotations,
 * finalizers and owner references, so empty counts as absent.
 */
function writable(object: KubernetesObject): object {
  const { apiVersion: _v, kind: _k, status: _s, metadata, ...rest } = object as KubernetesObject & Json;
  const own = Object.fromEntries(
    Object.entries(metadata).filter(([key, value]) => !serverOwned.includes(key) && !isEmpty(value)),
  );
  return { ...rest, metadata: own };
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const statusOf = (object: KubernetesObject): unknown => (object as KubernetesObject & Json).status;

type Json = Readonly<Record<string, unknown>>;

/** The patch with additional metadata. */
const withMetadata = (patch: Json, metadata: Json): Json => ({
  ...patch,
  metadata: { ...(patch.metadata as Json | undefined), ...metadata },
});

/** The patch with the resourceVersion that it was made from as precondition. */
const conditional = (patch: Json, { metadata: { resourceVersion } }: KubernetesObject): Json =>
  // guard: otherwise it overwrites a concurrent edit
  resourceVersion === undefined ? patch : withMetadata(patch, { resourceVersion });

/** Whether `now` can be the result of a write to `before`: the same object, and not older. */
function isSuccessor({ metadata: now }: KubernetesObject, { metadata: before }: KubernetesObject): boolean {
  const isSame = before.uid === undefined || now.uid === before.uid;
  return isSame && compareResourceVersions(now.resourceVersion ?? '', before.resourceVersion ?? '') >= 0;
}

/** How long an answer of the API server counts as a read; milliseconds. */
const freshForMs = 5_000;
/** How many answers are remembered; a forgotten one costs a read. */
const maxAnswers = 10_000;

/** The kind's resource, over a client and the kind's store. Returned objects have no managedFields. */
export function createResource<T extends KubernetesObject>(
  client: KubernetesClient,
  store: Store<T>,
  clock: Pick<Clock, 'elapsedMs'>,
): Resource<T> {
  const { kind } = store;
  /** The last answer about an object, by its UID. */
  const answers = boundedCache<{ readonly resourceVersion: string | undefined; readonly atMs: number }>(
    maxAnswers,
  );
  const isFresh = ({ metadata: { uid = '', resourceVersion } }: T): boolean => {
    const answer = answers.get(uid);
    return (
      answer?.resourceVersion === resourceVersion && clock.elapsedMs() - (answer?.atMs ?? 0) < freshForMs
    );
  };
  /** `over`: the object that was written to; absent for a read or a creation. */
  const recorded = (answer: T, over?: T): T => {
    if (over !== undefined && !isSuccessor(answer, over)) {
      const what = `the API server answered a write with another ${kind.kind} than the one written to`;
      throw new ApiError(what, { code: 0, reason: 'InvalidAnswer' });
    }
    const object = wellFormed(kind, withoutManagedFields(answer));
    const { uid = '', resourceVersion } = object.metadata;
    answers.set(uid, { resourceVersion, atMs: clock.elapsedMs() });
    store.record(object); // guard: otherwise the next run does not see this write
    return object;
  };
  const noted = (answer: T, signal: AbortSignal | undefined, over?: T): T => {
    // guard: otherwise a write that changed nothing hides the edit of a user that made this version
    if (answer.metadata.resourceVersion !== over?.metadata.resourceVersion) noteWritten(signal, answer);
    return recorded(answer, over);
  };
  /** The writes under way, by object. */
  const underWay = new Map<string, Promise<unknown>>();
  /** The object that a write returns, recorded. `over`: as in `recorded`. */
  async function written(request: Promise<T>, key: ObjectKey, signal: AbortSignal | undefined, over?: T) {
    const text = objectKeyText(key);
    const answered = request.then((answer) => noted(answer, signal, over));
    underWay.set(text, answered);
    try {
      return await answered;
    } finally {
      if (underWay.get(text) === answered) underWay.delete(text);
    }
  }
  const get = (key: ObjectKey): T | undefined => store.get(key);
  async function fetch(key: ObjectKey, signal?: AbortSignal): Promise<T | undefined> {
    try {
      return recorded(await client.get(kind, key, signal));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
  return {
    kind,
    store,
    get,
    fetch,
    async confirm(current, signal) {
      if (isFresh(current)) return current;
      const key = objectKey(current.metadata);
      // The watch often shows a version before the write that made it is answered.
      await underWay.get(objectKeyText(key))?.catch(() => {});
      if (isFresh(current)) return current;
      const stored = await fetch(key, signal);
      if (stored === undefined || stored.metadata.uid !== current.metadata.uid) return undefined;
      if (stored.metadata.resourceVersion !== current.metadata.resourceVersion) throw changedSinceRead();
      return current;
    },
    find: async (key, signal) => get(key) ?? fetch(key, signal),
    create: async (object, signal) =>
      written(client.create(kind, object, signal), objectKey(object.metadata), signal),
    async update(current, desired, signal, { ceasesTracking = false } = {}) {
      if (desired === current) return current;
      const difference = mergePatch(writable(current), writable(desired));
      if (difference === undefined) return current; // guard: otherwise it writes without a change
      const isCeasing = ceasesTracking && isTrackedForUsAlone(current);
      const patch = isCeasing ? withMetadata(difference, { managedFields: untracked }) : difference;
      const key = objectKey(current.metadata);
      const patching = client.patch(kind, key, conditional(patch, current), undefined, signal);
      return written(patching, key, signal, current);
    },
    async updateStatus(current, desired, signal) {
      const patch = mergePatch({ status: statusOf(current) }, { status: statusOf(desired) });
      if (patch === undefined) return current; // guard: otherwise it writes an unchanged status
      const key = objectKey(current.metadata);
      const options = { subresource: 'status' } as const;
      const patching = client.patch(kind, key, conditional(patch, current), options, signal);
      return written(patching, key, signal, current);
    },
    async delete(current, signal) {
      const { uid, resourceVersion } = current.metadata;
      const preconditions = {
        ...(uid && { uid }), // guard: otherwise it deletes a later object of this name
        ...(resourceVersion && { resourceVersion }), // guard: otherwise it deletes an object that changed since it was read
      };
      try {
        const left = await client.delete(kind, objectKey(current.metadata), preconditions, signal);
        if (left?.metadata.deletionTimestamp !== undefined) noted(left, signal, current);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
  };
}
