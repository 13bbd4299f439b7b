import compact from 'lodash/compact.js';
import isEqual from 'lodash/isEqual.js';
import uniq from 'lodash/uniq.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import { ControllerError } from '../../apis/core/v1alpha1/condition.ts';
import { labelledFor } from '../../apis/core/v1alpha1/connection-labels.ts';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { controllerReference, isControlledBy } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret, SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import {
  annotationsWithoutClaims,
  controlOf,
  encodeDetails,
  insteadOf,
  propagationAnnotations,
  secretKeyOf,
  secretNameProblem,
  secretNamespaceProblem,
} from '../../apis/core/v1alpha1/secret.ts';
import { boundedCache } from '../../runtime/bounded-cache.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import {
  annotate,
  changedSinceRead,
  isAlreadyExists,
  isConflict,
  isNamespaceTerminating,
  isNotFound,
} from '../../runtime/client/errors.ts';
import type { StoredCredential } from '../credential.ts';
import { credentialAnnotation, encodeNote, storedIn } from '../credential.ts';
import { secretsControlledBy } from '../indexes.ts';
import type { ConnectionEntry, ConnectionPlace } from './connection-place.ts';

/** How many existing Secrets that the cache does not select are remembered; a forgotten one costs a refused creation. */
const mostUnselected = 1_000;

/** Stores connection details in the Secret of `writeConnectionSecretToRef`. See {@link connectionSecrets}. */
export function secretPlace(secrets: Resource<Secret>): ConnectionPlace {
  /** Keys of Secrets that a creation met: a new resource reads them, although the cache does not have their type. */
  const met = boundedCache<SecretKey>(mostUnselected);

  /**
   * Reads the cache, else the API server: the cache lacks Secrets of the type of older releases. The API server is not
   * asked for a new resource: if its Secret exists, the creation of one is refused, and the next run reads it.
   */
  async function find(managed: Managed, key: SecretKey, signal: AbortSignal): Promise<Secret | undefined> {
    const isAbsent = isNew(managed) && !met.has(objectKeyText(key));
    const finding = isAbsent ? Promise.resolve(secrets.get(key)) : secrets.find(key, signal);
    return annotate('cannot get connection secret', finding);
  }

  function entryOf(secret: Secret, managed: Managed): ConnectionEntry {
    const stored = storedIn(secret);
    const entry: ConnectionEntry = {
      ...stored,
      isOwned: isControlledBy(secret, managed),
      async write(owner, desired, signal) {
        const writing = secrets.update(secret, withCredential(secret, stored, { owner, desired }), signal);
        try {
          const written = await annotate('cannot update connection secret', writing);
          return written === secret ? entry : entryOf(written, owner);
        } catch (error) {
          // The cache may have an old version, so fetch the Secret into it for the next attempt.
          if (isConflict(error)) await secrets.fetch(secretKeyOf(secret), signal);
          throw error;
        }
      },
      async confirm(signal) {
        const confirming = secrets.confirm(secret, signal);
        if ((await annotate('cannot get connection secret', confirming)) === undefined)
          throw changedSinceRead();
      },
    };
    return entry;
  }

  return {
    isNamed: ({ spec }) => spec.writeConnectionSecretToRef !== undefined,
    async read(managed, signal) {
      const key = managed.spec.writeConnectionSecretToRef;
      const secret = key && (await find(managed, key, signal));
      return secret && entryOf(accessible(secret, managed), managed);
    },
    async create(managed, desired, signal) {
      const key = managed.spec.writeConnectionSecretToRef ?? { namespace: '', name: '' };
      const problem =
        secretNameProblem(key.name) ?? secretNamespaceProblem(key.namespace, managed.spec.classRef?.name);
      if (problem !== undefined) throw new Error(problem);
      try {
        const creating = secrets.create(freshSecret(managed, key, desired), signal);
        return entryOf(await annotate('cannot create connection secret', creating), managed);
      } catch (error) {
        if (isNotFound(error) || isNamespaceTerminating(error)) throw namespaceMissing(managed, key);
        if (!isAlreadyExists(error)) throw error;
        // Fetch the existing Secret into the cache, so that the next run finds it.
        const existing = await annotate('cannot get connection secret', secrets.fetch(key, signal));
        if (existing === undefined) throw changedSinceRead();
        met.set(objectKeyText(key), key);
        accessible(existing, managed);
        throw changedSinceRead();
      }
    },
    async removePrevious(managed, signal) {
      const key = managed.spec.writeConnectionSecretToRef;
      const owned = secretsControlledBy(secrets.store, managed.metadata.uid);
      const previous = owned.filter((secret) => !isEqual(secretKeyOf(secret), key));
      return deleteOwned(managed, previous, signal);
    },
    async remove(managed, signal) {
      // The controller deletes the Secrets itself, because a cluster may run without a garbage collector.
      const key = managed.spec.writeConnectionSecretToRef;
      const named = key && (await annotate('cannot get connection secret', secrets.find(key, signal)));
      const owned = secretsControlledBy(secrets.store, managed.metadata.uid);
      await deleteOwned(managed, uniq(compact([named, ...owned])), signal);
    },
  };

  /** Deletes those that the managed resource controls, and returns them. */
  async function deleteOwned(
    managed: Managed,
    some: readonly Secret[],
    signal: AbortSignal,
  ): Promise<readonly SecretKey[]> {
    const owned = some.filter((secret) => isControlledBy(secret, managed) && !wasDeleted(secret));
    for (const secret of owned) {
      await annotate('cannot delete connection secret', secrets.delete(secret, signal));
    }
    return owned.map(secretKeyOf);
  }
}

