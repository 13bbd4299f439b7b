import compact from 'lodash/compact.js';
import isEqual from 'lodash/isEqual.js';
import pick from 'lodash/pick.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { binding, creating, deleting, getCondition, notReady } from '../../apis/core/v1alpha1/condition.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { Result } from '../../runtime/controller/reconcile.ts';
import { after, done, requeue } from '../../runtime/controller/reconcile.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import type { Logger } from '../../runtime/log/log.ts';
import { reportClaimEvent } from '../claim/claim-events.ts';
import type { ClaimFacts } from '../claim/claim-status.ts';
import { withClaimStatus } from '../claim/claim-status.ts';
import { wasBound } from '../claim/ownership.ts';
import { conclude, failureReport } from '../outcome.ts';
import type { FailureFacts, StepFailure } from '../step-failure.ts';
import type { BindingContext } from './context.ts';
import type { BindingCall, BindingFacts } from './decision.ts';
import { calls } from './decision.ts';
import type { Report } from './report.ts';
import { soonMs } from './report.ts';

/** The result of a run: the report on the claim, and the time of the next run if no event triggers it earlier. */
export interface Outcome {
  readonly result: Result;
  /** Absent if the run does not write the status. Then it records no Events either. */
  readonly facts?: ClaimFacts;
  /** Normal Events are recorded only if the phase or Ready changes. Warnings are always recorded. */
  readonly events?: readonly EventFacts[];
  /** An Event of the claim's managed resource. */
  readonly resourceEvent?: EventFacts;
  readonly failure?: StepFailure;
}

export const cannotBind: FailureFacts = { reason: 'CannotBindManagedResource', ready: binding };
export const cannotRefresh: FailureFacts = { reason: 'CannotBindManagedResource' };
const cannotUnbind: FailureFacts = { reason: 'CannotUnbindManagedResource', ready: deleting };
const cannotReserve: FailureFacts = { reason: 'CannotCreateManagedResource', ready: creating };
const cannotCreate: FailureFacts = { ...cannotReserve, hintIfRefused: advice.allowCreation };
export const cannotCopy: FailureFacts = { reason: 'CannotPropagateConnectionDetails', ready: binding };
/** The claim keeps its copy. */
export const cannotCopyAgain: FailureFacts = { reason: 'CannotPropagateConnectionDetails' };
export const secretConflict: FailureFacts = {
  reason: 'CannotPropagateConnectionDetails',
  ready: (message) => notReady('SecretConflict', message),
};
/** The run is not retried after a delay: a change of the class or the claim triggers the next run. */
export const cannotConfigure: FailureFacts = {
  reason: 'CannotConfigureManagedResource',
  ready: (message) => notReady('Incompatible', message),
  result: done,
};
export const cannotRead: FailureFacts = { reason: 'CannotGetManagedResource' };

export function failureOf(
  decision: BindingCall,
  { claim, provisioning }: BindingFacts,
): { readonly what: string; readonly facts: FailureFacts } {
  const { name } = decision;
  const what = calls[name];
  if (wasDeleted(claim)) return { what, facts: cannotUnbind };
  if (name === 'CopySecret' || name === 'DeleteSecret') return { what, facts: cannotCopy };
  if (decision.name === 'Create') return { what: creationFrom(decision.resourceClass), facts: cannotCreate };
  if (provisioning !== undefined) return { what, facts: cannotReserve };
  return { what, facts: wasBound(claim) ? cannotRefresh : cannotBind };
}

/** Names the class, because it may lack a field that a new definition requires. */
const creationFrom = ({ kind, metadata }: Class): string => `${calls.Create} from ${kind} ${metadata.name}`;

/** The time after which a run reports a failing resource again, even if no object changes. */
const repeatAfterMs = 600_000;

/** Turns a report into an outcome. If the resource will probably be ready soon, the run ends without a report. */
export function reported({ notBeforeMs = 0, resourceEvent, facts, events }: Report, now: Date): Outcome {
  const waitMs = notBeforeMs - now.getTime();
  // If the wait is longer, the clocks of this process and the API server differ. Then report now.
  if (waitMs > 0 && waitMs <= soonMs) return { result: after(waitMs) };
  const isFailing = events.some(({ reason }) => reason === 'ManagedResourceTrouble');
  const result = isFailing ? after(repeatAfterMs) : done;
  return { facts, events, ...(resourceEvent && { resourceEvent }), result };
}

export function failedOutcome(failure: StepFailure): Outcome {
  const { synced, ready, cause, event } = failureReport(failure);
  const shown = ready && { ...ready, ...(cause && { reason: cause }) };
  return {
    facts: { conditions: compact([shown, synced]), isStuck: failure.bug !== undefined },
    events: compact([event]),
    result: failure.facts.result ?? requeue,
    failure,
  };
}

/** Writes the status if it changes, and records the Events. */
export async function concludeBinding(
  { env, claims }: Pick<BindingContext, 'env' | 'claims'>,
  log: Pick<Logger, 'info'>,
  claim: Claim,
  { result, facts, events, failure }: Outcome,
  signal: AbortSignal,
): Promise<Result> {
  if (facts === undefined) return result;
  const desired = withClaimStatus(claim, facts, env.clock.now());
  const isNews =
    claim.status?.bindingPhase !== desired.status?.bindingPhase ||
    !isEqual(readyWithoutTimes(claim), readyWithoutTimes(desired));
  const record = (_: Claim, event: EventFacts) => reportClaimEvent(env, log, claim, event);
  const audience = { objects: claims, what: 'resource claim', record, log };
  const { runResult } = await conclude(audience, claim, { desired, events, isNews, failure }, signal);
  return { ...result, ...runResult };
}

const readyWithoutTimes = ({ status }: Claim) =>
  pick(getCondition(status?.conditions, 'Ready'), ['status', 'reason', 'message']);
