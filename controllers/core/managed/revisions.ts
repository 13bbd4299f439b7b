import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';

/**
 * Which revision of its connection details is the newest of each managed resource: its status says so, or this process
 * knows, until it could write that.
 */
export interface Revisions {
  newest(managed: Managed): number;
  /** This one has been published. */
  published(managed: Managed, revision: number): void;
}

export function createRevisions(): Revisions {
  const untold = new Map<string | undefined, number>();
  return {
    newest({ metadata: { uid }, status }) {
      const told = status?.publishedRevision ?? 0;
      const own = untold.get(uid) ?? 0;
      if (own <= told) untold.delete(uid);
      return Math.max(told, own);
    },
    published({ metadata: { uid }, status }, revision) {
      if (revision > (status?.publishedRevision ?? 0)) untold.set(uid, revision);
    },
  };
}