/** Whether no run about the resource has ended yet. */
const isNew = ({ status }: Managed): boolean =>
  status?.conditions === undefined && status?.bindingPhase === undefined;

const noteAnnotation = ({ note }: StoredCredential): Readonly<Record<string, string>> =>
  note === undefined ? {} : { [credentialAnnotation]: encodeNote(note) };

const freshSecret = (
  managed: Managed,
  { namespace, name }: SecretKey,
  desired: StoredCredential,
): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    namespace,
    name,
    labels: labelledFor(undefined, managed),
    ownerReferences: [controllerReference(managed)],
    annotations: { ...propagationAnnotations(managed), ...noteAnnotation(desired) },
  },
  type: connectionSecretType,
  data: encodeDetails(desired.details),
});

/**
 * The Secret with the desired details. It keeps its type, which no update can change (H11 in docs/decision-tables.md),
 * and the bytes of unchanged values, which may not be text.
 */
function withCredential(
  secret: Secret,
  before: StoredCredential,
  { owner, desired }: { readonly owner: Managed; readonly desired: StoredCredential },
): Secret {
  const { metadata, data = {} } = secret;
  const isForAnotherClaim = before.note?.for !== undefined && before.note.for !== desired.note?.for;
  const { [credentialAnnotation]: _note, ...annotations } = isForAnotherClaim
    ? annotationsWithoutClaims(secret)
    : (metadata.annotations ?? {});
  const others = (metadata.ownerReferences ?? []).filter(({ controller }) => controller !== true);
  const isUnchanged = (key: string): boolean =>
    Object.hasOwn(desired.details, key) && before.details[key] === desired.details[key];
  const unchanged = Object.entries(data).filter(([key]) => isUnchanged(key));
  const changed = Object.entries(desired.details).filter(([key]) => !isUnchanged(key));
  return {
    ...secret,
    metadata: {
      ...metadata,
      labels: labelledFor(metadata.labels, owner),
      annotations: { ...annotations, ...noteAnnotation(desired) },
      ...(!isControlledBy(secret, owner) && { ownerReferences: [...others, controllerReference(owner)] }),
    },
    data: { ...Object.fromEntries(unchanged), ...encodeDetails(Object.fromEntries(changed)) },
  };
}

/** The API server rejects a creation with 404 only if the namespace does not exist. */
const namespaceMissing = ({ kind, metadata }: Managed, { namespace }: SecretKey): ControllerError =>
  new ControllerError(
    'NamespaceNotFound',
    `namespace ${namespace} of spec.writeConnectionSecretToRef of ${kind} ${metadata.name} does not exist, or is being deleted; ${advice.createNamespace}`,
    namespace,
  );

/** Returns the Secret. Throws if another object owns it. */
function accessible(secret: Secret, managed: Managed): Secret {
  const control = controlOf(secret, managed);
  if (typeof control === 'string') return secret;
  const { namespace, name } = secretKeyOf(secret);
  const field = `spec.writeConnectionSecretToRef of ${managed.kind} ${managed.metadata.name}`;
  const message = `${control.refusal} (${namespace}/${name}); ${insteadOf(secret, field)}`;
  throw new ControllerError('SecretConflict', message);
}
