import isEqual from 'lodash/isEqual.js';
import pickBy from 'lodash/pickBy.js';
import type { VaultClient, VaultSecret } from '../../clients/vault.ts';
import { changedSinceRead } from '../../runtime/client/errors.ts';
import type { OwnedConnection, SecretStore, StoredConnection } from '../connection/secret-store.ts';
import { ownerUidLabel } from '../connection/store-place.ts';
import { credentialAnnotation } from '../credential.ts';

/** In custom metadata, annotations have this prefix and the type has this key. Other keys are labels. */
const annotationPrefix = 'annotation:';
const typeKey = 'secret.crossplane.io/type';

/**
 * Stores connection details in a KV v2 engine, each at `<scope>/<name>`. Owner, labels, annotations and type are custom
 * metadata.
 *
 * Vault checks a version only when data is written, not for metadata and deletions. So a creation or deletion first
 * writes a version of the data that names only the owner. Only one of several concurrent writers succeeds with that. A
 * write then removes old entries, writes the metadata, and writes the data last. After a crash between two steps, the
 * owner is still known.
 */
export function vaultStore(
  client: VaultClient,
  {
    server,
    mountPath,
    scope,
  }: { readonly server: string; readonly mountPath: string; readonly scope: string },
): SecretStore {
  const pathOf = (name: string): string => `${scope}/${name}`;

  return {
    describe: (name) => `${mountPath}/${pathOf(name)} of Vault ${server}`,
    async read(name, signal) {
      const secret = await client.read(pathOf(name), signal);
      return secret && stored(secret);
    },
    async write(name, current, desired, signal) {
      const path = pathOf(name);
      const before = await client.read(path, signal);
      if (!isEqual(before && stored(before), current)) throw changedSinceRead();
      let version = before?.version ?? 1;
      let present = before?.data;
      if (before === undefined) await client.write(path, reservation(desired.ownerUid), { cas: 0 }, signal);
      const data = dataOf(desired);
      const isRetained = (_: string, key: string) => key === ownerUidLabel || Object.hasOwn(data, key);
      const retained = pickBy(present, isRetained);
      if (present !== undefined && !isEqual(present, retained)) {
        await client.write(path, retained, { cas: version }, signal);
        version += 1;
        present = retained;
      }
      const metadata = metadataOf(desired);
      if (!isEqual(before?.customMetadata, metadata)) {
        await client.writeMetadata(path, metadata, signal);
      }
      if (!isEqual(present, data)) {
        await client.write(path, data, { cas: version }, signal);
      }
      return desired;
    },
    async remove(name, { ownerUid }, signal) {
      const path = pathOf(name);
      const secret = await client.read(path, signal);
      if (secret === undefined || stored(secret).ownerUid !== ownerUid) return;
      // guard: otherwise it removes an entry that has another owner now
      await client.write(path, reservation(ownerUid), { cas: secret.version }, signal);
      await client.remove(path, signal);
    },
  };
}

/** The first version of an entry, and the last one before its deletion. Of several writers only one succeeds with it. */
const reservation = (ownerUid = '') => ({ [ownerUidLabel]: ownerUid });

function stored({ data: newest = {}, customMetadata }: VaultSecret): StoredConnection {
  const { [ownerUidLabel]: reservedBy, [credentialAnnotation]: note, ...data } = newest;
  const { [ownerUidLabel]: owner, [typeKey]: type, ...rest } = customMetadata;
  const ownerUid = reservedBy ?? owner;
  const entries = Object.entries(rest);
  const isAnnotation = ([key]: [string, string]) => key.startsWith(annotationPrefix);
  return {
    data,
    ownerUid,
    labels: Object.fromEntries(entries.filter((entry) => !isAnnotation(entry))),
    annotations: {
      ...Object.fromEntries(
        entries.filter(isAnnotation).map(([key, value]) => [key.slice(annotationPrefix.length), value]),
      ),
      ...(note !== undefined && { [credentialAnnotation]: note }),
    },
    type,
  };
}

/** The data to write, with the credential annotation, because Vault writes metadata without a precondition. */
const dataOf = ({ data, annotations }: OwnedConnection): Record<string, string> => {
  const note = annotations[credentialAnnotation];
  return note === undefined ? { ...data } : { ...data, [credentialAnnotation]: note };
};

function metadataOf({ ownerUid, labels, annotations, type }: OwnedConnection): Record<string, string> {
  return {
    ...labels,
    ...Object.fromEntries(
      Object.entries(annotations)
        .filter(([key]) => key !== credentialAnnotation)
        .map(([key, value]) => [`${annotationPrefix}${key}`, value]),
    ),
    ...(type === undefined ? {} : { [typeKey]: type }),
    [ownerUidLabel]: ownerUid,
  };
}
