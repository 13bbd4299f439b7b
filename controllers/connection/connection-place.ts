/*
 *   managed resource ──names──▶ a Secret ────────────▶ secret-place.ts
 *                    └─names──▶ a StoreConfig ───────▶ store-place.ts ─▶ kubernetes-store.ts
 *                                                                     └▶ vault-store.ts
 *   If both are named, the Secret is read, and the secret store gets a copy (connection-places.ts).
 */

import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { ReportedDetails, SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import { absentAmong, present } from '../../apis/core/v1alpha1/secret.ts';
import type { StoredCredential } from '../credential.ts';

/** An entry: the connection details of a managed resource in a Secret or secret store, in the version that was read. */
export interface ConnectionEntry extends StoredCredential {
  /** Whether the managed resource owns the entry. If not, the entry has no owner until the next write sets it. */
  readonly isOwned: boolean;
  /**
   * Replaces the entry. Throws a conflict if the entry has changed. If `desired.note` names another claim than before,
   * removes the annotation that lets the entry be copied to the previous claim.
   */
  write(managed: Managed, desired: StoredCredential, signal: AbortSignal): Promise<ConnectionEntry>;
  /** Throws a conflict if the entry was changed or removed after it was read. */
  confirm(signal: AbortSignal): Promise<void>;
}

/** Where connection details are stored: in Secrets, or in secret stores. */
export interface ConnectionPlace {
  isNamed(managed: Managed): boolean;
  /** Reads the entry. Undefined if it does not exist. Throws a ControllerError if another object owns the entry. */
  read(managed: Managed, signal: AbortSignal): Promise<ConnectionEntry | undefined>;
  /** Throws a conflict if the entry exists; a ControllerError if another object owns it, or if its namespace does not exist. */
  create(managed: Managed, desired: StoredCredential, signal: AbortSignal): Promise<ConnectionEntry>;
  /** Deletes the Secrets and secret store entries that the managed resource no longer names. Returns the deleted Secrets. */
  removePrevious(managed: Managed, signal: AbortSignal): Promise<readonly SecretKey[]>;
  /** Deletes all Secrets and secret store entries of the managed resource. */
  remove(managed: Managed, signal: AbortSignal): Promise<void>;
}

/** Returns the details after a report: a reported value replaces the one of the same key, and `null` removes it. */
export function withReported(
  details: StoredCredential['details'],
  reported: ReportedDetails,
): StoredCredential['details'] {
  const gone = new Set(absentAmong(reported));
  const remaining = Object.entries(details).filter(([key]) => !gone.has(key));
  return { ...Object.fromEntries(remaining), ...present(reported) };
}
