import omit from 'lodash/omit.js';
import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import {
  creating,
  deleting,
  getCondition,
  reconcileError,
  reconcilePaused,
  reconcileSuccess,
  unavailable,
} from '../../../apis/core/v1alpha1/condition.ts';
import type { ExternalOperation, Managed, ManagedStatus } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { ReportedDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { present } from '../../../apis/core/v1alpha1/secret.ts';
import type { Resource } from '../../../runtime/cache/resource.ts';
import { annotate, isNotFound } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Result } from '../../../runtime/controller/reconcile.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import type { Logger } from '../../../runtime/log/log.ts';
import type { ConnectionEntry } from '../connection/connection-place.ts';
import { claimText } from '../credential.ts';
import { howToAllowUpdate, shouldUpdate } from '../management-policies.ts';
import type { FailureFacts } from '../step-failure.ts';
import { StepFailure } from '../step-failure.ts';
import { aboutManaged, logAct, logConditions, logQuietAct } from '../story.ts';
import { operationOngoing } from './async-operations.ts';
import { isCreationFailed } from './creation-tracking.ts';
import type { ManagedDecisionName } from './decide.ts';
import type { DesiredCredential, Observation, OperationType } from './external-client.ts';
import type { IdentityContext } from './identity.ts';
import { identityFound, isAdopting, refusals } from './identity.ts';
import type { Next } from './next.ts';
import { resultOf } from './next.ts';
import { scrub, withManagedStatus } from './status.ts';

/** What a run over one managed resource knows so far. Each step takes one and returns the next. */
export interface Run {
  /** The line of docs/decision-tables.md that it has come to. */
  readonly decision: ManagedDecisionName;
  /** As it is stored, as far as we know. */
  readonly current: Managed;
  /** What its Secret keeps, or without one its entry in the secret store, in the version that was read or written last. */
  readonly entry?: ConnectionEntry;
  /** The credential that the Secret holds; absent: it has none. */
  readonly credential?: DesiredCredential;
  /** What the status is to record of the credential that the external system has; absent: as before. */
  readonly record?: ManagedStatus['credential'];
  /** This run has set the credential: an observation may not show yet that it is pending. */
  readonly isCredentialJustSet?: true;
  /** The connection details that calls of this run reported. */
  readonly reported: ReportedDetails;
  /** Annotations that say which provider is used. */
  readonly providerRecord?: Readonly<Record<string, string>>;
  /** What is to be said of operations that outlive a run. */
  readonly operation?: readonly ConditionFacts[];
  /** The operation that the external system sees through at the moment. */
  readonly underWay?: ExternalOperation | undefined;
  /** What an operation was about that this run found to have ended as it should, or to be forgotten. */
  readonly ended?: OperationType;
  /** Output-only fields of the external resource, as far as they were told. */
  readonly status?: Readonly<Record<string, unknown>>;
  /** The system behind the provider, where it says. */
  readonly system?: string | undefined;
  /** The result of the last observation; absent: none yet. */
  readonly seen?: Observation | undefined;
  /** The external resource is what was recorded, and not what has been added to that since. */
  readonly isExact?: boolean;
  /** When the last observation began. */
  readonly observedAt?: Date;
  /** For how long observations have found no external resource. */
  readonly absentForMs?: number;
  /** Events of what it has done. */
  readonly happened: readonly EventFacts[];
}

/** How a run ends: what is told of the managed resource, and what brings it back. */
export interface Ending {
  readonly run: Run;
  /** Absent: the status stays as it is. */
  readonly synced?: ConditionFacts;
  /** Absent: Ready stays as it is. */
  readonly ready?: ConditionFacts | undefined;
  /** With the status: a Normal one tells of its change, a Warning is told for as long as its cause lasts. */
  readonly event?: EventFacts;
  /** Annotations that have had their effect once the status says so. */
  readonly used?: readonly string[];
  readonly next: Next;
  /** What the run throws once it has told what happened: a conflict, which is put back without a word. */
  readonly thrown?: StepFailure;
  /** Its finalizer is removed. */
  readonly isFinalised?: true;
  /** A step failed: the run counts as an error. */
  readonly hasFailed?: true;
  /** The programming error that the run ended with. */
  readonly bug?: Error;
}

const warning = (reason: string, message: string): EventFacts => ({ type: 'Warning', reason, message });
const missing = 'external resource does not exist';

