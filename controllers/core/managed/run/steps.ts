import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import { getCondition, notReady, unavailable } from '../../../../apis/core/v1alpha1/condition.ts';
import { objectKey } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../../apis/core/v1alpha1/meta.ts';
import type { ReportedDetails } from '../../../../apis/core/v1alpha1/secret.ts';
import { keysContaining, present } from '../../../../apis/core/v1alpha1/secret.ts';
import type { UpdateOptions } from '../../../../runtime/cache/resource.ts';
import { changedSinceRead, isConflict } from '../../../../runtime/client/errors.ts';
import type { Environment } from '../../../../runtime/controller/environment.ts';
import type { EventFacts } from '../../../../runtime/events/event-facts.ts';
import type { Logger } from '../../../../runtime/log/log.ts';
import type { ConnectionEntry } from '../../connection/connection-place.ts';
import { withReported } from '../../connection/connection-place.ts';
import type { ConnectionPlaces } from '../../connection/connection-places.ts';
import type { RandomBytes, SecretDetails } from '../../credential.ts';
import { credentialOf, hmacOf, holdsSecrets, isUnwanted, newNoteKey } from '../../credential.ts';
import { conditionErrorOf, reasonOfError } from '../../error-class.ts';
import { aboutManaged, logQuietAct } from '../../log-changes.ts';
import { mayChange } from '../../management-policies.ts';
import type { FailureFacts } from '../../step-failure.ts';
import { failing, StepFailure } from '../../step-failure.ts';
import type { ExternalClient, Observation } from '../connecting/external-client.ts';
import type { AbsenceTimes } from '../recording/absence-times.ts';
import type { CreationContext } from '../recording/creation-record.ts';
import {
  editsOf,
  identified,
  identityFound,
  named,
  recordedIdentity,
  withAnnotations,
} from '../recording/identity.ts';
import {
  isOperationOngoing,
  operationOngoing,
  operationSucceeded,
} from '../recording/operation-conditions.ts';
import type { OperationsUnderWay } from '../recording/operations-under-way.ts';
import { withLateInitialized } from '../recording/provider-values.ts';
import { claimOfNewNote, withoutRecord } from './decide-credential.ts';
import type { Ready } from './failures.ts';
import { cannot } from './failures.ts';
import type { Run } from './outcome.ts';
import { reporting, withDetails, withEvents } from './outcome.ts';

/** The context of a run: what all runs of the managed kind share, and the signal and log of this run. */
export interface RunContext extends CreationContext {
  readonly env: Pick<Environment, 'events' | 'clock' | 'random' | 'pollIntervalMs' | 'isObserveOnly'>;
  readonly places: ConnectionPlaces;
  readonly secretDetails: SecretDetails;
  readonly randomBytes: RandomBytes;
  readonly absenceTimes: AbsenceTimes;
  readonly underWay: OperationsUnderWay;
  readonly creationGraceMs: number;
  readonly confirmAbsenceMs: number;
  readonly stack: string | undefined;
  /** Whether a loss of the external resource loses data. */
  readonly holdsData: boolean;
  readonly uncreatable: (managed: Managed) => string | undefined;
  readonly log: Pick<Logger, 'child' | 'debug' | 'info'>;
}

export interface ExternalContext extends RunContext {
  readonly external: ExternalClient;
}

/** Awaits a step of a run. If it fails, throws a StepFailure with the message `what: cause` and the state of the run. */
export const step = <T>(
  run: Run,
  what: string,
  doing: Promise<T>,
  facts: FailureFacts<Run> = cannot.write,
): Promise<T> => failing(what, doing, { ...facts, known: run });

export type Observed = readonly [run: Run, observed: Observation];

