import isEmpty from 'lodash/isEmpty.js';
import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import type { Managed, PublishConnectionDetailsTo } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { ReportedDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { annotate } from '../../../runtime/client/errors.ts';
import { shouldUpdate } from '../management-policies.ts';
import type { ConnectionPublisher } from './connection-publisher.ts';
import { contestedKeys, NotOurs, PublishedElsewhere } from './connection-publisher.ts';
import type { Place, PublishedBefore } from './published-details.ts';
import {
  disowning,
  nothingPublished,
  present,
  publication,
  publishedAt,
  whateverPublished,
  withoutEdited,
  withoutWord,
} from './published-details.ts';
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
      if (to === undefined) return nothingPublished;
      const store = await annotate('cannot get connection details', open(to, signal));
      const stored = await annotate('cannot get connection details', store.read(to.name, signal));
      if (stored === undefined) return nothingPublished;
      if (isFor(managed, stored)) return publishedAt(placeOf(stored));
      if (wasDeleted(managed)) return nothingPublished;
      throw refusal(store, managed, to, stored);
    },

    async publish(managed, details, signal, before = whateverPublished) {
      const to = managed.spec.publishConnectionDetailsTo;
      if (to === undefined) return;
      const written = write(managed, to, { details, before }, signal);
      await annotate('cannot publish connection details', written);
    },

    async unpublish(managed, signal) {
      const { metadata, spec } = managed;
      const removeFrom = async (to: PublishConnectionDetailsTo): Promise<void> => {
        const store = await open(to, signal);
        const stored = await store.read(to.name, signal);
        if (stored !== undefined && stored.ownerUid === metadata.uid)
          await store.remove(to.name, stored, signal);
      };
      const remove = async (): Promise<void> => {
        if (spec.publishConnectionDetailsTo !== undefined) await removeFrom(spec.publishConnectionDetailsTo);
        await stores.removeFormer(managed, signal);
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
    { details, before }: { readonly details: ReportedDetails; readonly before: PublishedBefore },
    signal: AbortSignal,
  ): Promise<void> {
    const store = await open(to, signal);
    const stored = await store.read(to.name, signal);
    const ownerUid = managed.metadata.uid ?? '';
    if (stored !== undefined && !isFor(managed, stored)) throw refusal(store, managed, to, stored);
    if (stored === undefined && isEmpty(present(details))) return;
    const place = stored === undefined ? nowhere : placeOf(stored);
    const contested = contestedKeys(place, details, before);
    if (stored !== undefined && contested.length > 0) {
      const annotations = { ...stored.annotations, ...disowning(stored.annotations, contested) };
      const marking = (): Promise<void> =>
        store.write(to.name, stored, { ...stored, ownerUid, annotations }, signal);
      const isOnRecord =
        shouldUpdate(managed.spec) &&
        (await marking().then(
          () => true,
          () => false,
        ));
      throw new PublishedElsewhere(contested, isOnRecord);
    }
    const { news, removed, annotations } = publication(place, details, before);
    const desired: OwnedConnection = {
      data: { ...omit(stored?.data, removed), ...news },
      ownerUid,
      labels: { ...stored?.labels, ...to.metadata?.labels },
      annotations: { ...stored?.annotations, ...withoutWord(to.metadata?.annotations), ...annotations },
      // The type of what exists cannot change.
      type: stored === undefined ? to.metadata?.type : stored.type,
    };
    if (!isEqual(omit(stored, 'controllerUid'), desired)) await store.write(to.name, stored, desired, signal);
  }
}

const nowhere: Place = { data: {}, annotations: {}, published: {} };

const placeOf = ({ data, annotations }: StoredConnection): Place => ({
  data,
  annotations,
  published: withoutEdited(data, annotations),
});

/** Whether a managed resource may write there: what is the secret of its `writeConnectionSecretToRef` stays that alone. */
const isFor = ({ metadata: { uid } }: Managed, { ownerUid, controllerUid }: StoredConnection): boolean =>
  ownerUid === uid && controllerUid !== uid;

function refusal(
  store: SecretStore,
  { metadata: { uid } }: Managed,
  { name }: PublishConnectionDetailsTo,
  { ownerUid, controllerUid }: StoredConnection,
): NotOurs {
  const what = store.describe(name);
  const other = 'choose another spec.publishConnectionDetailsTo.name';
  if (uid !== undefined && controllerUid === uid) {
    return new NotOurs(`${what} is the one of spec.writeConnectionSecretToRef; ${other}`);
  }
  const whose = ownerUid === undefined ? 'nobody we know' : 'another managed resource';
  return new NotOurs(
    `${what} exists and belongs to ${whose}; ${other}, or label it ${ownerUidLabel}=${uid} to hand it over`,
  );
}