/** The endings of each decision that are not a step's failure. */
export const endings = {
  /** Paused. */
  paused: (run: Run, message: string): Ending => ({
    run,
    synced: reconcilePaused(message),
    event: { type: 'Normal', reason: 'ReconciliationPaused', message },
    next: 'event',
  }),
  /** UnsupportedPolicies. */
  invalid: (run: Run, message: string): Ending => ({
    run,
    synced: reconcileError(message),
    event: warning('CannotUseInvalidManagementPolicy', message),
    next: 'event',
  }),
  /** CreationIncomplete. */
  undetermined: (run: Run, message: string): Ending => ({
    run,
    synced: reconcileError(message),
    ready: creating(),
    event: warning('CannotInitializeManagedResource', message),
    // Nothing outside is asked. What came of this write, or of the one before, may not have been told.
    next: 'poll',
  }),
  /** AwaitEarlierRun. */
  busy(run: Run, type: OperationType): Ending {
    const waiting = type === 'delete' ? undefined : `waiting for its ${type} to end`;
    const arriving = type === 'create' ? creating() : undefined;
    const ready = wasDeleted(run.current) ? deleting(waiting) : arriving;
    return {
      run: { ...run, operation: operationOngoing(type) },
      synced: reconcileSuccess(),
      ready,
      next: 'operation',
    };
  },
  /** AwaitOperation: an operation that the external system sees through is not to be disturbed. */
  waiting(run: Run, type: OperationType): Ending {
    const arriving = type === 'create' ? creating() : undefined;
    const why = type === 'delete' ? undefined : `waiting for its ${type} to end`;
    const ready = wasDeleted(run.current) ? deleting(why) : arriving;
    return { run, synced: reconcileSuccess(), ready, next: 'progress since operation' };
  },
  /** CreateExternal, Update and DeleteExternal, where the external system sees through what the call has begun. */
  handedOver: (run: Run, ready: ConditionFacts | undefined): Ending => ({
    run,
    synced: reconcileSuccess(),
    ready,
    next: 'progress since operation',
  }),
  /** CreateExternal, Update and DeleteExternal, where the call has only begun it. */
  begun: (run: Run, type: OperationType, ready: ConditionFacts | undefined): Ending => ({
    run: { ...run, operation: operationOngoing(type) },
    synced: reconcileSuccess(),
    ready,
    next: 'operation',
  }),
  /** OtherSystem. Nothing tells of credentials that change. */
  elsewhere: (run: Run, message: string): Ending => ({
    run,
    synced: reconcileError(message),
    ready: wasDeleted(run.current) ? deleting() : undefined,
    event: warning('CannotConnectToProvider', message),
    next: 'poll',
  }),
  /** ExternalMissing. A steady state (crossplane-runtime v2.4). What was ready is so until looks have found nothing for long enough. */
  missing(run: Run, confirmAbsenceMs: number): Ending {
    const { current, absentForMs = 0 } = run;
    const name = externalName(current);
    const message = name === undefined ? missing : `${missing} (${name})`;
    const isUnsure =
      absentForMs < confirmAbsenceMs && getCondition(current.status?.conditions, 'Ready').status === 'True';
    return {
      run,
      synced: reconcileError(`observe failed: ${missing}`),
      ready: isUnsure ? undefined : unavailable(message),
      event: warning('CannotObserveExternalResource', message),
      next: isUnsure ? confirmAbsenceMs - absentForMs : 'poll',
    };
  },
  /** AwaitExternal. */
  hidden(run: Run): Ending {
    const message = 'Waiting for external resource existence to be confirmed';
    const event: EventFacts = { type: 'Normal', reason: 'PendingExternalResource', message };
    return { run: having(run, event), next: 'backOff' };
  },
  /** ConfirmAbsence. */
  notConfirmed: (run: Run, confirmAbsenceMs: number): Ending => ({
    run,
    next: confirmAbsenceMs - (run.absentForMs ?? 0),
  }),
  /** ExternalLost. */
  lost(run: Run): Ending {
    const message = `${missing} any more (${externalName(run.current)}); to have another created, remove the annotation ${annotationKeys.externalName}`;
    return {
      run,
      synced: reconcileError(message),
      ready: unavailable(message),
      event: warning('LostExternalResource', message),
      next: 'poll',
    };
  },
  /** CreateNotAllowed. */
  uncreated: (run: Run): Ending => ({
    run,
    synced: reconcileSuccess(),
    ready: unavailable(
      `${missing}, and spec.managementPolicies do not allow Create; add Create, or create it`,
    ),
    next: 'poll',
  }),
  /** IdentityEdited, while something is left of what was recorded. */
  leftovers: (run: Run): Ending => ({ run, synced: reconcileSuccess(), next: 'poll' }),
  /** IdentityEdited: observe at once with the identity that was recorded now. */
  edited: (run: Run): Ending => ({ run, next: 0 }),
  /** DeleteExternal and AwaitDeletion: on its way out. */
  leaving: (run: Run): Ending => ({
    run,
    synced: reconcileSuccess(),
    ready: deleting(),
    next: run.underWay === undefined ? 'progress since deletion' : 'progress since operation',
  }),
  /** OrphanExternal and RemoveFinalizer: the managed resource may go. */
  gone: (run: Run): Ending => ({ run, next: 'event' }),
  /** CreateExternal, while it does not show yet. */
  unseen: (run: Run): Ending => ({ run, synced: reconcileSuccess(), ready: creating(), next: 'backOff' }),
  /** AwaitEffect. */
  awaited: (run: Run, { ready }: Observation): Ending => ({
    run,
    synced: reconcileSuccess(),
    ready,
    next: 'backOff',
  }),
  /** CreateExternal, LateInitialize, Update, UpToDate and the like: it is there. Soon looked at while it is on its way, else at the poll. */
  present(run: Run, { ready, operation, isUpToDate }: Observation): Ending {
    const { current, underWay, credential, isCredentialJustSet = false } = run;
    const isReady = (ready ?? getCondition(current.status?.conditions, 'Ready')).status === 'True';
    const used = [
      ...(isAdopting(current) ? [annotationKeys.adoptIdentity] : []),
      ...(isReofferUsed(run) ? [annotationKeys.reoffer] : []),
    ];
    const observedNext = isReady ? 'poll' : 'progress since creation';
    // A creation that found an existing resource has set no credential, and an update sets a credential alone.
    const isIncomplete = credential?.isApplied === false || (isCredentialJustSet && !isUpToDate);
    const isDue = isIncomplete && shouldUpdate(current.spec);
    const arriving = isDue ? 0 : observedNext;
    const next = (operation ?? underWay) === undefined ? arriving : 'progress since operation';
    return { run, ...credentialOutcome(run), ready, used, next };
  },
  /** CredentialCannotChange. */
  credentialKept: (run: Run, message: string): Ending => ({
    run,
    synced: reconcileError(message),
    event: warning('CannotReplaceCredential', message),
    next: 'poll',
  }),
};

