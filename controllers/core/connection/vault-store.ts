import isEqual from 'lodash/isEqual.js';
import pickBy from 'lodash/pickBy.js';
import type { VaultClient, VaultSecret } from '../../../clients/vault.ts';
import { changedSinceRead } from '../../../runtime/client/errors.ts';
import { credentialAnnotation } from '../credential.ts';
import type { OwnedConnection, SecretStore, StoredConnection } from './secret-store.ts';
import { ownerUidLabel } from './store-place.ts';

/** How custom metadata tells annotations and the type from labels, which stand as they are. */
const annotationPrefix = 'annotation:';
const typeKey = 'secret.crossplane.io/type';

/**
 * Keeps connection details in a KV v2 engine, each at `<scope>/<name>`. Owner, labels, annotations and type are
 * custom metadata.
 *
 * Vault checks and sets data only: neither custom metadata nor removal can be made to depend on what was read. So who
 * publishes at a path for the first time, and who removes it, takes it first with a version that names the owner in
 * place of data. Of several that is one, who then writes the metadata, and the data last; the others find another's.
 * A crash in between leaves nothing of unknown ownership. Only what is to go goes before the metadata: that says of what
 * was removed that whatever is there since is somebody else's.
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
      let there = before?.data;
      if (before === undefined) await take(path, desired.ownerUid, 0, signal);
      const data = dataOf(desired);
      const isLeft = (_: string, key: string) => key === ownerUidLabel || Object.hasOwn(data, key);
      const left = pickBy(there, isLeft);
      if (there !== undefined && !isEqual(there, left)) {
        await client.write(path, left, { cas: version }, signal);
        version += 1;
        there = left;
      }
      const metadata = metadataOf(desired);
      if (!isEqual(before?.customMetadata, metadata)) {
        await client.writeMetadata(path, metadata, signal);
      }
      if (!isEqual(there, data)) {
        await client.write(path, data, { cas: version }, signal);
      }
      return desired;
    },
    async remove(name, { ownerUid }, signal) {
      const path = pathOf(name);
      const secret = await client.read(path, signal);
      if (secret === undefined || stored(secret).ownerUid !== ownerUid) return;
      await take(path, ownerUid, secret.version, signal);
      await client.remove(path, signal);
    },
  };

  /** Adds a version that names the owner; throws if `version` is not the newest any more. */
  async function take(path: string, ownerUid = '', version: number, signal: AbortSignal): Promise<void> {
    await client.write(path, { [ownerUidLabel]: ownerUid }, { cas: version }, signal);
  }
}

function stored({ data: newest = {}, customMetadata }: VaultSecret): StoredConnection {
  const { [ownerUidLabel]: takenBy, [credentialAnnotation]: note, ...data } = newest;
  const { [ownerUidLabel]: owner, [typeKey]: type, ...rest } = customMetadata;
  const ownerUid = takenBy ?? owner;
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

/** The note is an entry of the data: Vault writes its metadata without a precondition. */
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