/** Observes the external resource. `ready`: the Ready condition if the observation fails. */
export async function observe(
  { env, identity, external, absenceTimes, signal }: ExternalContext,
  run: Run,
  ready?: Ready,
): Promise<Observed> {
  const [begunMs, observedAt] = [env.clock.elapsedMs(), env.clock.now()];
  // guard(external.observe(run.current, run.credential, signal)): after an edit another resource is observed
  const observing = external.observe(identified(identity, run), run.credential, signal);
  const found = await step(run, '', observing, {
    ...cannot.observe,
    ...(wasMissing(run.current) && { ready: () => unavailable() }),
    ...(ready && { ready }),
  });
  // guard(found): the secrets of another owner's external resource are published
  const observed = found.isOfAnother === true ? omit(found, 'details') : found;
  const operation = operationReported(run, observed);
  const seen = observed.exists ? observed : undefined;
  // While the external system creates the resource, an absence proves nothing.
  if ((run.underWay?.type ?? run.ended) === 'create') absenceTimes.forget(objectKey(run.current.metadata));
  // guard(Infinity): one observation proves an absence
  const absentForMs = absenceTimes.note(run.current, observed.exists, begunMs);
  const known = credentialReported(reporting(run, seen?.status), seen);
  return [{ ...known, seen, observedAt, absentForMs, ...(operation && { operation }) }, observed];
}

/** Whether Ready reports that the external resource does not exist, which a failed observation does not confirm. */
const wasMissing = ({ status }: Managed): boolean =>
  getCondition(status?.conditions, 'Ready').error?.class === 'ExternalMissing';

/** Updates `run.record`. A credential that was set counts as in use, unless the client reports the opposite. */
function credentialReported(run: Run, seen: Observation | undefined): Run {
  const { credential, entry, underWay } = run;
  if (credential === undefined || seen === undefined || entry?.note === undefined) return run;
  if (!credential.isApplied) {
    return seen.credential === 'inForce' ? withRecord(run, { pending: false }) : run;
  }
  if (seen.credential === 'wrong') return { ...run, credential: { ...credential, isApplied: false } };
  const wasPending = (run.record ?? run.current.status?.credential)?.pending === true;
  const isAwaited = run.isCredentialJustSet === true || underWay?.type === 'update';
  return withRecord(run, { pending: seen.credential === 'pending' || (wasPending && isAwaited) });
}

function withRecord(run: Run, { pending }: { readonly pending: boolean }): Run {
  const { credential, entry } = run;
  if (credential === undefined || entry?.note === undefined) return run;
  const record = { hmac: hmacOf(credential.value, entry.note, run.current.metadata.uid), pending };
  return { ...run, credential: { ...credential, isApplied: true }, record };
}

export const credentialSet = (run: Run, { isPending = false }: { readonly isPending?: boolean }): Run => ({
  ...withRecord(run, { pending: isPending }),
  isCredentialJustSet: true,
});

export const isCredentialDue = ({ credential }: Run): boolean => credential?.isApplied === false;

export async function writeStatus(
  { managedResources, signal }: RunContext,
  run: Run,
  desired: Managed,
): Promise<Run> {
  const writing = managedResources.updateStatus(run.current, desired, signal);
  return { ...run, current: await step(run, 'cannot update managed resource status', writing) };
}

/** Removes `status.credential` before another credential is set, so that the status is correct even after a crash. */
export const clearRecord = (context: RunContext, run: Run): Promise<Run> =>
  run.current.status?.credential === undefined
    ? Promise.resolve(run)
    : writeStatus(context, run, withoutRecord(run.current));

/** Removes credential and identity from the status, before another external resource is created. */
export async function clearRecords(context: RunContext, run: Run): Promise<Run> {
  const { credential, externalIdentity } = run.current.status ?? {};
  if (credential === undefined && externalIdentity === undefined) return run;
  const cleared = withoutRecord(run.current);
  return writeStatus(context, run, { ...cleared, status: omit(cleared.status, 'externalIdentity') });
}

/**
 * Checks, before a creation, a deletion or a new credential, that object and Secret are unchanged. Reads both from the
 * API server, unless its last answer about them is younger than 5 s. Returns undefined if the object does not exist any
 * more. Throws a conflict if object or Secret has changed.
 */
export async function confirmed(
  { managedResources, signal }: RunContext,
  run: Run,
  facts: FailureFacts<Run>,
): Promise<Run | undefined> {
  const quietly = { ...facts, reportsConflicts: false };
  const confirming = managedResources.confirm(run.current, signal);
  const current = await step(run, 'cannot get managed resource', confirming, quietly);
  if (current === undefined) return undefined;
  await step(run, '', run.entry?.confirm(signal) ?? Promise.resolve(), quietly);
  return { ...run, current };
}

