import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import {
  binding,
  creating,
  deleting,
  getCondition,
  reconcileError,
} from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { describeReference, referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
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
import type { FailureFacts, StepFailure } from '../step-failure.ts';
import { aboutClaim, logAct, logConditions, logQuietAct } from '../story.ts';
import { howToDispose } from './claim-reference.ts';
import type { BindingDecision, BindingDecisionName } from './decide.ts';
import { boundConditions, describeUnserved, quietMs, troubleOf } from './decide.ts';
import type { Parting } from './decide-deleted.ts';
import { describeEdits, ineffectiveEdits, withEdits } from './edits.ts';

/** How a run ends: what is told of the claim, and what wakes it next beside the events of what it waits for. */
export interface Ending {
  /** Its name in docs/decision-tables.md; absent: nothing was decided yet. */
  readonly decision?: BindingDecisionName;
  /** What is told of; absent: there is nothing to tell. */
  readonly claim?: Claim | undefined;
  /** The last was done for it: it may go. */
  readonly isFinalised?: true;
  /** Events of what was done, whatever is told of the claim. */
  readonly happened?: Happened;
  /** What its status says; absent: what it said before. */
  readonly facts?: ClaimFacts;
  /** With the status: a Normal one tells of a change of phase or Ready, a Warning is told for as long as its cause lasts. */
  readonly events?: readonly EventFacts[];
  readonly result: Result;
  /** What the run throws once it has told what happened: a conflict, which is put back without a word. */
  readonly thrown?: StepFailure;
  /** A step failed: the run counts as an error. */
  readonly hasFailed?: true;
  /** The programming error that the run ended with. */
  readonly bug?: Error;
}

export type Happened = readonly EventFacts[];

type Report = Extract<BindingDecision, { readonly act: 'report' }>;

/** How the failures of each undertaking are told. */
export const cannotBind: FailureFacts<Happened> = { reason: 'CannotBindManagedResource', ready: binding };
export const cannotRefresh: FailureFacts<Happened> = { reason: 'CannotBindManagedResource' };
export const cannotUnbind: FailureFacts<Happened> = {
  reason: 'CannotUnbindManagedResource',
  ready: deleting,
};
export const cannotCreate: FailureFacts<Happened> = {
  reason: 'CannotCreateManagedResource',
  ready: creating,
};
export const cannotPropagate: FailureFacts<Happened> = {
  reason: 'CannotPropagateConnectionDetails',
  ready: binding,
};
/** The next event of its class or claim wakes it. */
export const cannotConfigure: FailureFacts<Happened> = {
  reason: 'CannotConfigureManagedResource',
  ready: creating,
  result: done,
};
export const cannotRead: FailureFacts<Happened> = { reason: 'CannotGetManagedResource' };

/** Nothing to tell; an event of what it waits for wakes it. */
export const quiet = (claim?: Claim, happened: Happened = []): Ending => ({ claim, happened, result: done });

/** Nothing is left to do: the claim may go. */
export const finalised = (claim: Claim, happened: Happened = []): Ending => ({
  ...quiet(claim, happened),
  isFinalised: true,
});

/** What was decided to be said; unless there is probably nothing to say any more in a moment. */
export function reported(claim: Claim, { notBeforeMs = 0, facts, event }: Report, now: Date): Ending {
  const waitMs = notBeforeMs - now.getTime();
  if (waitMs > 0 && waitMs <= quietMs) return { result: after(waitMs) }; // else the clocks disagree
  return { claim, facts, events: [event], result: whileItLasts(event) };
}

/** What the managed resource fails at is told again for as long as it does, and no event tells of that. */
const retoldAfterMs = 600_000;
const whileItLasts = (event: EventFacts | undefined): Result =>
  event?.reason === 'ManagedResourceTrouble' ? after(retoldAfterMs) : done;

/** Bound, and handed over. Events of the managed resource wake it. */
export const newlyBound = (claim: Claim, managed: Managed): Ending => {
  const message = `bound to ${managed.kind} ${managed.metadata.name}`;
  return bound(claim, managed, true, [{ type: 'Normal', reason: 'BoundManagedResource', message }]);
};

/** Bound as before: KeepBound; `hasCopy`: the secret that it wants is there. Events of the managed resource wake it. */
export const stillBound = (claim: Claim, managed: Managed, hasCopy: boolean): Ending =>
  bound(claim, managed, hasCopy, []);

function bound(claim: Claim, managed: Managed, hasCopy: boolean, events: readonly EventFacts[]): Ending {
  const unserved = describeUnserved(claim, managed);
  const facts: ClaimFacts = {
    conditions: boundConditions(managed, unserved),
    bindingPhase: 'Bound',
    hasSecret: unserved === undefined && hasCopy,
  };
  const reason = 'CannotPropagateConnectionDetails';
  const warnings: readonly EventFacts[] =
    unserved === undefined ? [] : [{ type: 'Warning', reason, message: unserved }];
  const trouble = troubleOf(managed);
  return {
    claim,
    facts,
    events: [...events, ...warnings, ...(trouble === undefined ? [] : [trouble])],
    result: whileItLasts(trouble),
  };
}

/** Told, and tried again through the back-off, unless its facts say that only an event helps; or thrown. */
export function failed(claim: Claim, failure: StepFailure<Happened>, isSilent = failure.isSilent): Ending {
  const { message, facts } = failure;
  const { reason, ready, result = requeue, known: happened = [] } = facts;
  if (isSilent) return { claim, happened, result, thrown: failure };
  return {
    claim,
    happened,
    facts: { conditions: [...(ready === undefined ? [] : [ready(message)]), reconcileError(message)] },
    events: reason === undefined ? [] : [{ type: 'Warning', reason, message }],
    result,
    hasFailed: true,
    ...(failure.bug && { bug: failure.bug }),
  };
}

/** The Event of a claim whose managed resource was made from its class. */
export const createdEvent = (managed: Managed, { kind, metadata }: Class): EventFacts => ({
  type: 'Normal',
  reason: 'CreatedManagedResource',
  message: `created ${managed.kind} ${managed.metadata.name} from ${kind} ${metadata.name}`,
});

/** The Event of a managed resource that its claim, which goes, could not part from: it does not name it any more. */
export const leftBehind = (claim: Claim): EventFacts => ({
  type: 'Warning',
  reason: 'ClaimNotFound',
  message: `spec.claimRef does not name ${describeReference(referenceTo(claim))}, whose it was and which goes, so that nothing is done; ${howToDispose}`,
});

const outcomes = { Delete: 'deleted', Retain: 'Released' } as const;

/** The Event of a claim that has parted from its managed resource, which was there still or not. */
export function unboundEvent(parting: Parting, found: 'there' | 'gone'): EventFacts {
  const what = `${parting.managed.kind} ${parting.managed.metadata.name}`;
  const message =
    parting.act === 'free'
      ? `gave back ${what}, to which it was never bound`
      : `unbound from ${what}, which is ${found === 'gone' ? 'gone' : outcomes[parting.reclaim]}`;
  return { type: 'Normal', reason: 'UnboundManagedResource', message };
}

/** What an ending says: the claim with its status, and the Events that go with that. Edits that have no effect are told too. */
export function told(
  claim: Claim,
  { facts, events = [] }: Pick<Ending, 'facts' | 'events'>,
  edits: readonly string[],
  now: Date,
): { readonly reported: Claim; readonly events: readonly EventFacts[] } {
  if (facts === undefined) return { reported: claim, events: [] };
  const reported = withClaimStatus(claim, withEdits(facts, edits), now);
  const isNews =
    claim.status?.bindingPhase !== reported.status?.bindingPhase ||
    !isEqual(saying(claim, 'Ready'), saying(reported, 'Ready'));
  const refusal: EventFacts = { type: 'Warning', reason: 'CannotApplyEdit', message: describeEdits(edits) };
  const news = events.filter(({ type }) => isNews || type === 'Warning');
  return { reported, events: edits.length === 0 ? news : [...news, refusal] };
}

/** What a condition says, but for its times. */
function saying({ status }: Claim, type: string): readonly (string | undefined)[] {
  const { status: value, reason, message } = getCondition(status?.conditions, type);
  return [value, reason, message];
}

export interface ConcludeOptions {
  readonly env: Pick<Environment, 'events' | 'clock'>;
  readonly claims: Resource<Claim>;
  /** The managed resource that names a claim, of whatever kind. */
  readonly heldBy: (claim: Claim) => Managed | undefined;
  /** That of the run. */
  readonly log: Pick<Logger, 'child'>;
}

/**
 * Says on the claim, and in Events, how a run ended: once, at its end. The status is written if it changes; a claim that
 * is gone needs none. How often an Event is sent the recorder bounds.
 */
export async function conclude(
  { env, claims, heldBy, log }: ConcludeOptions,
  ending: Ending,
  signal: AbortSignal,
): Promise<Result> {
  const { decision, claim, happened = [], thrown, isFinalised, hasFailed, bug } = ending;
  const result: Result = {
    ...ending.result,
    ...(decision !== undefined && { decision }),
    ...(bug && { bug }),
  };
  if (claim === undefined) return result;
  const ofRun = log.child(() => ({ ...aboutClaim(claim), decision }));
  const tell = (event: EventFacts): void => {
    recordClaimEvent(env, claim, event);
    logAct(ofRun, event);
  };
  happened.forEach(tell);
  if (isFinalised) logQuietAct(ofRun, 'RemovedFinalizer');
  if (thrown !== undefined) throw thrown;
  const { reported, events } = told(claim, ending, ineffectiveEdits(claim, heldBy(claim)), env.clock.now());
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
  events.forEach(tell);
  return ended;
}
