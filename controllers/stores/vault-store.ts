import isEqual from 'lodash/isEqual.js';
import type { VaultClient, VaultSecret } from '../../clients/vault.ts';
import type { SecretStore, StoredConnection } from '../core/managed/secret-store.ts';
import { ownerUidLabel } from '../core/managed/store-publisher.ts';

/** How custom metadata tells annotations and the type from labels, which stand as they are. */
const annotationPrefix = 'annotation:';
const typeKey = 'secret.crossplane.io/type';

/**
 * Keeps connection details in a KV v2 engine, each at `<scope>/<name>`. Owner, labels, annotations and type are
 * custom metadata. The owner is written before the data, so that a crash in between leaves nothing of unknown
 * ownership; data are written with check-and-set.
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
      if (!isEqual(before && stored(before), current)) {
        throw new Error(`${mountPath}/${path} of Vault ${server} was changed by somebody else meanwhile`);
      }
      const metadata = metadataOf(desired);
      if (!isEqual(before?.customMetadata, metadata)) {
        await client.writeMetadata(path, metadata, signal);
      }
      if (!isEqual(before?.data, desired.data)) {
        await client.write(path, desired.data, { cas: before?.version ?? 0 }, signal);
      }
    },
    remove: (name, _current, signal) => client.remove(pathOf(name), signal),
  };
}

function stored({ data = {}, customMetadata }: VaultSecret): StoredConnection {
  const { [ownerUidLabel]: ownerUid, [typeKey]: type, ...rest } = customMetadata;
  const entries = Object.entries(rest);
  const isAnnotation = ([key]: [string, string]) => key.startsWith(annotationPrefix);
  return {
    data,
    ownerUid,
    labels: Object.fromEntries(entries.filter((entry) => !isAnnotation(entry))),
    annotations: Object.fromEntries(
      entries.filter(isAnnotation).map(([key, value]) => [key.slice(annotationPrefix.length), value]),
    ),
    ...(type === undefined ? {} : { type }),
  };
}

function metadataOf({ ownerUid, labels, annotations, type }: StoredConnection): Record<string, string> {
  return {
    ...labels,
    ...Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`${annotationPrefix}${key}`, value]),
    ),
    ...(type === undefined ? {} : { [typeKey]: type }),
    ...(ownerUid === undefined ? {} : { [ownerUidLabel]: ownerUid }),
  };
}