function operationReported({ operation, underWay, current }: Run, observed: Observation): Run['operation'] {
  if (!observed.exists || underWay !== undefined) return operation;
  if (observed.operation !== undefined) return operationOngoing(observed.operation);
  if (!isOperationOngoing(current.status?.conditions)) return operation;
  return operation ?? operationSucceeded;
}

/**
 * Observes the external resource. A field that was set after the identity was recorded may point at another resource.
 * If nothing is found there, observes again without such fields.
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

export interface Preparation {
  readonly annotations?: Readonly<Record<string, string>>;
  /** The Ready condition if the write fails. */
  readonly ready?: Ready;
  readonly lateInitialized?: object | undefined;
}

export async function write(
  { managedResources, signal }: RunContext,
  run: Run,
  desired: Managed,
  facts: FailureFacts<Run> = cannot.write,
  options: UpdateOptions = {},
): Promise<Run> {
  const writing = managedResources.update(run.current, desired, signal, options);
  return { ...run, current: await step(run, 'cannot update managed resource', writing, facts) };
}

/**
 * Whether the next write of a provisioned resource is its first one. That write also makes the API server stop tracking
 * which client wrote which field (docs/decisions/0051).
 */
const ceasesTracking = ({ metadata, spec: { claimRef, classRef } }: Managed): boolean =>
  claimRef !== undefined &&
  classRef !== undefined &&
  metadata.annotations?.[annotationKeys.externalIdentity] === undefined;

/**
 * Writes name, annotations, late-initialized values and the found identity. The identity is in an annotation because a
 * restore may drop the status. A conflict ends the run, so that no creation follows a stale read.
 */
export async function prepare(
  context: RunContext,
  run: Run,
  { annotations = {}, ready, lateInitialized }: Preparation = {},
): Promise<Run> {
  const known = named(context.identity, run.current);
  const object = lateInitialized === undefined ? known : withLateInitialized(known, lateInitialized);
  const found = identityFound(context.identity, { ...run, current: object });
  const recorded = found === undefined ? {} : { [annotationKeys.externalIdentity]: found };
  const prepared = withAnnotations(object, { ...recorded, ...annotations });
  const isRoutine = (ready ?? lateInitialized) === undefined;
  const facts = isRoutine ? {} : { ...cannot.write, ...(ready && { ready }) };
  return write(context, run, prepared, facts, { ceasesTracking: ceasesTracking(run.current) });
}

/**
 * Awaits a read or write of the Secret, or of the secret store if the resource names no Secret. If this fails, the run
 * goes on without the credential, and creates nothing.
 */
export async function inPlace(run: Run, doing: Promise<ConnectionEntry | undefined>): Promise<Run> {
  try {
    const entry = await doing;
    return entry === undefined ? run : { ...run, entry };
  } catch (error) {
    const reason = reasonOfError(conditionErrorOf(error, undefined)) ?? 'Unavailable';
    const ready = (message: string) => notReady(reason, message);
    const unkept = failureOf(run, error, { ...cannot.publish, ready });
    return omit({ ...run, unkept }, 'credential');
  }
}

/** Awaits a step after the write of the Secret, such as its copy to a store. If the step fails, the run goes on. */
async function following(run: Run, doing: Promise<void>, facts: FailureFacts<Run>): Promise<Run> {
  try {
    await doing;
    return run;
  } catch (error) {
    return { ...run, uncopied: failureOf(run, error, facts) };
  }
}

/** Returns the failure for the report of the run. Throws a failure that must not be reported, such as a conflict. */
function failureOf(run: Run, error: unknown, facts: FailureFacts<Run>): StepFailure<Run> {
  const failure = new StepFailure('', error, { ...facts, known: run });
  if (failure.isSilent) throw failure;
  return failure;
}

const maxAttempts = 5;

/**
 * Writes the reported details into the Secret and the secret store if they differ. Some details are reported only once,
 * so the write is retried after a conflict, unless the credential has changed. The returned run contains the failure of
 * a write.
 */
