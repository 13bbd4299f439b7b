import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import { ControllerError } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed, PublishConnectionDetailsTo } from '../../apis/core/v1alpha1/managed.ts';
import { annotate, changedSinceRead } from '../../runtime/client/errors.ts';
import type { StoredCredential } from '../credential.ts';
import { credentialAnnotation, decodeNote, encodeNote } from '../credential.ts';
import type { ConnectionEntry, ConnectionPlace } from './connection-place.ts';
import type { OwnedConnection, SecretStore, SecretStores, StoredConnection } from './secret-store.ts';

/** The label with the UID of the managed resource that owns an entry (Crossplane v0.16 and later). */
export const ownerUidLabel = 'secret.crossplane.io/owner-uid';

const cannotRead = 'cannot get connection details';
const cannotWrite = 'cannot publish connection details';

/**
 * Stores connection details in a secret store. `publishConnectionDetailsTo` names its StoreConfig, by default
 * `default`. Only entries with the managed resource's UID are read, written or deleted.
 */
export function storePlace(stores: SecretStores): ConnectionPlace {
  async function write(
    store: SecretStore,
    managed: Managed,
    to: PublishConnectionDetailsTo,
    stored: StoredConnection | undefined,
    desired: StoredCredential,
    signal: AbortSignal,
  ): Promise<ConnectionEntry> {
    const wanted = owned(managed, to, stored, desired);
    const isStored = stored !== undefined && isEqual(omit(stored, 'controllerUid'), wanted);
    return entryOf(store, to, isStored ? stored : await store.write(to.name, stored, wanted, signal));
  }

  const entryOf = (
    store: SecretStore,
    to: PublishConnectionDetailsTo,
    stored: StoredConnection,
  ): ConnectionEntry => ({
    details: stored.data,
    note: decodeNote(stored.annotations[credentialAnnotation]),
    isOwned: true,
    write: (managed, desired, signal) =>
      annotate(cannotWrite, write(store, managed, to, stored, desired, signal)),
    async confirm(signal) {
      const now = await annotate(cannotRead, store.read(to.name, signal));
      if (!isEqual(now, stored)) throw changedSinceRead();
    },
  });

  return {
    isNamed: ({ spec }) => spec.publishConnectionDetailsTo !== undefined,
    async read(managed, signal) {
      const to = managed.spec.publishConnectionDetailsTo;
      if (to === undefined) return undefined;
      const store = await annotate(cannotRead, stores.open(managed, signal));
      const stored = await annotate(cannotRead, store.read(to.name, signal));
      if (stored === undefined) return undefined;
      if (isFor(managed, stored)) return entryOf(store, to, stored);
      throw refusal(store, managed, to, stored);
    },
    async create(managed, desired, signal) {
      const to = managed.spec.publishConnectionDetailsTo ?? { name: '' };
      const store = await annotate(cannotWrite, stores.open(managed, signal));
      return annotate(cannotWrite, write(store, managed, to, undefined, desired, signal));
    },
    removePrevious: (managed, signal) =>
      annotate('cannot unpublish connection details', stores.removePrevious(managed, signal)),
    async remove(managed, signal) {
      const remove = async (): Promise<void> => {
        const to = managed.spec.publishConnectionDetailsTo;
        if (to !== undefined && stores.exists(managed)) {
          const store = await stores.open(managed, signal);
          const stored = await store.read(to.name, signal);
          if (stored?.ownerUid === managed.metadata.uid && stored !== undefined)
            await store.remove(to.name, stored, signal);
        }
        await stores.removePrevious(managed, signal);
      };
      await annotate('cannot unpublish connection details', remove());
    },
  };
}

function owned(
  { metadata }: Managed,
  to: PublishConnectionDetailsTo,
  stored: StoredConnection | undefined,
  { details, note }: StoredCredential,
): OwnedConnection {
  return {
    data: details,
    ownerUid: metadata.uid ?? '',
    labels: { ...stored?.labels, ...to.metadata?.labels },
    annotations: {
      ...omit(stored?.annotations, credentialAnnotation),
      ...omit(to.metadata?.annotations, credentialAnnotation),
      ...(note && { [credentialAnnotation]: encodeNote(note) }),
    },
    // The type of an existing entry cannot change.
    type: stored === undefined ? to.metadata?.type : stored.type,
  };
}

/** Whether the entry belongs to the managed resource, but is not the Secret of its `writeConnectionSecretToRef`. */
const isFor = ({ metadata: { uid } }: Managed, { ownerUid, controllerUid }: StoredConnection): boolean =>
  ownerUid === uid && controllerUid !== uid;

function refusal(
  store: SecretStore,
  { metadata: { uid } }: Managed,
  { name }: PublishConnectionDetailsTo,
  { ownerUid, controllerUid }: StoredConnection,
): ControllerError {
  const what = store.describe(name);
  const other = advice.nameAnotherSecret('spec.publishConnectionDetailsTo');
  const owner = ownerUid === undefined ? 'no managed resource' : 'another managed resource';
  const isOwnSecret = uid !== undefined && controllerUid === uid;
  const message = isOwnSecret
    ? `${what} is the one of spec.writeConnectionSecretToRef; ${other}`
    : `${what} exists and belongs to ${owner}; ${other}, or ${advice.labelEntry(`${ownerUidLabel}=${uid}`)}`;
  return new ControllerError('SecretConflict', message);
}

/**
 * Used by a `ManagedService` without `secretStores`. A resource with `publishConnectionDetailsTo` gets an error
 * (crossplane-runtime v1.16, DisabledSecretStoreManager).
 */
export const disabledStores: SecretStores = {
  exists: () => true,
  open: async () => {
    throw new Error('cannot publish to secret store, feature is not enabled');
  },
  removePrevious: async () => [],
  triggers: () => [],
};
