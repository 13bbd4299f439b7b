import type { Managed, ManagedStatus } from '../../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../../apis/core/v1alpha1/managed.ts';
import type { Published } from '../connection/published-details.ts';
import { nextRevision, nothingPublished } from '../connection/published-details.ts';

/**
 * Which revision of its connection details is the newest of each managed resource: its status says so, or this process
 * knows, until it could write that.
 */
export interface Revisions {
  newest(managed: Managed): number;
  /** This one has been published. */
  published(managed: Managed, revision: number): void;
}

/**
 * What the status says once a revision outdates all that was published, where nothing is named that could be published to,
 * so that a place that is named again later is not believed; undefined: something is named, or nothing was ever published,
 * or the status says so already.
 */
export function pastAll(
  managed: Managed,
  { revision }: Pick<Published, 'revision'> = nothingPublished,
): Required<Pick<ManagedStatus, 'publishedRevision' | 'unpublishedRevision'>> | undefined {
  const isPastAll = revision === 0 || revision === managed.status?.unpublishedRevision;
  if (wantsDetails(managed) || isPastAll) return undefined;
  const next = nextRevision(revision);
  return { publishedRevision: next, unpublishedRevision: next };
}

export function createRevisions(): Revisions {
  const untold = new Map<string | undefined, number>();
  function newest({ metadata: { uid }, status }: Managed): number {
    const told = status?.publishedRevision ?? 0;
    const own = untold.get(uid) ?? 0;
    if (own <= told) untold.delete(uid);
    return Math.max(told, own);
  }

  return {
    newest,
    published({ metadata: { uid }, status }, revision) {
      if (revision > (status?.publishedRevision ?? 0)) untold.set(uid, revision);
    },
  };
}