export async function publish(context: RunContext, run: Run, details?: ReportedDetails): Promise<Run> {
  const { places, signal, log } = context;
  const known = withDetails(run, details);
  const { current, unkept } = known;
  if (!wantsDetails(current) || (unkept !== undefined && run.entry === undefined)) return known;
  const published = await inPlace(known, keep(context, known));
  const { entry } = published;
  if (entry === undefined) return published;
  if (!isEqual(entry.details, run.entry?.details ?? {})) {
    const about = { ...aboutManaged(current), decision: run.decision };
    logQuietAct(log, 'PublishedConnectionDetails', { ...about, keys: Object.keys(entry.details).toSorted() });
  }
  return following(published, places.copy(current, entry, signal), cannot.publish);
}

/** Writes the Secret before a creation: without a Secret for its credential, no external resource must be created. */
export const reserve = async (context: RunContext, run: Run): Promise<Run> =>
  run.entry === undefined ? publish(context, run) : run;

/** Deletes Secrets and store entries that the resource no longer names, after a pending credential has been set. */
export async function removeFormer({ places, signal }: RunContext, run: Run): Promise<Run> {
  if (run.unkept !== undefined || isCredentialDue(run)) return run;
  return following(run, places.removeFormer(run.current, signal), cannot.unpublish);
}

async function keep(context: RunContext, run: Run): Promise<ConnectionEntry> {
  const { places, signal } = context;
  let entry = run.entry;
  for (let attempt = 1; ; attempt += 1) {
    const desired = kept(context, run, entry);
    try {
      return await (entry === undefined
        ? places.create(run.current, desired, signal)
        : entry.write(run.current, desired, signal));
    } catch (error) {
      if (!isConflict(error) || attempt === maxAttempts) throw error;
      const now = await places.read(run.current, signal);
      if (!isSameCredential(run, now, credentialOf(run.current, context.secretDetails)?.key)) {
        throw changedSinceRead();
      }
      entry = now;
    }
  }
}

const isSameCredential = ({ entry }: Run, now: ConnectionEntry | undefined, key = ''): boolean =>
  isEqual(now?.note, entry?.note) && now?.details[key] === entry?.details[key];

function kept(
  { secretDetails, randomBytes }: RunContext,
  { current, reported }: Run,
  entry: ConnectionEntry | undefined,
): Pick<ConnectionEntry, 'details' | 'note'> {
  const key = secretDetails.credential?.key ?? '';
  const before = entry?.details ?? {};
  const [isRemoved, isObserved] = [isUnwanted(current, secretDetails), !mayChange(current.spec)];
  // Without a credential of its own the resource publishes no entry that contains it. Under Observe they are a person's.
  const containing =
    before[key] === undefined ? [] : keysContaining({ ...before, ...present(reported) }, before[key]);
  const removed = isRemoved ? Object.fromEntries([key, ...containing].map((each) => [each, null])) : {};
  const details = withReported(before, {
    ...omit(reported, key, ...(isObserved ? containing : [])),
    ...removed,
  });
  const note = isRemoved ? undefined : entry?.note;
  if (note !== undefined || !holdsSecrets(current, { details, note }, secretDetails))
    return { details, note };
  const claim = claimOfNewNote(current, secretDetails);
  return { details, note: { key: newNoteKey(randomBytes), ...(claim && { for: claim }) } };
}

export interface Called {
  readonly details?: ReportedDetails | undefined;
  readonly status?: Run['status'];
  readonly event: EventFacts;
  /** The Ready condition if the next step fails. */
  readonly ready?: Ready;
}

/**
 * Observes after a call, and publishes the details of the call and of the observation in one write. If the observation
 * fails, publishes the details of the call.
 */
export async function observeAndPublish(
  context: ExternalContext,
  run: Run,
  { details, status, event, ready }: Called,
): Promise<Observed> {
  const called = reporting(withDetails(run, details), status);
  const [seen, observed] = await observe(context, called, ready).catch(async (error: unknown) => {
    // guard(called): details are lost if the observation fails
    const published = await publish(context, called);
    throw error instanceof StepFailure ? error.knowing(withEvents(published, event)) : error;
  });
  const published = await publish(context, seen, observed.exists ? observed.details : undefined);
  return [withEvents(published, event), observed];
}

/** Removes a pending `status.credential` after a failed update, because the update did not set the credential. */
export const withoutPending = async (context: RunContext, run: Run): Promise<Run> =>
  run.current.status?.credential?.pending === true ? clearRecord(context, run) : run;
