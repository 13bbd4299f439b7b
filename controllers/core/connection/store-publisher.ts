import isEqual from 'lodash/isEqual.js';
import omitBy from 'lodash/omitBy.js';
import type { Managed, PublishConnectionDetailsTo } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { annotate } from '../../../runtime/client/errors.ts';
import type { ConnectionPublisher } from './connection-publisher.ts';
import { checkUncontested } from './connection-publisher.ts';
import { publishedAnnotation, withoutEdited } from './published-details.ts';
import type { OwnedConnection, SecretStore, SecretStores, StoredConnection } from './secret-store.ts';

/** Marks what a store keeps for a managed resource (Crossplane v0.16 and later). */
export const ownerUidLabel = 'secret.crossplane.io/owner-uid';

const defaultStoreConfig = 'default';

/**
 * Publishes to the store that `publishConnectionDetailsTo` names by its StoreConfig (default `default`). Only what
 * carries the managed resource's UID is read, written or removed.
 */
export function storePublisher(stores: SecretStores): ConnectionPublisher {
  return {
    async known(managed, signal) {
      const to = managed.spec.publishConnectionDetailsTo;
      if (to === undefined) return {};
      const store = await annotate('cannot get connection details', open(to, signal));
      const stored = await annotate('cannot get connection details', store.read(to.name, signal));
      if (stored === undefined) return {};
      if (stored.ownerUid === managed.metadata.uid) return withoutEdited(stored.data, stored.annotations);
      if (wasDeleted(managed)) return {};
      throw refusal(store, managed, to, stored);
    },

    async publish(managed, details, signal, before, published) {
      const to = managed.spec.publishConnectionDetailsTo;
      if (to === undefined) return;
      await annotate(
        'cannot publish connection details',
        write(managed, to, { details, before, published }, signal),
      );
    },

    async unpublish({ metadata, spec: { publishConnectionDetailsTo: to } }, signal) {
      if (to === undefined) return;
      const remove = async (): Promise<void> => {
        const store = await open(to, signal);
        const stored = await store.read(to.name, signal);
        if (stored !== undefined && stored.ownerUid === metadata.uid)
          await store.remove(to.name, stored, signal);
      };
      await annotate('cannot unpublish connection details', remove());
    },
  };

  function open(to: PublishConnectionDetailsTo, signal: AbortSignal): Promise<SecretStore> {
    return stores.open(to.configRef?.name ?? defaultStoreConfig, signal);
  }

  async function write(
    managed: Managed,
    to: PublishConnectionDetailsTo,
    {
      details,
      before = {},
      published,
    }: {
      readonly details: ConnectionDetails;
      readonly before: ConnectionDetails | undefined;
      readonly published: ConnectionDetails | undefined;
    },
    signal: AbortSignal,
  ): Promise<void> {
    const store = await open(to, signal);
    const stored = await store.read(to.name, signal);
    const ownerUid = managed.metadata.uid ?? '';
    if (stored !== undefined && stored.ownerUid !== ownerUid) throw refusal(store, managed, to, stored);
    const present = stored === undefined ? {} : withoutEdited(stored.data, stored.annotations);
    checkUncontested(present, details, before, published);
    const news = omitBy(details, (value, key) => stored?.data[key] === value);
    const desired: OwnedConnection = {
      data: { ...stored?.data, ...details },
      ownerUid,
      labels: { ...stored?.labels, ...to.metadata?.labels },
      annotations: {
        ...stored?.annotations,
        ...to.metadata?.annotations,
        ...publishedAnnotation(stored?.annotations, news),
      },
      // The type of what exists cannot change.
      type: stored === undefined ? to.metadata?.type : stored.type,
    };
    if (!isEqual(stored, desired)) await store.write(to.name, stored, desired, signal);
  }
}

const refusal = (
  store: SecretStore,
  { metadata: { uid } }: Managed,
  { name }: PublishConnectionDetailsTo,
  { ownerUid }: StoredConnection,
): Error =>
  new Error(
    `${store.describe(name)} exists and belongs to ${ownerUid === undefined ? 'nobody we know' : 'another managed resource'}; ` +
      `choose another spec.publishConnectionDetailsTo.name, or label it ${ownerUidLabel}=${uid} to hand it over`,
  );
