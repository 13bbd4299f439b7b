import { apiVersionOf } from '../apis/core/v1alpha1/kind.ts';
import type { ConnectionDetails } from '../apis/core/v1alpha1/secret.ts';
import { encodeDetails, SecretKind } from '../apis/core/v1alpha1/secret.ts';
import type { ProviderKinds } from '../controllers/provider/provider-credentials.ts';
import type { MemoryCluster } from './memory-cluster.ts';
import type { World } from './scenario.ts';

/** The namespace of the Secrets of an administrator. */
export const namespace = 'conformance';

/** The Secret that the ProviderConfig names. */
export function putCredentials(cluster: MemoryCluster, entries: ConnectionDetails): void {
  cluster.put(SecretKind, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: 'credentials' },
    data: encodeDetails(entries),
  });
}

/** The ProviderConfig `default` of a world, and its Secret. */
export function putProvider(
  cluster: MemoryCluster,
  { credentials, parameters }: Pick<World, 'credentials' | 'parameters'>,
  { providerConfig }: Pick<ProviderKinds, 'providerConfig'>,
): void {
  const entries = typeof credentials === 'string' ? { credentials } : credentials;
  putCredentials(cluster, entries);
  const key = Object.keys(entries)[0] ?? 'credentials';
  const secretRef = { namespace, name: 'credentials', key };
  cluster.put(providerConfig, {
    apiVersion: apiVersionOf(providerConfig),
    kind: providerConfig.kind,
    metadata: { name: 'default' },
    spec: { ...parameters, credentials: { source: 'Secret', secretRef } },
  });
}
