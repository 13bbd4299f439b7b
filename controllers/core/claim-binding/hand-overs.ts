import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { isTransient } from '../../../runtime/client/errors.ts';

/**
 * Claims that were given connection details, or may have been, and are not Bound yet. The secret says so, too, but
 * whoever made the claim may delete that, and has read it. This process remembers it; the next one has the secret only.
 */
export interface HandOvers {
  /** Hands over to a claim. What is refused was not given; what is left without an answer may have been. */
  during<T>(claim: Claim, handingOver: () => Promise<T>): Promise<T>;
  isOf(uid: string | undefined): boolean;
  /** It is Bound, which is on record, or gone. */
  forget(uid: string | undefined): void;
}

export function createHandOvers(): HandOvers {
  /** The UIDs of claims. */
  const given = new Set<string>();
  return {
    async during({ metadata: { uid = '' } }, handingOver) {
      const wasGiven = given.has(uid);
      given.add(uid);
      try {
        return await handingOver();
      } catch (error) {
        if (!wasGiven && !isTransient(error)) given.delete(uid);
        throw error;
      }
    },
    isOf: (uid = '') => given.has(uid),
    forget: (uid = '') => void given.delete(uid),
  };
}
