import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { isAlreadyExists, isForbidden } from '../client/errors.ts';
import type { KubernetesClient } from '../client/kubernetes-client.ts';

/** No process can lead, because the namespace of the Lease does not exist. The message has the command that creates it. */
export class LeaseNamespaceMissing extends Error {
  override readonly name = 'LeaseNamespaceMissing';
}

export interface LeaseNamespaceOptions {
  readonly client: Pick<KubernetesClient, 'create'>;
  readonly namespace: string;
  /** Whether this process may create it (`--install-crds`). */
  readonly mayCreate: boolean;
  readonly signal: AbortSignal;
}

/** Creates the namespace of the Lease. Throws LeaseNamespaceMissing if it must not, else the API server's error. */
export async function createLeaseNamespace(options: LeaseNamespaceOptions): Promise<void> {
  const { client, namespace, mayCreate, signal } = options;
  const missing = `the namespace ${namespace} of the Lease does not exist`;
  const command = `"kubectl create namespace ${namespace}"`;
  if (!mayCreate) throw new LeaseNamespaceMissing(`${missing}: run ${command}, or start with --install-crds`);
  try {
    await client.create(
      NamespaceKind,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      signal,
    );
  } catch (error) {
    if (isForbidden(error)) {
      const message = `${missing}, and this process is not allowed to create it: run ${command}`;
      throw new LeaseNamespaceMissing(message, { cause: error });
    }
    // Another replica created it first.
    if (!isAlreadyExists(error)) throw error;
  }
}
