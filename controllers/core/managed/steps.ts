import isEmpty from 'lodash/isEmpty.js';
import omit from 'lodash/omit.js';
import { creating, isConditionTrue, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer, wasDeleted, withFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import type { ReportedDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { UpdateOptions } from '../../../runtime/cache/resource.ts';
import { messageOf } from '../../../runtime/client/errors.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import type { Logger } from '../../../runtime/log/log.ts';
import type { PublisherChain } from '../connection/connection-publisher.ts';
import { NotOurs, PublishedElsewhere } from '../connection/connection-publisher.ts';
import { nothingPublished, present, revisionOf } from '../connection/published-details.ts';
import type { FailureFacts } from '../step-failure.ts';
import { failing, StepFailure } from '../step-failure.ts';
import { aboutManaged, logQuietAct } from '../story.ts';
import type { Absences } from './absences.ts';
import type { OperationTracker, TrackedOperation } from './async-operations.ts';
import {
  isOperationOngoing,
  operationFailed,
  operationOngoing,
  operationSucceeded,
} from './async-operations.ts';
import type { Contests } from './contests.ts';
import type { CreationContext } from './creation-record.ts';
import { failedCreation, recordCreation } from './creation-record.ts';
import type { DeletionsUnderWay } from './deletions-under-way.ts';
import type { Ready, Run } from './ending.ts';
import { having, informed, isDeleting, reporting } from './ending.ts';
import type { ExternalClient, Observation } from './external-client.ts';
import { editsOf, identified, named, recordedIdentity, withAnnotations } from './identity.ts';
import type { OperationsUnderWay } from './operations-under-way.ts';
import type { Overtaken } from './overtaken.ts';
import { withLateInitialized } from './provider-values.ts';
import type { Renewals } from './renewals.ts';
import type { Revisions } from './revisions.ts';
import { pastAll } from './revisions.ts';
import { withStatusMark } from './status.ts';
import { aboutToBeTold } from './told-credentials.ts';
import type { UnpublishedDetails } from './unpublished.ts';

/** What the steps of every run over one managed kind share, and the signal and log of this one. */
export interface RunContext extends CreationContext {
  readonly env: Pick<Environment, 'events' | 'clock' | 'random' | 'pollIntervalMs'>;
  readonly publisher: PublisherChain;
  readonly operations: OperationTracker;
  readonly absences: Absences;
  readonly renewals: Renewals;
  readonly contests: Contests;
  readonly revisions: Revisions;
  readonly unpublished: UnpublishedDetails;
  readonly underWay: OperationsUnderWay;
  readonly overtaken: Pick<Overtaken, 'begin' | 'end' | 'isMaking' | 'learn' | 'settle'>;
  readonly deletions: DeletionsUnderWay;
  /** How long what was created may not show. */
  readonly creationGraceMs: number;
  /** For how long looks must find nothing before it counts. */
  readonly confirmAbsenceMs: number;
  /** The name of the stack, for messages. */
  readonly stack: string | undefined;
  /** Why none is to be made as it is asked for now; undefined: it may. */
  readonly uncreatable: (managed: Managed) => string | undefined;
  readonly log: Pick<Logger, 'child' | 'debug' | 'info'>;
}

/** The same, once the external system is connected to. */
export interface ExternalContext extends RunContext {
  readonly external: ExternalClient;
}

/** How the failures of each step are told. */
export const cannotResolve: FailureFacts<Run> = { reason: 'CannotResolveResourceReferences' };
export const cannotConnect: FailureFacts<Run> = { reason: 'CannotConnectToProvider', isEventBrief: true };
export const cannotObserve: FailureFacts<Run> = {
  reason: 'CannotObserveExternalResource',
  isEventBrief: true,
};
export const cannotName: FailureFacts<Run> = {
  reason: 'CannotInitializeManagedResource',
  ready: () => creating(),
};
export const cannotPublish: FailureFacts<Run> = { reason: 'CannotPublishConnectionDetails' };
export const cannotUnpublish: FailureFacts<Run> = {
  reason: 'CannotUnpublishConnectionDetails',
  ready: isDeleting,
};
export const cannotWrite: FailureFacts<Run> = { reason: 'CannotUpdateManagedResource' };
export const cannotFinalise: FailureFacts<Run> = { ready: isDeleting };
export const cannotUpdate: FailureFacts<Run> = {
  reason: 'CannotUpdateExternalResource',
  isEventBrief: true,
  areConflictsTold: true,
};
export const cannotDelete: FailureFacts<Run> = {
  reason: 'CannotDeleteExternalResource',
  isEventBrief: true,
  areConflictsTold: true,
  ready: isDeleting,
};

/** What observing yields: the run knows it too, so that its ending does. */
export type Observed = readonly [run: Run, observed: Observation];

/** Looks at the external resource. `ready` is what Ready says if that fails. */
export async function observe(
  { env, identity, external, absences, signal }: ExternalContext,
  run: Run,
  ready?: Ready,
): Promise<Observed> {
  const [begunMs, lookedAt] = [env.clock.elapsedMs(), env.clock.now()];
  const looking = external.observe(identified(identity, run), run.known, signal);
  const observed = await failing('observe failed', looking, {
    ...cannotObserve,
    ...(ready && { ready }),
    known: run,
  });
  const operation = operationTold(run, observed);
  const seen = observed.exists ? observed : undefined;
  // While the external system makes it, that it does not show yet is no proof, as it is none before a creation.
  if ((run.underWay?.type ?? run.ended) === 'create') absences.forget(objectKey(run.current.metadata));
  const absentForMs = absences.note(run.current, observed.exists, begunMs);
  const looked = reporting(run, seen?.status);
  return [{ ...looked, seen, lookedAt, absentForMs, ...(operation && { operation }) }, observed];
}

/** What the status is to say of operations, after a look. */
function operationTold({ operation, underWay, current }: Run, observed: Observation): Run['operation'] {
  if (!observed.exists || underWay !== undefined) return operation;
  if (observed.operation !== undefined) return operationOngoing(observed.operation);
  if (!isOperationOngoing(current.status?.conditions)) return operation;
  return operation ?? operationSucceeded;
}

/**
 * What is not found with what has been given a value since it was recorded is looked for without: that value may lead
 * elsewhere, and has no effect then.
 */
export async function observeRecorded(context: ExternalContext, run: Run): Promise<Observed> {
  const { marks } = context.identity;
  const recorded = recordedIdentity(run.current, marks);
  const found = await observe(context, run);
  const [seen, observed] = found;
  if (observed.exists || recorded === undefined) return found;
  const edits = (isExact: boolean) => editsOf(run.current, recorded, marks, isExact).length;
  return edits(true) === edits(false) ? found : observe(context, { ...seen, isExact: true });
}

/** What a write of the object takes along, beside what it always holds. */
export interface Preparation {
  readonly annotations?: Readonly<Record<string, string>>;
  /** What Ready says if it fails. */
  readonly ready?: Ready;
  /** Values that the external system chose. */
  readonly lateInitialized?: object | undefined;
}

/** Writes the object as it is to be, but for its status. */
export async function write(
  { managedResources, signal }: RunContext,
  run: Run,
  desired: Managed,
  facts: FailureFacts<Run> = cannotWrite,
  options: UpdateOptions = {},
): Promise<Run> {
  const writing = managedResources.update(run.current, desired, signal, options);
  const current = await failing('cannot update managed resource', writing, { ...facts, known: run });
  return { ...run, current };
}

/**
 * Nobody but us writes what a claim was provisioned, until somebody does: the write of its finalizer, which comes once, has
 * the API server stop tracking it (docs/decisions/0051).
 */
const ceasesTracking = (managed: Managed): boolean =>
  isProvisioned(managed) && !hasFinalizer(managed, finalizerNames.managed);

/** Made for a claim from a class, and not by hand. */
const isProvisioned = ({ spec: { claimRef, classRef } }: Managed): boolean =>
  claimRef !== undefined && classRef !== undefined;

/**
 * Finalizer and external name, and what else is due, in one write. Before a creation it also carries, for assigned names,
 * the mark that one is under way. It has the resourceVersion as its precondition, so that a stale read creates nothing.
 */
export async function prepare(
  context: RunContext,
  run: Run,
  { annotations = {}, ready, lateInitialized }: Preparation = {},
): Promise<Run> {
  const known = named(context.identity, run.current);
  const object = lateInitialized === undefined ? known : withLateInitialized(known, lateInitialized);
  const annotated = withAnnotations(object, { ...run.providerRecord, ...annotations });
  const finalizers = withFinalizer(object, finalizerNames.managed);
  const prepared = { ...annotated, metadata: { ...annotated.metadata, finalizers } };
  const isRoutine = (ready ?? lateInitialized) === undefined;
  const facts = isRoutine ? {} : { ...cannotWrite, ...(ready && { ready }) };
  return write(context, run, prepared, facts, { ceasesTracking: ceasesTracking(run.current) });
}

/** The error, or what caused it, if that is of this type. */
function causeOf<E extends Error>(
  error: unknown,
  type: abstract new (...given: never[]) => E,
): E | undefined {
  const candidates = [error, error instanceof Error ? error.cause : undefined];
  return candidates.find((each): each is E => each instanceof type);
}

/**
 * Awaits what a publisher does. Where it may not publish, Ready says so: nobody could use an external resource whose
 * details are nowhere.
 */
export async function publishing<T>(step: Promise<T>, known: Run, ready?: Ready): Promise<T> {
  try {
    return await step;
  } catch (error) {
    const told = causeOf(error, NotOurs) !== undefined && !wasDeleted(known.current) ? unavailable : ready;
    throw new StepFailure('', error, { ...cannotPublish, ...(told && { ready: told }), known });
  }
}

/** Remembers what could not be published, and why. Answers whether it is said to be Ready with what opens nothing any more. */
function noteUnpublished(
  { renewals, contests, unpublished }: RunContext,
  { current, before = nothingPublished, published = before.details }: Run,
  details: ReportedDetails,
  error: unknown,
): boolean {
  const contest = causeOf(error, PublishedElsewhere);
  if (contest === undefined) {
    const isNews = unpublished.keep(current, details, { ...before, details: published });
    return isNews && isConditionTrue(current.status?.conditions, 'Ready');
  }
  unpublished.forget(current);
  if (contest.isOnRecord) contests.lost(current);
  else renewals.contested(current);
  return false;
}

/**
 * What an earlier creation set and nobody could publish was of what is gone. Of what the next one makes it counts only
 * where its answer says so: that may fail, or find what another process made meanwhile, with credentials of its own.
 */
export function withoutUnpublished({ unpublished }: RunContext, run: Run): Run {
  const { current, known, before = nothingPublished } = run;
  const left = unpublished.recall(current, before.details);
  unpublished.forget(current);
  return { ...run, known: omit(known, Object.keys(left === 'superseded' ? {} : present(left))) };
}

/**
 * Everything known is offered each time: the publisher writes only what is missing, so that a deleted or edited secret
 * heals and no detail is lost between two steps.
 */
export async function publish(
  context: RunContext,
  run: Run,
  details: ReportedDetails | undefined,
  ready?: Ready,
): Promise<Run> {
  const { publisher, renewals, revisions, unpublished, signal, log } = context;
  const { before = nothingPublished } = run;
  const known = await putOnRecord(context, run, informed(run, details));
  const offered = { ...known.known, ...Object.fromEntries(known.absent.map((key) => [key, null])) };
  const { current } = known;
  if (isEmpty(offered)) return known;
  const writing = publisher.publish(current, offered, signal, {
    ...before,
    ...(run.published && { ours: run.published }),
  });
  const isWronglyReady = await writing.then(
    () => false,
    (error: unknown) => noteUnpublished(context, known, offered, error),
  );
  await publishing(writing, known, ready ?? (isWronglyReady ? unavailable : undefined));
  unpublished.forget(current);
  if (!wantsDetails(current)) return known;
  const publishedRevision = revisionOf(offered, before);
  revisions.published(current, publishedRevision);
  if (publishedRevision > Math.max(before.revision, run.publishedRevision ?? 0)) {
    const about = { ...aboutManaged(current), decision: run.decision };
    logQuietAct(log, 'PublishedConnectionDetails', { ...about, keys: Object.keys(known.known).toSorted() });
  }
  // Those of an update are there once it says so, and not because others are.
  if (run.underWay?.type !== 'update') renewals.published(current, known.known);
  const isRenewalOver = renewals.isOver(current);
  const isRenewalAnothers = renewals.isAnothers(current);
  return { ...known, published: known.known, publishedRevision, isRenewalOver, isRenewalAnothers };
}

/** Whoever has a claim may read what is published before the run ends, and be gone by then: see `toldCredentials`. */
async function putOnRecord(context: RunContext, run: Run, known: Run): Promise<Run> {
  const toldCredentials = wantsDetails(run.current) ? aboutToBeTold(run, known.known) : undefined;
  return toldCredentials === undefined ? known : writeMark(context, known, { toldCredentials });
}

/**
 * Puts on record that credentials are about to be set, as a creation is before it is tried: who ends before they are
 * published leaves word that nobody can tell what works. It has the resourceVersion as its precondition.
 */
export async function markRenewal(context: RunContext, run: Run): Promise<Run> {
  const { renewals, env } = context;
  const mark = renewals.begin(run.current, env.clock.now(), run.before?.revision);
  const marked = mark === undefined ? run : await writeMark(context, run, { renewingSince: mark });
  const { before = nothingPublished } = marked;
  return { ...marked, before: { ...before, untold: renewals.untold(marked.current) } };
}

/**
 * What is about to be made is published nowhere: what was published of a former one, at a place that may be named again,
 * is of an older revision from then on. It has the resourceVersion as its precondition.
 */
export async function outdatePublished(context: RunContext, run: Run): Promise<Run> {
  const mark = pastAll(run.current, run.before);
  return mark === undefined ? run : { ...(await writeMark(context, run, mark)), ...mark };
}

async function writeMark(
  { env, managedResources, signal }: RunContext,
  run: Run,
  mark: Parameters<typeof withStatusMark>[1],
): Promise<Run> {
  const marked = withStatusMark(run.current, mark, env.clock.now());
  const writing = managedResources.updateStatus(run.current, marked, signal);
  const facts = { ...cannotWrite, known: run };
  return { ...run, current: await failing('cannot update managed resource status', writing, facts) };
}

/** What a call to create or update yields. */
export interface Called {
  readonly details?: ReportedDetails | undefined;
  readonly status?: Run['status'];
  /** Tells of the call. */
  readonly event: EventFacts;
  /** What Ready says if what comes after it fails. */
  readonly ready?: Ready;
}

/**
 * Looks at what a call made, and publishes in one write what both know; what the call returned in any case. The call is
 * told of once nothing it returned can be lost.
 */
export async function observeAndPublish(
  context: ExternalContext,
  run: Run,
  { details, status, event, ready }: Called,
): Promise<Observed> {
  const called = reporting(informed(run, details), status);
  const [seen, observed] = await observe(context, called, ready).catch(async (error: unknown) => {
    const published = await publish(context, called, undefined, ready);
    throw error instanceof StepFailure ? error.knowing(having(published, event)) : error;
  });
  const published = await publish(context, seen, observed.exists ? observed.details : undefined, ready);
  return [having(published, event), observed];
}

/** What an operation of an earlier run brought, put on record before anything else is done; then it is forgotten. */
export async function recordOutcome(
  context: RunContext,
  run: Run,
  operation: TrackedOperation,
): Promise<Run> {
  const { operations } = context;
  const { type, outcome } = operation;
  if (outcome.state === 'ongoing') return run;
  const forget = (): void => operations.forget(objectKey(run.current.metadata), operation);
  if (outcome.state === 'succeeded') {
    const { result } = outcome;
    const recorded = type === 'create' ? await recordCreation(context, run, result) : run;
    const published = await publish(context, reporting(recorded, result.status), result.details);
    forget();
    return { ...published, operation: operationSucceeded, ended: type };
  }
  const known = { ...run, operation: operationFailed(type, messageOf(outcome.error)) };
  forget();
  if (type === 'create') throw await failedCreation(context, known, outcome.error);
  const facts = type === 'update' ? cannotUpdate : cannotDelete;
  throw new StepFailure(`${type} failed`, outcome.error, { ...facts, known });
}
