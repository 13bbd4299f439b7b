import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { mayBeDone } from '../../../runtime/client/errors.ts';

/**
 * Claims that were given connection details, or may have been, and are not Bound yet. The secret says so, too, but
 * whoever made the claim may delete that, and has read it. This process remembers it; the next one has the mark on the
 * source only: handed-to.ts.
 */
export interface HandOvers {
  /**
   * Hands over to a claim. What is refused was not given; what is left without an answer may have been; and so may what
   * bore the mark before (`wasMarked`), by a former process.
   */
  during<T>(claim: Claim, wasMarked: boolean, handingOver: () => Promise<T>): Promise<T>;
  /** What this process knows of it; undefined: it has not tried. */
  of(uid: string | undefined): HandOver | undefined;
  /** It is Bound, which is on record, or gone. */
  forget(uid: string | undefined): void;
}

/** `refused`: nothing was given, by this process or another. */
export type HandOver = 'given' | 'refused';

export function createHandOvers(): HandOvers {
  /** By the UIDs of claims. */
  const known = new Map<string, HandOver>();
  return {
    async during({ metadata: { uid = '' } }, wasMarked, handingOver) {
      const mayHaveIt = (known.get(uid) ?? (wasMarked ? 'given' : 'refused')) === 'given';
      known.set(uid, 'given');
      try {
        return await handingOver();
      } catch (error) {
        if (!mayHaveIt && !mayBeDone(error)) known.set(uid, 'refused');
        throw error;
      }
    },
    of: (uid = '') => known.get(uid),
    forget: (uid = '') => void known.delete(uid),
  };
}