/** An administrator gave the credential to the next claim as it is, and that claim has it. */
function isReofferUsed({ current, entry }: Run): boolean {
  const { claimRef } = current.spec;
  const isRequested = current.metadata.annotations?.[annotationKeys.reoffer] !== undefined;
  return isRequested && claimRef?.uid !== undefined && entry?.note?.for === claimText(claimRef);
}

/** Synced of a resource that exists: policies may forbid to set the credential that its Secret holds. */
function credentialOutcome({ current, credential }: Run): Pick<Ending, 'synced' | 'event'> {
  if (credential?.isApplied !== false || shouldUpdate(current.spec)) return { synced: reconcileSuccess() };
  const message = `the credential of its Secret is not set in the external system, because spec.managementPolicies do not allow Update; ${howToAllowUpdate(current.spec)}`;
  return { synced: reconcileError(message), event: warning('CannotUpdateExternalResource', message) };
}

/** Recreate: the Event beside those of the creation. */
export function recreationEvent({ current }: Run): EventFacts {
  const name = externalName(current) ?? 'its name is not known';
  // What is on record as failed may have come to nothing, or have been there all the same.
  const how = isCreationFailed(current) ? `(${name}), and its creation failed` : `any more (${name})`;
  return warning('LostExternalResource', `${missing} ${how}; it is created again`);
}

/** A run that has done something more. */
export const having = (run: Run, ...events: readonly EventFacts[]): Run => ({
  ...run,
  happened: [...run.happened, ...events],
});

/** A run to which connection details were reported. */
export const informed = (run: Run, details: ReportedDetails = {}): Run => ({
  ...run,
  reported: { ...run.reported, ...details },
});

/** A run to which output-only fields were reported. */
export const reporting = (run: Run, status: Run['status']): Run =>
  status === undefined ? run : { ...run, status: { ...run.status, ...status } };

/** A run after which nothing is under way any more. */
export const over = (run: Run): Run => omit(run, 'underWay');

/** A message without any secret that a run knows. */
export const scrubOf = ({ entry, credential, reported }: Run, message: string): string =>
  scrub(
    message,
    entry?.details ?? {},
    present(reported),
    credential === undefined ? {} : { password: credential.value },
  );

/** What Ready says where a step fails. */
export type Ready = NonNullable<FailureFacts<Run>['ready']>;

export const isCreating: Ready = () => creating();
export const isDeleting: Ready = () => deleting();

