import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import type { Trigger } from '../../../runtime/controller/triggers.ts';

/** Connection details as a secret store keeps them, and what it keeps about them. */
export interface StoredConnection {
  readonly data: ConnectionDetails;
  /** The UID of the managed resource it belongs to; undefined: it is not ours. */
  readonly ownerUid: string | undefined;
  /** The UID of the object that controls it, where it is an object in the cluster that has a controller. */
  readonly controllerUid?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The type of the secret, where the secret store has types. */
  readonly type: string | undefined;
}

/** Connection details as a secret store is to keep them. */
export interface OwnedConnection extends StoredConnection {
  readonly ownerUid: string;
}

/** One place that keeps connection details by name. Errors are fit for a condition and without secrets. */
export interface SecretStore {
  /** For messages: `Vault https://vault.example.com, secret/crossplane/orders`. */
  describe(name: string): string;
  read(name: string, signal: AbortSignal): Promise<StoredConnection | undefined>;
  /** Returns what is there then, as `read` does. Throws if what is there is no longer `current` (undefined: nothing). */
  write(
    name: string,
    current: StoredConnection | undefined,
    desired: OwnedConnection,
    signal: AbortSignal,
  ): Promise<StoredConnection>;
  /**
   * Removes it for good if it still belongs to whom `current` says; what does not stays, and what is gone is success.
   * Throws if it changes meanwhile.
   */
  remove(name: string, current: StoredConnection, signal: AbortSignal): Promise<void>;
}

/** The secret stores of a process. */
export interface SecretStores {
  /** The secret store that a StoreConfig describes. Throws an Error that names the StoreConfig and what is wrong. */
  open(storeConfig: string, signal: AbortSignal): Promise<SecretStore>;
  /**
   * Removes what references of a managed resource led to before, but not what they lead to now. Only the stores in the
   * cluster can tell.
   */
  removeFormer(managed: Managed, signal: AbortSignal): Promise<void>;
  /** What wakes managed resources of a kind because of their secret stores. */
  triggers(managed: Resource<Managed>): readonly Trigger[];
}
