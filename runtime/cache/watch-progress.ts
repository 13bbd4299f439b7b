import type { KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { apiErrorIn, isExpired } from '../client/errors.ts';
import { compareResourceVersions, versionOf } from './resource-version.ts';

/** The events that one subscription to a watch stream has delivered, and the place where the next watch starts. */
export interface WatchProgress {
  /** Where the next watch starts; undefined: list first. */
  readonly resumeFrom: string | undefined;
  /** The greatest resourceVersion of an object that a list or watch has delivered. */
  readonly newest: string;
  /** The key of that object; undefined: it was deleted. */
  readonly newestKey: ObjectKey | undefined;
  /** A request failed since the last list: the API server may have been restored from a backup. */
  readonly mustCheckHistory: boolean;
  /** How many lists in a row have expired half-way. */
  readonly expiredLists: number;
  /** A list starts with its first page. */
  restart(): void;
  delivered(object: KubernetesObject, isThere?: boolean): void;
  /** A list is complete. */
  listed(resourceVersion: string): void;
  /** An open watch has delivered an event. */
  watched(resourceVersion: string | undefined): void;
  /** The API server still has the history, or it does not. */
  checkedHistory(isSame: boolean): void;
  listAgain(): void;
  /** The open watch has probably missed a change: list the kind. */
  suspect(): void;
  /** After a suspicion and the list that follows: whether the watch had missed a change. Ends the suspicion. */
  wasSilent(): boolean;
  /**
   * A request failed. Decides where the next watch starts. `isFirstExpiry`: this is the first 410 of a watch since its last
   * event, so a list can succeed at once.
   */
  failed(error: unknown): { readonly isFirstExpiry: boolean };
}

export function createWatchProgress(): WatchProgress {
  let resumeFrom: string | undefined;
  let newest = '';
  let newestKey: ObjectKey | undefined;
  let mustCheckHistory = false;
  let expiredLists = 0;
  /** A 410 was answered, and no watch has delivered an event since. */
  let hasExpired = false;
  /** The position of a watch that probably missed a change. */
  let suspectedAt: string | undefined;

  return {
    get resumeFrom() {
      return resumeFrom;
    },
    get newest() {
      return newest;
    },
    get newestKey() {
      return newestKey;
    },
    get mustCheckHistory() {
      return mustCheckHistory;
    },
    get expiredLists() {
      return expiredLists;
    },
    restart() {
      newest = '';
    },
    delivered(object, isThere = true) {
      const version = versionOf(object);
      if (compareResourceVersions(version, newest) <= 0) return;
      newest = version;
      newestKey = isThere ? objectKey(object.metadata) : undefined;
    },
    listed(resourceVersion) {
      resumeFrom = resourceVersion;
      mustCheckHistory = false;
      expiredLists = 0;
    },
    watched(resourceVersion) {
      resumeFrom = resourceVersion ?? resumeFrom;
      hasExpired = false;
    },
    checkedHistory(isSame) {
      mustCheckHistory = false;
      if (!isSame) resumeFrom = undefined;
    },
    listAgain() {
      resumeFrom = undefined;
    },
    suspect() {
      suspectedAt = resumeFrom;
      resumeFrom = undefined;
    },
    wasSilent() {
      const isSilent = suspectedAt !== undefined && compareResourceVersions(newest, suspectedAt) > 0;
      suspectedAt = undefined;
      return isSilent;
    },
    failed(error) {
      mustCheckHistory = true;
      const { code = 0, reason } = apiErrorIn(error) ?? {};
      // It is not known which object an unreadable event was about, and resuming would deliver the same event again.
      const isUnreadable = reason === 'InvalidWatchEvent';
      // A list can succeed at once: the delay of an outage that has ended does not count.
      const isFirstExpiry = isExpired(error) && resumeFrom !== undefined && !hasExpired;
      hasExpired ||= isExpired(error);
      // guard: otherwise an expired watch is resumed for ever
      if (isExpired(error) || code === 404 || isUnreadable) {
        // A kind that was removed may be served again without its objects. A 404 without a Status may come from a proxy; then
        // a list does no harm, because only a list that succeeds changes the store.
        if (resumeFrom === undefined && isExpired(error)) expiredLists += 1;
        resumeFrom = undefined;
      }
      return { isFirstExpiry };
    },
  };
}
