import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails, SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import type { Trigger } from '../../runtime/controller/triggers.ts';

/** Connection details and their metadata in a secret store. */
export interface StoredConnection {
  readonly data: ConnectionDetails;
  /** The UID of the managed resource that owns the entry. Undefined if the entry is of another product or a user. */
  readonly ownerUid: string | undefined;
  /** The UID of the object that controls the entry, for stores whose entries are Secrets. */
  readonly controllerUid?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The type of the Secret, for stores whose entries are Secrets. */
  readonly type: string | undefined;
}

export interface OwnedConnection extends StoredConnection {
  readonly ownerUid: string;
}

/** Stores connection details by name. Conditions may show its error messages, so these contain no secrets. */
export interface SecretStore {
  /** The name of an entry in messages: `secret/crossplane/orders of Vault https://vault.example.com`. */
  describe(name: string): string;
  read(name: string, signal: AbortSignal): Promise<StoredConnection | undefined>;
  /**
   * Writes an entry, and returns it as `read` does. Throws a conflict if the stored entry is not `current` any more. If
   * `current` is undefined, the entry must not exist.
   */
  write(
    name: string,
    current: StoredConnection | undefined,
    desired: OwnedConnection,
    signal: AbortSignal,
  ): Promise<StoredConnection>;
  /**
   * Deletes the entry if it has the same owner as `current`. Succeeds if the entry does not exist or has another owner.
   * Throws if the entry changes at the same time.
   */
  remove(name: string, current: StoredConnection, signal: AbortSignal): Promise<void>;
}

export interface SecretStores {
  /** Whether the StoreConfig that a managed resource names exists. Without the StoreConfig, no entry can be deleted. */
  exists(managed: Managed): boolean;
  /** Opens the store that a managed resource names. Throws an Error that names the StoreConfig and its problem. */
  open(managed: Managed, signal: AbortSignal): Promise<SecretStore>;
  /**
   * Deletes entries that the managed resource no longer names, in stores whose entries are Secrets of this cluster. Returns
   * the deleted ones.
   */
  removePrevious(managed: Managed, signal: AbortSignal): Promise<readonly SecretKey[]>;
  /** The triggers that start a run of a managed resource after a change in its secret store. */
  triggers(managed: Resource<Managed>): readonly Trigger[];
}
