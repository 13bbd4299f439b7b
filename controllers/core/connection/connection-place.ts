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

/** The connection details that one place keeps for a managed resource, in the version that was read. */
export interface ConnectionEntry extends KeptCredential {
  /** The managed resource owns it. False: no living object does, and the next write makes the managed resource its owner. */
  readonly isOwned: boolean;
  /**
   * Replaces what is kept, if it is still in this version; else throws a conflict. A claim's consent to be copied ends when
   * the note names another claim than before.
   */
  write(managed: Managed, desired: KeptCredential, signal: AbortSignal): Promise<ConnectionEntry>;
  /** Throws a conflict if it was changed, or removed, since it was read. */
  confirm(signal: AbortSignal): Promise<void>;
}

/** Where connection details are kept. */
export interface ConnectionPlace {
  /** Whether the managed resource names such a place. */
  isNamed(managed: Managed): boolean;
  /** Undefined: nothing is kept there. Throws NotOurs if the place belongs to another object. */
  read(managed: Managed, signal: AbortSignal): Promise<ConnectionEntry | undefined>;
  /** Throws a conflict if something is kept there already. */
  create(managed: Managed, desired: KeptCredential, signal: AbortSignal): Promise<ConnectionEntry>;
  /** Deletes the Secrets and entries that the managed resource named before and names no more. */
  removeFormer(managed: Managed, signal: AbortSignal): Promise<void>;
  /** Removes all that is kept for the managed resource. */
  remove(managed: Managed, signal: AbortSignal): Promise<void>;
}

/** The place that a managed resource names belongs to another object. */
export class NotOurs extends Error {
  override readonly name = 'NotOurs';
}

/** Details with what was reported: reported entries replace those of the same key, those of `null` are removed. */
export function withReported(
  details: KeptCredential['details'],
  reported: ReportedDetails,
): KeptCredential['details'] {
  const gone = new Set(absentAmong(reported));
  const kept = Object.entries(details).filter(([key]) => !gone.has(key));
  return { ...Object.fromEntries(kept), ...present(reported) };
}
