import compact from 'lodash/compact.js';
import isEmpty from 'lodash/isEmpty.js';
import omit from 'lodash/omit.js';
import { advice } from '../../../../apis/core/v1alpha1/advice.ts';
import type { ConditionFacts } from '../../../../apis/core/v1alpha1/condition.ts';
import {
  creating,
  deleting,
  getCondition,
  reconcileError,
  reconcilePaused,
  reconcileSuccess,
  unavailable,
  unknown,
  withError,
} from '../../../../apis/core/v1alpha1/condition.ts';
import type { ExternalOperation, Managed, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../../../apis/core/v1alpha1/meta.ts';
import type { ReportedDetails } from '../../../../apis/core/v1alpha1/secret.ts';
import { present } from '../../../../apis/core/v1alpha1/secret.ts';
import { ChangeRefused } from '../../../../clients/external-error.ts';
import type { Resource } from '../../../../runtime/cache/resource.ts';
import { annotate, isNotFound } from '../../../../runtime/client/errors.ts';
import type { Environment } from '../../../../runtime/controller/environment.ts';
import type { Result } from '../../../../runtime/controller/reconcile.ts';
import type { EventFacts } from '../../../../runtime/events/event-facts.ts';
import type { Logger } from '../../../../runtime/log/log.ts';
import type { ConnectionEntry } from '../../connection/connection-place.ts';
import { claimText } from '../../credential.ts';
import type { ConditionError } from '../../error-class.ts';
import { lossOf } from '../../external-loss.ts';
import { aboutManaged, logAct, logConditions, logQuietAct } from '../../log-changes.ts';
import { howToAllowUpdate, mayChange, shouldOnlyObserve, shouldUpdate } from '../../management-policies.ts';
import { StepFailure } from '../../step-failure.ts';
import type { DesiredCredential, Observation, OperationType } from '../connecting/external-client.ts';
import { isCreatedAgain, isCreationFailed, isCreationUnfinished } from '../recording/creation-tracking.ts';
import type { IdentityContext } from '../recording/identity.ts';
import { identityFound, isAdopting, mustExist, refusals } from '../recording/identity.ts';
import { scrub, withManagedStatus } from '../recording/status.ts';
import type { ManagedDecisionName } from './decide.ts';
import type { Next } from './next.ts';
import { resultOf } from './next.ts';

/** The state of a run for one managed resource. Each step returns a new state. */
export interface Run {
  /** The decision, as in docs/decision-tables.md. Absent: none yet. */
  readonly decision?: ManagedDecisionName | undefined;
  /** The managed resource as this run read or wrote it last. */
  readonly current: Managed;
  /** The resource's Secret, or its entry in the secret store, as this run read or wrote it last. */
  readonly entry?: ConnectionEntry;
  readonly credential?: DesiredCredential;
  /** Why the Secret or store entry cannot be read or written. If set, the run creates nothing and sets no credential. */
  readonly unkept?: StepFailure<Run>;
  /** Why the copy to the secret store failed, or the deletion of a previous Secret or store entry. */
  readonly uncopied?: StepFailure<Run>;
  /** Why the credential cannot be replaced for the next claim, and what the user must do. */
  readonly credentialProblem?: string;
  /** True if a person gave the credential, for an external resource that the controllers may only observe. */
  readonly isCredentialGiven?: true;
  /** True if the Secret lacks the credential that was set before, and the policies forbid another one. */
  readonly isCredentialLost?: true;
  /** The new `status.credential`. Absent: unchanged. */
  readonly record?: ManagedStatus['credential'];
  /** True if this run set the credential. The next observation may not yet show that the credential is pending. */
  readonly isCredentialJustSet?: true;
  /** The connection details that this run's calls reported. */
  readonly reported: ReportedDetails;
  readonly operation?: readonly ConditionFacts[];
  readonly underWay?: ExternalOperation | undefined;
  /** The type of an operation that has ended with success or with an unknown result. */
  readonly ended?: OperationType;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly system?: string | undefined;
  /** The last observation. Undefined: it found nothing. */
  readonly seen?: Observation | undefined;
  readonly isGone?: boolean;
  /** Whether to ignore identity fields that were set after the identity was recorded. */
  readonly isExact?: boolean;
  readonly observedAt?: Date;
  readonly absentForMs?: number;
  /** Events of completed actions. */
  readonly happened: readonly EventFacts[];
}

/** The outcome of a run: conditions, Events, and the time of the next run. */
export interface Outcome {
  readonly run: Run;
  /** Absent: the status stays as it is. */
  readonly synced?: ConditionFacts;
  readonly refused?: readonly string[];
  /** Absent: Ready stays as it is. */
  readonly ready?: ConditionFacts | undefined;
  /** A Normal Event is recorded only if the status changes. A Warning is recorded at each run. */
  readonly event?: EventFacts;
  /** The keys of annotations that have had their effect. The run removes them after it has written the status. */
  readonly used?: readonly string[];
  readonly next: Next;
  /** A conflict (409) or a lost leader lease. It is thrown, so that the object is requeued without a report. */
  readonly thrown?: StepFailure;
  readonly isFinalised?: true;
  readonly hasFailed?: true;
  readonly bug?: Error;
}

const warning = (reason: string, message: string): EventFacts => ({ type: 'Warning', reason, message });
const missing = 'external resource does not exist';
const otherSystem: ConditionError = { class: 'OtherSystem' };
const isMissing: ConditionError = { class: 'ExternalMissing' };

/** An outcome with Synced True. */
const synced = (run: Run, ready: ConditionFacts | undefined, next: Next, message?: string): Outcome => ({
  run,
  synced: reconcileSuccess(message),
  ready,
  next,
});

/** An outcome with Synced False and a Warning Event, both with this message. */
const refused = (
  run: Run,
  reason: string,
  message: string,
  next: Next,
  { ready, error }: { readonly ready?: ConditionFacts | undefined; readonly error?: ConditionError } = {},
): Outcome => ({
  run,
  synced: reconcileError(message, error),
  ready,
  event: warning(reason, message),
  next,
});

/** The outcomes of runs. Each comment names the decision of docs/decision-tables.md, and explains the outcome. */
export const outcomes = {
  paused: (run: Run, message: string): Outcome => ({
    run,
    synced: reconcilePaused(message),
    event: { type: 'Normal', reason: 'ReconciliationPaused', message },
    next: 'event',
  }),
  invalid: (run: Run, message: string) => refused(run, 'CannotUseInvalidManagementPolicy', message, 'event'),
  /** CreationIncomplete: waits for an administrator. Polls, to repeat a write of this status if its answer was lost. */
  undetermined: (run: Run, message: string) =>
    refused(run, 'CannotInitializeManagedResource', message, 'poll', { ready: creating() }),
  /** OtherSystem: waits until a user corrects the provider. Polls, because changed credentials cause no event. */
  elsewhere: (run: Run, message: string) =>
    refused(run, 'CannotConnectToProvider', message, 'poll', {
      ready: wasDeleted(run.current) ? deleting() : withError(unknown('OtherSystem', message), otherSystem),
      error: otherSystem,
    }),
  /** AwaitOperation: waits for the end of the ongoing operation. */
  waiting(run: Run, type: OperationType): Outcome {
    const arriving = type === 'create' ? creating() : undefined;
    const why = type === 'delete' ? undefined : `waiting for its ${type} to end`;
    return synced(run, wasDeleted(run.current) ? deleting(why) : arriving, 'progress since operation');
  },
  /** CreateExternal, Update and DeleteExternal: the call started an operation that continues. */
  begun: (run: Run, ready: ConditionFacts | undefined) =>
    credentialOutcome(run, ready, 'progress since operation'),
  /** ExternalMissing: an observe-only resource is absent (crossplane-runtime v2.4). Ready changes if this is certain. */
  missing(run: Run, confirmAbsenceMs: number): Outcome {
    const { current, absentForMs = 0 } = run;
    const name = externalName(current);
    const message = name === undefined ? missing : `${missing} (${name})`;
    const isUnsure =
      absentForMs < confirmAbsenceMs && getCondition(current.status?.conditions, 'Ready').status === 'True';
    return {
      run,
      synced: reconcileError(message, isMissing),
      ready: isUnsure ? undefined : withError(unavailable(message), isMissing),
      event: warning('CannotObserveExternalResource', message),
      next: isUnsure ? confirmAbsenceMs - absentForMs : 'poll',
    };
  },
  /** AwaitExternal: the new external resource may not be visible yet, so it is observed again. */
  hidden(run: Run): Outcome {
    const message = 'Waiting for external resource existence to be confirmed';
    const event = { type: 'Normal', reason: 'PendingExternalResource', message } as const;
    return { run: withEvents(run, event), next: 'backOff' };
  },
  /** ConfirmAbsence: observes again, because the external resource has not been absent for long enough. */
  notConfirmed: (run: Run, confirmAbsenceMs: number): Outcome => ({
    run,
    next: confirmAbsenceMs - (run.absentForMs ?? 0),
  }),
  /** ExternalLost: the external resource was deleted. Another one is created only if an administrator allows it. */
  lost(
    run: Run,
    { isAssigned, where }: { readonly isAssigned: boolean; readonly where?: string | undefined },
  ): Outcome {
    const { current } = run;
    const toCreate = isAssigned ? advice.createExternalAgain : advice.createLost(current);
    const next = where ?? (mustExist(current) ? advice.moveExternal : toCreate);
    const message = `${missing} any more (${externalName(current)}); ${next}`;
    return refused(run, 'LostExternalResource', message, 'poll', {
      ready: withError(unavailable(message), isMissing),
      error: isMissing,
    });
  },
  /** CreateNotAllowed: the external resource does not exist, and the policies do not allow its creation. */
  uncreated(run: Run): Outcome {
    const message = `${missing}, and spec.managementPolicies do not allow Create; ${advice.allowCreate}`;
    return synced(run, withError(unavailable(message), isMissing), 'poll');
  },
  /** IdentityEdited: the edit has no effect yet, because parts of the recorded external resource remain. */
  leftovers: (run: Run) => synced(run, undefined, 'poll'),
  /** IdentityEdited: the edited identity was recorded. The next run starts at once, and uses this identity. */
  edited: (run: Run): Outcome => ({ run, next: 0 }),
  /** DeleteExternal and AwaitDeletion: the deletion was requested, and the external resource still exists. */
  leaving: (run: Run) =>
    synced(
      run,
      deleting(),
      run.underWay === undefined ? 'progress since deletion' : 'progress since operation',
    ),
  /** OrphanExternal and RemoveFinalizer, or the object does not exist any more: the run has nothing more to do. */
  gone: (run: Run): Outcome => ({ run, next: 'event' }),
  /** CreateExternal: the external resource was created and is not visible yet. */
  unseen: (run: Run) => synced(run, creating(), 'backOff'),
  /** AwaitEffect: waits before the next update, because the last update may still take effect. */
  awaited: (run: Run, { ready }: Observation) => credentialOutcome(run, ready, 'backOff'),
  /** CreateExternal, LateInitialize, Update, NoUpdate: the external resource exists. Observes often until Ready. */
  present(run: Run, { ready, operation, isUpToDate }: Observation): Outcome {
    const { current, underWay, credential, isCredentialJustSet = false } = run;
    const shown = isGivenRefused(run) ? unavailable(givenRefused) : ready;
    const isReady = (shown ?? getCondition(current.status?.conditions, 'Ready')).status === 'True';
    const used = [
      ...(isAdopting(current) ? [annotationKeys.adoptIdentity] : []),
      ...(isReofferUsed(run) ? [annotationKeys.reoffer] : []),
    ];
    const observedNext = isReady ? 'poll' : 'progress since creation';
    // Another update is needed to set the credential, or to apply the spec after the credential was set.
    const isIncomplete = credential?.isApplied === false || (isCredentialJustSet && !isUpToDate);
    const isDue = isIncomplete && shouldUpdate(current.spec);
    const arriving = isDue ? 0 : observedNext;
    const next = (operation ?? underWay) === undefined ? arriving : 'progress since operation';
    return { ...credentialOutcome(run, shown, next), used };
  },
};

const givenRefused = 'the external system refuses the credential of its Secret';

/** Whether the external system refuses the credential that a person gave. */
const isGivenRefused = ({ isCredentialGiven, seen }: Run): boolean =>
  isCredentialGiven === true && seen?.credential === 'wrong';

/** Whether the next claim now has the credential that an administrator allowed it to use. */
function isReofferUsed({ current, entry }: Run): boolean {
  const { claimRef } = current.spec;
  const isRequested = current.metadata.annotations?.[annotationKeys.reoffer] !== undefined;
  return isRequested && claimRef?.uid !== undefined && entry?.note?.for === claimText(claimRef);
}

function credentialOutcome(run: Run, ready: ConditionFacts | undefined, next: Next): Outcome {
  const { current, credentialProblem } = run;
  if (credentialProblem !== undefined)
    return refused(run, 'CannotReplaceCredential', credentialProblem, next, {
      ready,
      error: { class: 'CredentialCannotChange' },
    });
  if (isWithheld(run))
    return refused(run, 'CannotPublishConnectionDetails', withheld, next, {
      ready,
      error: { class: 'Conflict', holder: { by: 'AnotherResource' } },
    });
  const why = whyNotInForce(run);
  if (why !== undefined) {
    // Nothing records a credential that works, so that a person may give one.
    const isUnset = !mayChange(current.spec) && current.status?.credential === undefined;
    const otherwise = isUnset ? `, or ${advice.forgetCredential}` : '';
    const message = `${why}, because spec.managementPolicies do not allow Update; ${howToAllowUpdate(current.spec)}${otherwise}`;
    return refused(run, 'CannotUpdateExternalResource', message, next, { ready });
  }
  const waiting = whatWaits(run);
  if (waiting === undefined || run.seen?.operation !== undefined) {
    return synced(run, ready, next, said(lossOf(current), waiting ?? notApplied(run)));
  }
  return refused(run, 'CannotUpdateExternalResource', waiting, next, {
    ready,
    error: (ready?.error as ConditionError | undefined) ?? { class: 'NotReady' },
  });
}

/** Why the claim cannot use the credential of the Secret, while the policies keep the controllers from setting one. */
function whyNotInForce(run: Run): string | undefined {
  const { current, credential, isCredentialGiven, isCredentialLost } = run;
  if (isCredentialLost) return 'its Secret lacks the credential, and gets no other one';
  if (credential?.isApplied !== false || shouldUpdate(current.spec)) return undefined;
  if (isCredentialGiven && !isGivenRefused(run)) return undefined;
  return 'the credential of its Secret is not set in the external system';
}

/** Whether nothing is published, because the external resource carries the mark of another owner. */
const isWithheld = ({ current, entry, seen }: Run): boolean =>
  seen?.isOfAnother === true && wantsDetails(current) && isEmpty(entry?.details);

const withheld = `its external resource is managed by another resource, so that no connection details are published; ${advice.setExternalName}`;

const said = (...messages: readonly (string | undefined)[]): string | undefined =>
  compact(messages).join('; ') || undefined;

/** Names the changes that the external system does not accept now, and the reason. Undefined: there are none. */
function whatWaits({ current, seen, credential, underWay }: Run): string | undefined {
  // The operation of an update applies the changes.
  if (seen?.unchangeable === undefined || underWay !== undefined) return undefined;
  if (!shouldUpdate(current.spec) || wasDeleted(current)) return undefined;
  const { differing = [], isUpToDate, unchangeable } = seen;
  const changes = isUpToDate || differing.length > 0 ? differing : ['the other changes'];
  const waiting = [...changes, ...(credential?.isApplied === false ? ['the password of its Secret'] : [])];
  return waiting.length === 0 ? undefined : `${unchangeable}; not applied yet: ${waiting.join(', ')}`;
}

/** Names the fields that stay different because the policies forbid Update. Undefined if there are none. */
function notApplied({ current: { spec }, seen }: Run): string | undefined {
  if (seen === undefined || seen.isUpToDate || shouldUpdate(spec) || shouldOnlyObserve(spec))
    return undefined;
  const fields = [...(seen.differing ?? []), ...(seen.refused ?? []), ...(seen.drifted ?? [])];
  if (fields.length === 0) return undefined;
  return `not applied, because spec.managementPolicies do not allow Update: ${fields.join(', ')}; ${howToAllowUpdate(spec)}, or ${advice.undoEdit}`;
}

/** The Event that the decision Recreate records in addition to that of the creation. */
export function recreationEvent({ current }: Run): EventFacts {
  const name = externalName(current) ?? 'its name is not known';
  const how = isCreationFailed(current) ? `(${name}), and its creation failed` : `any more (${name})`;
  return warning('LostExternalResource', `${missing} ${how}; it is created again`);
}

export const withEvents = (run: Run, ...events: readonly EventFacts[]): Run => ({
  ...run,
  happened: [...run.happened, ...events],
});

export const withDetails = (run: Run, details: ReportedDetails = {}): Run => ({
  ...run,
  reported: { ...run.reported, ...details },
});

export const reporting = (run: Run, status: Run['status']): Run =>
  status === undefined ? run : { ...run, status: { ...run.status, ...status } };

export const withoutOperation = (run: Run): Run => omit(run, 'underWay');

/** Removes from a message all secrets that the run knows. */
export const scrubOf = ({ entry, credential, reported }: Run, message: string): string =>
  scrub(
    message,
    entry?.details ?? {},
    present(reported),
    credential === undefined ? {} : { password: credential.value },
  );

/** The outcome of a failed step. `start`: the state to report if the failure has none. Rethrows all other errors. */
export function failed(start: Run, error: unknown): Outcome {
  if (!(error instanceof StepFailure)) throw error;
  const failure: StepFailure<Run> = error;
  const { known: run = start, reason, ready } = failure.facts;
  if (failure.isSilent) return { run, next: 'event', thrown: failure };
  return {
    run,
    synced: reconcileError(failure.message, failure.error),
    refused: failure.cause instanceof ChangeRefused ? failure.cause.refusals : [],
    ready: ready?.(failure.message) ?? (wasDeleted(run.current) ? deleting() : undefined),
    ...(reason !== undefined && { event: warning(reason, failure.message) }),
    next: 'backOff',
    hasFailed: true,
    ...(failure.bug && { bug: failure.bug }),
  };
}

/** Reports in Synced that the details were not published. A resource that never published any does not become Ready. */
export function withPublishing(outcome: Outcome): Outcome {
  const { run, synced, ready } = outcome;
  const { unkept, uncopied, current } = run;
  const failure = unkept ?? uncopied;
  if (failure === undefined || synced?.status !== 'True') return outcome;
  const reported = { ...outcome, ...failed(run, failure.knowing(run)) };
  const isPublished = unkept === undefined || current.status?.bindingPhase !== undefined;
  return isPublished ? { ...reported, ready } : reported;
}

/**
 * Holds Ready back until the external resource that this object created has equalled its spec once. Then Ready shows the
 * observation, also while a later edit is not applied (docs/decisions/0069).
 */
export function withEquality(outcome: Outcome): Outcome {
  const { run, synced, ready, refused: refusals = [], used = [], next } = outcome;
  const { current, seen, credential } = run;
  if (ready?.status !== 'True' || !isCreationUnfinished(current)) return outcome;
  const isEqual = seen?.isUpToDate === true && credential?.isApplied !== false;
  const isKept = refusals.length > 0 || isRefused(seen) || !shouldUpdate(current.spec);
  if (isEqual || isKept) {
    const ended = isCreatedAgain(current) ? [annotationKeys.externalCreation] : [];
    return { ...outcome, used: [...used, ...ended] };
  }
  return {
    ...outcome,
    ready: creating(synced?.status === 'True' ? unequalText(seen) : undefined),
    next: next === 'poll' ? 'progress since creation' : next,
  };
}

/** Whether the external resource differs only in what the external system does not change. */
const isRefused = ({ differing, refused: refusals, drifted }: Partial<Observation> = {}): boolean =>
  isEmpty(differing) && !(isEmpty(refusals) && isEmpty(drifted));

function unequalText({ differing = [] }: Partial<Observation> = {}): string {
  const fields = differing.length === 0 ? '' : `: ${differing.toSorted().join(', ')}`;
  return `the external resource does not equal its spec yet${fields}`;
}

/** The resource with its new status, and the Events, without secrets. Both also report edits that have no effect. */
export function statusOf(
  { run, synced: found, refused: reported = [], ready, event, hasFailed, bug }: Outcome,
  identity: IdentityContext,
  now: Date,
): { readonly object: Managed; readonly events: readonly EventFacts[] } {
  if (found === undefined) return { object: run.current, events: [] };
  const said = found.status === 'True' ? undefined : (found.message ?? '');
  const all = said === undefined || run.seen !== undefined ? refusals(identity, run) : [];
  const unsaid = all.filter((sentence) => !reported.includes(sentence));
  const refusal = unsaid.length === 0 ? undefined : unsaid.join('; ');
  const synced =
    refusal === undefined ? found : reconcileError([said, refusal].filter(Boolean).join('; '), found.error);
  const scrubbed = <F extends { readonly message?: string }>(facts: F): F =>
    facts.message === undefined ? facts : { ...facts, message: scrubOf(run, facts.message) };
  const facts = {
    synced: scrubbed(synced),
    isStuck: refusal !== undefined || bug !== undefined || (found.status === 'False' && hasFailed !== true),
    ready: ready && scrubbed(ready),
    status: run.status,
    underWay: run.underWay,
    externalIdentity: identityFound(identity, run),
    isGone: run.isGone === true && run.seen === undefined,
    ...(run.record && { credential: run.record }),
    isCredentialInForce: isCredentialInForce(run),
    ...(run.operation && { operation: run.operation.map(scrubbed) }),
  };
  const events = compact([event, refusal && warning('CannotApplyEdit', refusal)]);
  return { object: withManagedStatus(run.current, facts, now), events: events.map(scrubbed) };
}

function isCredentialInForce(run: Run): boolean {
  const { credential, record, current, unkept, isCredentialGiven, isCredentialLost } = run;
  if (unkept !== undefined || isCredentialLost || isWithheld(run)) return false;
  if (credential === undefined) return true;
  if (isCredentialGiven && credential.isApplied === false) return !isGivenRefused(run);
  return credential.isApplied && (record ?? current.status?.credential)?.pending === false;
}

/**
 * Writes the status if it changes, and records the Events. A Warning is recorded at each run, because the API server
 * deletes an Event after an hour. The recorder limits the rate of Events.
 */
export async function conclude(
  options: {
    readonly env: Pick<Environment, 'events' | 'clock' | 'random' | 'pollIntervalMs'>;
    readonly managedResources: Resource<Managed>;
    readonly identity: IdentityContext;
    readonly log: Pick<Logger, 'child'>;
  },
  outcome: Outcome,
  signal: AbortSignal,
): Promise<Result> {
  const { env, managedResources, identity, log } = options;
  const { run, next, used = [], thrown, isFinalised, hasFailed, bug } = outcome;
  let stored = run.current;
  const ofRun = log.child(() => ({ ...aboutManaged(stored), ...decisionOf(run) }));
  for (const event of run.happened) {
    const safe = { ...event, message: scrubOf(run, event.message) };
    env.events.record(run.current, safe);
    logAct(ofRun, safe);
  }
  if (isFinalised) logQuietAct(ofRun, 'RemovedFinalizer');
  if (thrown !== undefined) throw thrown;
  const { object, events } = statusOf(outcome, identity, env.clock.now());
  const failure = hasFailed ? getCondition(object.status?.conditions, 'Synced').message : undefined;
  try {
    const written = managedResources.updateStatus(run.current, object, signal);
    stored = await annotate('cannot update managed resource status', written);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  logConditions(ofRun, { before: run.current.status?.conditions, after: stored.status?.conditions, failure });
  for (const event of events) {
    if (event.type === 'Warning' || stored !== run.current) env.events.record(stored, event);
  }
  if (used.length > 0) {
    const annotations = omit(stored.metadata.annotations, used);
    const cleared = { ...stored, metadata: { ...stored.metadata, annotations } };
    stored = await managedResources.update(stored, cleared, signal);
  }
  return {
    ...resultOf(next, stored, env),
    ...decisionOf(run),
    ...(failure !== undefined && { failure }),
    ...(bug && { bug }),
  };
}

export const decisionOf = ({ decision }: Run): { readonly decision?: string } =>
  decision === undefined ? {} : { decision };
