import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { annotate, isNotFound } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import { recordClaimEvent } from '../claim/claim-events.ts';
import type { ClaimFacts } from '../claim/claim-status.ts';
import { withClaimStatus } from '../claim/claim-status.ts';
import { describeEdits, ineffectiveEdits, withEdits } from './edits.ts';

export interface ClaimReporterOptions {
  readonly env: Pick<Environment, 'events' | 'now'>;
  readonly claims: Resource<Claim>;
  /** The managed resource that names a claim, of whatever kind. */
  readonly heldBy: (claim: Claim) => Managed | undefined;
}

/** Says on a claim, and in Events, what was found out about it. */
export type ClaimReporter = (
  claim: Claim,
  facts: ClaimFacts,
  event: EventFacts | undefined,
  signal: AbortSignal,
) => Promise<void>;

/**
 * Writes a claim's status if it changes, with what is to be said of edits that have no effect. A Normal event tells of a
 * change; a Warning is recorded at each pass, for as long as its cause lasts: the recorder bounds how often it is sent. A
 * claim that is gone needs none.
 */
export function claimReporter({ env, claims, heldBy }: ClaimReporterOptions): ClaimReporter {
  return async (claim, facts, event, signal) => {
    const edits = ineffectiveEdits(claim, heldBy(claim));
    const reported = withClaimStatus(claim, withEdits(facts, edits), env.now());
    let written: Claim;
    try {
      written = await annotate(
        'cannot update resource claim status',
        claims.updateStatus(claim, reported, signal),
      );
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    const isNews =
      claim.status?.bindingPhase !== written.status?.bindingPhase ||
      !isEqual(saying(claim, 'Ready'), saying(written, 'Ready'));
    if (event !== undefined && (isNews || event.type === 'Warning')) recordClaimEvent(env, claim, event);
    if (edits.length > 0) {
      const message = describeEdits(edits);
      recordClaimEvent(env, claim, { type: 'Warning', reason: 'CannotApplyEdit', message });
    }
  };
}

/** What a condition says, but for its times. */
function saying({ status }: Claim, type: string): readonly (string | undefined)[] {
  const { status: value, reason, message } = getCondition(status?.conditions, type);
  return [value, reason, message];
}
