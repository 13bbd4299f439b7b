import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Clock } from '../../../runtime/time/clock.ts';

/**
 * Creations of managed resources that were given no answer. One may be carried out yet, and after its claim has gone:
 * then nobody else knows whose it was. This process remembers it for as long as that may take; the next one does not.
 */
export interface UnansweredCreations {
  /** A creation for a claim failed otherwise than by a refusal. */
  note(claim: Claim): void;
  /** The claim is let go. */
  letGo(claim: Claim): void;
  /** Whether a managed resource comes of a creation that was unanswered when its claim was let go. */
  isOf(managed: Managed): boolean;
}

/** A kube-apiserver gives up after a minute (--request-timeout); what is on the way to it may take longer. */
const mayTakeMs = 5 * 60_000;

export function createUnansweredCreations(clock: Pick<Clock, 'elapsedMs'>): UnansweredCreations {
  /** By the UIDs of claims. */
  const creations = new Map<string, { readonly untilMs: number; readonly isLetGo: boolean }>();

  const forgetOld = (): void => {
    const nowMs = clock.elapsedMs();
    for (const [uid, { untilMs }] of creations) {
      if (untilMs <= nowMs) creations.delete(uid);
    }
  };

  return {
    note({ metadata: { uid = '' } }) {
      forgetOld();
      creations.set(uid, { untilMs: clock.elapsedMs() + mayTakeMs, isLetGo: false });
    },
    letGo({ metadata: { uid = '' } }) {
      forgetOld();
      const creation = creations.get(uid);
      if (creation !== undefined) creations.set(uid, { ...creation, isLetGo: true });
    },
    isOf({ spec: { claimRef } }) {
      forgetOld();
      return creations.get(claimRef?.uid ?? '')?.isLetGo === true;
    },
  };
}
