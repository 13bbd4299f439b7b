import isEqual from 'lodash/isEqual.js';
import { connectionSecretType } from '../../apis/core/v1alpha1/meta.ts';
import { controllerUid } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, encodeDetails, secretEntryProblem } from '../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import { changedSinceRead, isAlreadyExists } from '../../runtime/client/errors.ts';
import type { OwnedConnection, SecretStore, StoredConnection } from '../connection/secret-store.ts';
import { ownerUidLabel } from '../connection/store-place.ts';

/**
 * Stores connection details in Secrets of one namespace, labelled with their owner's UID. A write or deletion fails if
 * the Secret does not have the resourceVersion that was read. `className`: the class that named the entries, for messages.
 */
export function kubernetesStore(
  secrets: Resource<Secret>,
  namespace: string,
  className?: string,
): SecretStore {
  const find = (name: string, signal: AbortSignal): Promise<Secret | undefined> =>
    secrets.find({ namespace, name }, signal);

  return {
    describe: (name) => `secret ${namespace}/${name}`,
    async read(name, signal) {
      const secret = await find(name, signal);
      return secret && stored(secret);
    },
    async write(name, current, desired, signal) {
      const wanted = partsOf(desired);
      if (current === undefined) {
        const problem = secretEntryProblem(name, className);
        if (problem !== undefined) throw new Error(problem);
        const { type = connectionSecretType } = desired;
        const metadata = { namespace, name, ...wanted.metadata };
        const secret: Secret = { apiVersion: 'v1', kind: 'Secret', type, ...wanted, metadata };
        const created = await secrets.create(secret, signal).catch((error: unknown) => {
          throw isAlreadyExists(error) ? changedSinceRead() : error;
        });
        return stored(created);
      }
      const before = await find(name, signal);
      if (before === undefined || !isEqual(stored(before), current)) throw changedSinceRead();
      const metadata = { ...before.metadata, ...wanted.metadata };
      return stored(await secrets.update(before, { ...before, ...wanted, metadata }, signal));
    },
    async remove(name, { ownerUid }, signal) {
      const secret = await find(name, signal);
      if (secret !== undefined && stored(secret).ownerUid === ownerUid) await secrets.delete(secret, signal);
    },
  };
}

function stored(secret: Secret): StoredConnection {
  const { [ownerUidLabel]: ownerUid, ...labels } = secret.metadata.labels ?? {};
  const controller = controllerUid(secret);
  return {
    data: decodeDetails(secret),
    ownerUid,
    ...(controller !== undefined && { controllerUid: controller }),
    labels,
    annotations: secret.metadata.annotations ?? {},
    type: secret.type,
  };
}

/** The parts of a Secret that may change. */
const partsOf = ({ data, ownerUid, labels, annotations }: OwnedConnection) => ({
  metadata: { labels: { ...labels, [ownerUidLabel]: ownerUid }, annotations },
  data: encodeDetails(data),
});
