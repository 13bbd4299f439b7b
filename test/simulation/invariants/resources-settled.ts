import attempt from 'lodash/attempt.js';
import isError from 'lodash/isError.js';
import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerUid } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { StoreConfig } from '../../../apis/core/v1alpha1/store-config.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { FavouriteDBInstanceKind } from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import * as fcp from '../../../apis/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceKind } from '../../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import * as ocp from '../../../apis/ocp/v1alpha1/provider.ts';
import type { InvariantOf, Seen } from '../invariant.ts';
import type { Database } from '../oracle/expected-resource.ts';
import { faultsOf } from '../oracle/expected-resource.ts';
import { isTakenFrom } from '../oracle/taken-secret.ts';

const databaseKinds: readonly { readonly kind: Kind; readonly provider: Kind; readonly config: Kind }[] = [
  { kind: FavouriteDBInstanceKind, provider: fcp.ProviderKind, config: fcp.ProviderConfigKind },
  { kind: AmbivalentDBInstanceKind, provider: ocp.ProviderKind, config: ocp.ProviderConfigKind },
];

interface SecretKeyRef {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** The condition of a Provider or ProviderConfig about credentials. */
interface ProviderLike extends KubernetesObject {
  readonly spec: {
    readonly credentialsSecretRef?: SecretKeyRef;
    readonly credentials?: { readonly source: string; readonly secretRef?: SecretKeyRef };
  };
}

/** The provider that a managed resource uses. */
function providerNamed({ spec }: Managed): readonly [kind: string, name: string] {
  const { providerConfigRef, providerRef } = spec;
  if (providerConfigRef?.name !== undefined) return ['ProviderConfig', providerConfigRef.name];
  return providerRef?.name === undefined ? ['ProviderConfig', 'default'] : ['Provider', providerRef.name];
}

/** The databases that a resource's provider leads to. */
function databasesOf(
  { cluster, clouds }: Pick<Seen, 'cluster' | 'clouds'>,
  managed: Managed,
  { provider, config }: (typeof databaseKinds)[number],
): readonly Database[] | undefined {
  const [kind, name] = providerNamed(managed);
  const found = cluster.find(kind === 'Provider' ? provider : config, { name }) as ProviderLike | undefined;
  const { credentials, credentialsSecretRef } = found?.spec ?? {};
  // Variables, files and other places hold nothing here.
  const at = credentials?.source === 'Secret' ? credentials.secretRef : credentialsSecretRef;
  const held = at && decodeDetails(cluster.find(SecretKind, at))[at.key];
  if (held === undefined) return undefined;
  const parsed = attempt(() => JSON.parse(held) as { readonly url?: string; readonly token?: string });
  const { url, token } = isError(parsed) ? {} : parsed;
  const cloud = Object.values(clouds).find((each) => each.url === url && each.token === token);
  return cloud?.instances().map(({ item }) => item);
}

const ownerUidLabel = 'secret.crossplane.io/owner-uid';

/**
 * The place where a resource is to publish, as `namespace/name`, if another existing resource has it: of two
 * that name one place the second has none. A backup restores entries of secret stores with the former UID of
 * their own resource. A user can also have an entry created as a Secret of another type, which is not
 * watched. Such an entry stays when nothing is published there.
 */
function takenFrom({ cluster, vault, restored }: Seen, managed: Managed): string | undefined {
  const { metadata, spec } = managed;
  const isThere = (uid: string): boolean => cluster.objects().some((each) => each.metadata.uid === uid);
  const { writeConnectionSecretToRef: to, publishConnectionDetailsTo: published } = spec;
  if (to !== undefined && isTakenFrom(managed, to, cluster)) return `${to.namespace}/${to.name}`;
  if (published === undefined) return undefined;
  const name = published.configRef?.name ?? 'default';
  const config = cluster.find(StoreConfigKind, { name }) as StoreConfig | undefined;
  if (config === undefined) return undefined;
  const { type, defaultScope } = config.spec;
  const place = { namespace: defaultScope, name: published.name };
  const path = `${place.namespace}/${place.name}`;
  const secret = type === 'Vault' ? undefined : (cluster.find(SecretKind, place) as Secret | undefined);
  const labels = type === 'Vault' ? vault.peek(path)?.customMetadata : secret?.metadata.labels;
  const owner = (labels as Readonly<Record<string, string>> | undefined)?.[ownerUidLabel];
  if (owner === undefined || owner === metadata.uid) return undefined;
  const isUnwatched = secret !== undefined && secret.type !== connectionSecretType;
  return isThere(owner) || restored.has(metadata.uid ?? '') || isUnwatched ? path : undefined;
}

export const resourcesSettled: InvariantOf = (world) => ({
  name: 'a managed resource at rest has the state of its external resource, and reports it',
  atRest: () =>
    databaseKinds.flatMap((of) =>
      (world.cluster.all(of.kind) as unknown as readonly Managed[])
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .flatMap((managed) => {
          const { metadata, spec, status } = managed;
          const to = spec.writeConnectionSecretToRef;
          const found = to && world.cluster.find(SecretKind, to);
          const secret = found && controllerUid(found) === metadata.uid ? found : undefined;
          const databases = databasesOf(world, managed, of);
          const isObserved = status?.observedGeneration === metadata.generation;
          return [
            ...faultsOf(managed, { databases, secret, taken: takenFrom(world, managed) }),
            ...(isObserved
              ? []
              : [`it has observed generation ${status?.observedGeneration} of ${metadata.generation}`]),
          ].map((fault) => `${of.kind.kind} ${metadata.name}: ${fault}`);
        }),
    ),
});
