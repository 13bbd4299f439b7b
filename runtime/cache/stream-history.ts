import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { compareResourceVersions, versionOf } from './resource-version.ts';

/** The history that a watch stream has delivered, and the deletions that it still has to report. */
export interface StreamHistory {
  /** The stream has delivered this resourceVersion. */
  advance(resourceVersion: string): void;
  /**
   * The stream begins to list at this resourceVersion. A consistent list is never older than the stream's position, unless
   * etcd was restored from a backup. Then versions cannot be compared, and only the list counts.
   */
  listAt(resourceVersion: string): void;
  /** The list is complete. */
  finishList(resourceVersion: string): void;
  /** The API server was restored to an older state, and no list has been completed since. */
  readonly isRewound: boolean;
  /** Whether the stream has not delivered this version of an object yet. */
  isAhead(object: KubernetesObject): boolean;
  /** A write of this process has deleted the object. */
  deleted(object: KubernetesObject): void;
  /** The stream has reported the deletion, or has the object. */
  settle(object: KubernetesObject): void;
  /** Whether a late event or answer is about an object that was deleted since. */
  isPast(object: KubernetesObject): boolean;
}

const uidOf = ({ metadata: { uid = '' } }: KubernetesObject): string => uid;

export function createStreamHistory(): StreamHistory {
  /** The stream's position: a resourceVersion. */
  let position = '';
  let isRewound = false;
  /** The objects that a write of this process deleted, until the stream reports the deletion: the last version by UID. */
  const deletedByWrite = new Map<string, string>();

  const advance = (resourceVersion: string): void => {
    if (compareResourceVersions(resourceVersion, position) > 0) position = resourceVersion;
  };
  return {
    advance,
    listAt(resourceVersion) {
      if (compareResourceVersions(resourceVersion, position) >= 0) return;
      isRewound = true;
      position = resourceVersion;
    },
    finishList(resourceVersion) {
      for (const [uid, version] of deletedByWrite) {
        if (isRewound || compareResourceVersions(version, resourceVersion) <= 0) deletedByWrite.delete(uid);
      }
      isRewound = false;
      advance(resourceVersion);
    },
    get isRewound() {
      return isRewound;
    },
    isAhead: (object) => compareResourceVersions(versionOf(object), position) > 0,
    deleted: (object) => void deletedByWrite.set(uidOf(object), versionOf(object)),
    settle: (object) => void deletedByWrite.delete(uidOf(object)),
    isPast: (object) => deletedByWrite.has(uidOf(object)),
  };
}
