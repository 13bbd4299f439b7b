/*
 *   managed resource ──names──▶ a Secret ────────────▶ secret-place.ts
 *                    └─names──▶ a StoreConfig ───────▶ store-place.ts ─▶ kubernetes-store.ts
 *                                                                     └▶ vault-store.ts
 *   Both are named: the Secret decides, and the store is a copy (connection-places.ts).
 */

import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ReportedDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { absentAmong, present } from '../../../apis/core/v1alpha1/secret.ts';
import type { KeptCredential } from '../credential.ts';

/** The connection details of a managed resource in one place, in the version that was read. */
export interface ConnectionEntry extends KeptCredential {
  /** False: no existing object owns it, and the next write makes the managed resource its owner. */
  readonly isOwned: boolean;
  /**
   * Replaces the entry. Throws a conflict if it has changed. If the note names another claim than before, the
   * consent to copy to the previous claim is removed.
   */
  write(managed: Managed, desired: KeptCredential, signal: AbortSignal): Promise<ConnectionEntry>;
  /** Throws a conflict if it was changed or removed after it was read. */
  confirm(signal: AbortSignal): Promise<void>;
}

/** A Secret or an entry in a secret store. */
export interface ConnectionPlace {
  isNamed(managed: Managed): boolean;
  /** Undefined: it does not exist. Throws NotOurs if it belongs to another object. */
  read(managed: Managed, signal: AbortSignal): Promise<ConnectionEntry | undefined>;
  /** Throws a conflict if it exists. */
  create(managed: Managed, desired: KeptCredential, signal: AbortSignal): Promise<ConnectionEntry>;
  /** Deletes the Secrets and entries that the managed resource no longer names. */
  removeFormer(managed: Managed, signal: AbortSignal): Promise<void>;
  /** Deletes all Secrets and entries of the managed resource. */
  remove(managed: Managed, signal: AbortSignal): Promise<void>;
}

/** The Secret or entry belongs to another object. */
export class NotOurs extends Error {
  override readonly name = 'NotOurs';
}

/** Reported entries replace those of the same key. A `null` removes the entry. */
export function withReported(
  details: KeptCredential['details'],
  reported: ReportedDetails,
): KeptCredential['details'] {
  const gone = new Set(absentAmong(reported));
  const kept = Object.entries(details).filter(([key]) => !gone.has(key));
  return { ...Object.fromEntries(kept), ...present(reported) };
}
