import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import {
  binding,
  creating,
  deleting,
  getCondition,
  reconcileError,
} from '../../../apis/core/v1alpha1/condition.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { annotate, isNotFound } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Result } from '../../../runtime/controller/reconcile.ts';
import { after, done, requeue } from '../../../runtime/controller/reconcile.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import type { Logger } from '../../../runtime/log/log.ts';
import { recordClaimEvent } from '../claim/claim-events.ts';
import type { ClaimFacts } from '../claim/claim-status.ts';
import { withClaimStatus } from '../claim/claim-status.ts';
import { wasBound } from '../claim/ownership.ts';
import type { FailureFacts, StepFailure } from '../step-failure.ts';
import { aboutClaim, logAct, logConditions, logQuietAct } from '../story.ts';
import type { BindingCall, BindingDecision, BindingFacts } from './decision.ts';
import type { Report } from './report.ts';
import { quietMs } from './responsibility.ts';

/** An Event of what a call did, and the decision of that call. */
export interface Happened {
  readonly event: EventFacts;
  readonly decision: BindingDecision['name'];
}

/** How a run ended: what is reported of the claim, and what wakes it next beside the events of what it waits for. */
export interface Outcome {
  /** The last decision of the run; absent: a read failed before. */
  readonly decision?: BindingDecision['name'];
  /** The claim that is reported on; absent: nothing is reported. */
  readonly claim?: Claim | undefined;
  /** Events of the calls that were made. They are reported even if the status does not change. */
  readonly happened?: readonly Happened[];
  /** The new status of the claim; absent: the status stays. */
  readonly facts?: ClaimFacts;
  /** With the status: a Normal one reports a change of phase or Ready, a Warning as long as its cause lasts. */
  readonly events?: readonly EventFacts[];
  readonly result: Result;
  /** The run ends with this error after its Events: a conflict, which is put back silently. */
  readonly thrown?: StepFailure;
  /** A step failed: the run counts as an error. */
  readonly hasFailed?: true;
  /** The programming error that the run ended with. */
  readonly bug?: Error;
}

/** How a failure of each undertaking is reported. */
export const cannotBind: FailureFacts = { reason: 'CannotBindManagedResource', ready: binding };
const cannotRefresh: FailureFacts = { reason: 'CannotBindManagedResource' };
const cannotUnbind: FailureFacts = { reason: 'CannotUnbindManagedResource', ready: deleting };
const cannotCreate: FailureFacts = { reason: 'CannotCreateManagedResource', ready: creating };
export const cannotPropagate: FailureFacts = { reason: 'CannotPropagateConnectionDetails', ready: binding };
/** The next event of its class or claim wakes it. */
export const cannotConfigure: FailureFacts = {
  reason: 'CannotConfigureManagedResource',
  ready: creating,
  result: done,
};
export const cannotRead: FailureFacts = { reason: 'CannotGetManagedResource' };

/** The name of each call in messages. */
const calls: Readonly<Record<BindingCall['name'], string>> = {
  RecordName: 'cannot update resource claim',
  Create: 'cannot create managed resource',
  SetClaimRef: 'cannot update managed resource',
  CorrectClaimRef: 'cannot update managed resource',
  RemoveClaimRef: 'cannot update managed resource',
  Bind: 'cannot update managed resource status',
  CopySecret: 'cannot create or update connection secret',
  DeleteSecret: 'cannot delete connection secret',
  DeleteResource: 'cannot delete managed resource',
  Release: 'cannot update managed resource status',
  RemoveFinalizer: 'cannot update resource claim',
};

/** How a failure of a decision's call is reported. */
export function failureOf(
  { name }: BindingCall,
  { claim, provisioning }: Pick<BindingFacts, 'provisioning'> & { readonly claim: Claim },
): { readonly what: string; readonly facts: FailureFacts } {
  const what = calls[name];
  if (wasDeleted(claim)) return { what, facts: cannotUnbind };
  if (name === 'CopySecret' || name === 'DeleteSecret') return { what, facts: cannotPropagate };
  if (provisioning !== undefined) return { what, facts: cannotCreate };
  return { what, facts: wasBound(claim) ? cannotRefresh : cannotBind };
}