/** Any decision, where a step fails: `start` is what the run knew if that does not say. Throws what is no step's failure. */
export function failed(start: Run, error: unknown): Ending {
  if (!(error instanceof StepFailure)) throw error;
  const failure: StepFailure<Run> = error;
  const { known: run = start, reason, ready } = failure.facts;
  if (failure.isSilent) return { run, next: 'event', thrown: failure };
  return {
    run,
    synced: reconcileError(failure.message),
    ready: ready?.(failure.message) ?? (wasDeleted(run.current) ? deleting() : undefined),
    ...(reason !== undefined && { event: warning(reason, failure.eventMessage) }),
    next: 'backOff',
    hasFailed: true,
    ...(failure.bug && { bug: failure.bug }),
  };
}

/**
 * What an ending says, without secrets: the managed resource with its status, and the Events that go with that. A run that
 * went well has to say all the same that an edit has no effect, and one that failed has to say that, too.
 */
export function told(
  { run, synced: found, ready, event }: Ending,
  identity: IdentityContext,
  now: Date,
): { readonly object: Managed; readonly events: readonly EventFacts[] } {
  if (found === undefined) return { object: run.current, events: [] };
  const said = found.status === 'True' ? undefined : (found.message ?? '');
  // Of what was not looked at, an error says enough.
  const refused = said === undefined || run.seen !== undefined ? refusals(identity, run) : [];
  const unsaid = refused.filter((sentence) => said?.includes(sentence) !== true);
  const refusal = unsaid.length === 0 ? undefined : unsaid.join('; ');
  const synced =
    refusal === undefined ? found : reconcileError(said === undefined ? refusal : `${said}; ${refusal}`);
  const scrubbed = <F extends { readonly message?: string }>(facts: F): F =>
    facts.message === undefined ? facts : { ...facts, message: scrubOf(run, facts.message) };
  const facts = {
    synced: scrubbed(synced),
    ready: ready && scrubbed(ready),
    status: run.status,
    underWay: run.underWay,
    externalIdentity: identityFound(identity, run),
    ...(run.record && { credential: run.record }),
    isCredentialInForce: isCredentialInForce(run),
    ...(run.operation && { operation: run.operation.map(scrubbed) }),
  };
  const events = [
    ...(event === undefined ? [] : [event]),
    ...(refusal === undefined ? [] : [warning('CannotApplyEdit', refusal)]),
  ];
  return { object: withManagedStatus(run.current, facts, now), events: events.map(scrubbed) };
}

/** Whether the external system uses the credential of the Secret, or the resource has none. */
function isCredentialInForce({ credential, record, current }: Run): boolean {
  if (credential === undefined) return true;
  return credential.isApplied && (record ?? current.status?.credential)?.pending === false;
}

export interface ConcludeOptions {
  readonly env: Pick<Environment, 'events' | 'clock' | 'random' | 'pollIntervalMs'>;
  readonly managedResources: Resource<Managed>;
  /** How its external resource is identified. */
  readonly identity: IdentityContext;
  /** That of the run. */
  readonly log: Pick<Logger, 'child'>;
}

/**
 * Says on the managed resource, and in Events, how a run ended: once, at its end. A status is written if it changes; an
 * object that is gone needs none. What fails is handed to the recorder each time, for an Event is gone after an hour, and
 * who looks at the object then shall still see why: the recorder bounds how often it is sent.
 */
export async function conclude(
  options: ConcludeOptions,
  ending: Ending,
  signal: AbortSignal,
): Promise<Result> {
  const { env, managedResources, identity, log } = options;
  const { run, next, used = [], thrown, isFinalised, hasFailed, bug } = ending;
  let stored = run.current;
  const ofRun = log.child(() => ({ ...aboutManaged(stored), decision: run.decision }));
  for (const event of run.happened) {
    const safe = { ...event, message: scrubOf(run, event.message) };
    env.events.record(run.current, safe);
    logAct(ofRun, safe);
  }
  if (isFinalised) logQuietAct(ofRun, 'RemovedFinalizer');
  if (thrown !== undefined) throw thrown;
  const { object, events } = told(ending, identity, env.clock.now());
  const said = getCondition(object.status?.conditions, 'Synced').message;
  const failure = hasFailed ? said : undefined;
  try {
    const written = managedResources.updateStatus(run.current, object, signal);
    stored = await annotate('cannot update managed resource status', written);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const [before, after] = [run.current.status?.conditions, stored.status?.conditions];
  logConditions(ofRun, { before, after, failure });
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
    decision: run.decision,
    ...(failure !== undefined && { failure }),
    ...(bug && { bug }),
  };
}
