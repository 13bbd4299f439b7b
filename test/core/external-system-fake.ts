import { available, creating, unavailable } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../apis/core/v1alpha1/meta.ts';
import type { ExternalConnector } from '../../controllers/core/managed/external-client.ts';
import type { Provider, ProviderConfig } from '../../controllers/core/managed/provider-credentials.ts';
import type { ManagedService } from '../../controllers/core/managed/setup.ts';
import type { ClaimService } from '../../controllers/core/managed-service.ts';
import { stackControllers } from '../../controllers/core/stack.ts';
import type { FakeCluster } from './environment-fake.ts';
import { FakeProcess } from './environment-fake.ts';
import { managedKind, service } from './objects.ts';

const providerKind: Kind<Provider> = {
  group: 'fcp.crossplane.io',
  version: 'v1alpha3',
  kind: 'Provider',
  plural: 'providers',
  scope: 'Cluster',
};
const providerConfigKind: Kind<ProviderConfig> = {
  group: 'fcp.crossplane.io',
  version: 'v1alpha3',
  kind: 'ProviderConfig',
  plural: 'providerconfigs',
  scope: 'Cluster',
};

const detailsOf = (name: string) => ({ endpoint: `${name}.example.org`, username: 'admin' });

/**
 * An external system in memory, which outlives a process as the cluster does. It shows a password only when it
 * sets one, as real systems do. Each call that changes something is a step the process may not survive.
 */
export class FakeExternalSystem {
  /** Passwords by external name. */
  readonly databases = new Map<string, string>();
  /** Whether what exists is ready. */
  isReady = true;
  creations = 0;
  readonly #cluster: FakeCluster;
  #passwords = 0;

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
  }

  /** The managed service that this system stands behind. */
  service(): ManagedService {
    return {
      kind: managedKind,
      connector: this.#connector(),
      providers: { provider: providerKind, providerConfig: providerConfigKind },
      externalNames: 'deterministic',
    };
  }

  #setPassword(name: string) {
    const password = `password-${++this.#passwords}`;
    this.databases.set(name, password);
    this.#cluster.step();
    return { details: { ...detailsOf(name), password } };
  }

  #connector(): ExternalConnector {
    const nameOf = (managed: Managed) => externalName(managed) ?? managed.metadata.name;
    return {
      connect: async () => ({
        observe: async (managed, known) => {
          const password = this.databases.get(nameOf(managed));
          if (password === undefined) return { exists: false, isUpToDate: false };
          const details = detailsOf(nameOf(managed));
          if (known.password !== password) {
            return { exists: true, isUpToDate: false, details, ready: unavailable('password unknown') };
          }
          return { exists: true, isUpToDate: true, details, ready: this.isReady ? available() : creating() };
        },
        create: async (managed) => {
          if (!this.databases.has(nameOf(managed))) this.creations += 1;
          return this.#setPassword(nameOf(managed));
        },
        update: async (managed) => this.#setPassword(nameOf(managed)),
        delete: async (managed) => {
          this.databases.delete(nameOf(managed));
          this.#cluster.step();
        },
      }),
    };
  }
}

/** A process that runs every controller of a stack with this claim service over the external system. */
export const startStack = (
  cluster: FakeCluster,
  external: FakeExternalSystem,
  options: ConstructorParameters<typeof FakeProcess>[2] & {
    readonly services?: readonly ClaimService[];
  } = {},
): FakeProcess => {
  const { services = [service], ...rest } = options;
  return new FakeProcess(
    cluster,
    (env) => stackControllers(env, [{ name: 'fcp', claims: services, managed: () => [external.service()] }]),
    rest,
  );
};