/** What was decided to be reported; unless there is probably nothing to report any more in a moment. */
export function reported(claim: Claim, { notBeforeMs = 0, facts, events }: Report, now: Date): Outcome {
  const waitMs = notBeforeMs - now.getTime();
  if (waitMs > 0 && waitMs <= quietMs) return { claim, result: after(waitMs) }; // else the clocks disagree
  return { claim, facts, events, result: whileItLasts(events) };
}

/** What the managed resource fails at is reported again for as long as it does, and no event of an object tells that. */
const retoldAfterMs = 600_000;
const whileItLasts = (events: readonly EventFacts[]): Result =>
  events.some(({ reason }) => reason === 'ManagedResourceTrouble') ? after(retoldAfterMs) : done;

/** Reported, and tried again through the back-off, unless its facts say that only an event helps; or thrown. */
export function failed(claim: Claim, failure: StepFailure, isSilent = failure.isSilent): Outcome {
  const { message, facts } = failure;
  const { reason, ready, result = requeue } = facts;
  const synced = reconcileError(message, failure.error);
  if (isSilent) return { claim, result, thrown: failure };
  return {
    claim,
    facts: { conditions: ready === undefined ? [synced] : [ready(message), synced] },
    events: reason === undefined ? [] : [{ type: 'Warning', reason, message }],
    result,
    hasFailed: true,
    ...(failure.bug && { bug: failure.bug }),
  };
}

/** What an outcome shows: the claim with its status, and the Events with that. */
function shown(
  claim: Claim,
  { facts, events = [] }: Pick<Outcome, 'facts' | 'events'>,
  now: Date,
): { readonly reported: Claim; readonly events: readonly EventFacts[] } {
  if (facts === undefined) return { reported: claim, events: [] };
  const reported = withClaimStatus(claim, facts, now);
  const isNews =
    claim.status?.bindingPhase !== reported.status?.bindingPhase ||
    !isEqual(saying(claim, 'Ready'), saying(reported, 'Ready'));
  return { reported, events: events.filter(({ type }) => isNews || type === 'Warning') };
}

/** What a condition says, but for its times. */
function saying({ status }: Claim, type: string): readonly (string | undefined)[] {
  const { status: value, reason, message } = getCondition(status?.conditions, type);
  return [value, reason, message];
}

export interface ConcludeOptions {
  readonly env: Pick<Environment, 'events' | 'clock'>;
  readonly claims: Resource<Claim>;
  /** That of the run. */
  readonly log: Pick<Logger, 'child'>;
}

/**
 * Shows on the claim, and in Events, how a run ended: once, at its end. The status is written if it changes. The recorder
 * bounds how often an Event is sent.
 */
export async function conclude(
  { env, claims, log }: ConcludeOptions,
  outcome: Outcome,
  signal: AbortSignal,
): Promise<Result> {
  const { decision, claim, happened = [], thrown, hasFailed, bug } = outcome;
  const result: Result = {
    ...outcome.result,
    ...(decision !== undefined && { decision }),
    ...(bug && { bug }),
  };
  if (claim === undefined) return result;
  const logOf = (name: Outcome['decision']) => log.child(() => ({ ...aboutClaim(claim), decision: name }));
  const ofRun = logOf(decision);
  for (const { event, decision: name } of happened) {
    recordClaimEvent(env, claim, event);
    logAct(logOf(name), event);
  }
  if (decision === 'RemoveFinalizer' && thrown === undefined && !hasFailed)
    logQuietAct(ofRun, 'RemovedFinalizer');
  if (thrown !== undefined) throw thrown;
  const { reported, events } = shown(claim, outcome, env.clock.now());
  const failure = hasFailed ? saying(reported, 'Synced')[2] : undefined;
  const ended: Result = { ...result, ...(failure !== undefined && { failure }) };
  let stored = claim;
  try {
    const written = claims.updateStatus(claim, reported, signal);
    stored = await annotate('cannot update resource claim status', written);
  } catch (error) {
    if (isNotFound(error)) return ended;
    throw error;
  }
  logConditions(ofRun, { before: claim.status?.conditions, after: stored.status?.conditions, failure });
  for (const event of events) {
    recordClaimEvent(env, claim, event);
    logAct(ofRun, event);
  }
  return ended;
}
