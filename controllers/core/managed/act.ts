import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { creating, deleting } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, finalizerNames, withoutFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import { changedSinceRead, isNotFound } from '../../../runtime/client/errors.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import { isReoffered } from '../claim-marks.ts';
import { encodeIdentity } from '../external-identity.ts';
import type { FailureFacts } from '../step-failure.ts';
import { failing, StepFailure } from '../step-failure.ts';
import { aboutManaged, logQuietAct } from '../story.ts';
import { operationSuperseded } from './async-operations.ts';
import { cannotCreate, failedCreation, recordCreation, recordName } from './creation-record.ts';
import { pendingTime } from './creation-tracking.ts';
import type { NextDecision } from './decide.ts';
import { decideNext } from './decide.ts';
import type { Ending, Ready, Run } from './ending.ts';
import {
  endings,
  having,
  isCreating,
  isDeleting,
  over,
  recreationEvent,
  reporting,
  scrubOf,
} from './ending.ts';
import type { Creation, Deletion, Observation, OperationType } from './external-client.ts';
import { begin, hasNewCredentials, renewed, unpollable } from './follow-up.ts';
import {
  identified,
  identityOf,
  identityToRecord,
  isEdited,
  leadsElsewhere,
  sharedIdentity,
  withAnnotations,
} from './identity.ts';
import { withInitProvider } from './provider-values.ts';
import type { Called, ExternalContext, RunContext } from './steps.ts';
import {
  cannotDelete,
  cannotFinalise,
  cannotObserve,
  cannotUnpublish,
  cannotUpdate,
  cannotWrite,
  markRenewal,
  observe,
  observeAndPublish,
  outdatePublished,
  prepare,
  publish,
  withoutUnpublished,
  write,
} from './steps.ts';

/** What is to be done about what was observed, and how that ends. */
export async function act(context: ExternalContext, before: Run, observed: Observation): Promise<Ending> {
  const decision = decideOn(context, before, observed);
  const run: Run = { ...before, decision: decision.name };
  switch (decision.act) {
    case 'reportMissing':
      return endings.missing(run, context.confirmAbsenceMs);
    case 'awaitOperation':
      return endings.waiting(run, run.underWay?.type ?? 'create');
    case 'reportUndetermined':
      return endings.undetermined(run, decision.message);
    case 'awaitExistence':
      return endings.hidden(run);
    case 'finalise':
      return finalise(context, run);
    case 'lookAgain':
      return endings.unsure(run, context.confirmAbsenceMs);
    case 'takeUpEdit':
      return takeUpEdit(context, run);
    case 'refuseCreation':
      throw new StepFailure('create failed', new Error(decision.message), { ...cannotCreate, known: run });
    case 'awaitOther':
      return endings.held(run);
    case 'reportUncreated':
      return endings.uncreated(run);
    case 'create':
      return create(context, run);
    case 'recreate':
      return create(context, having(run, recreationEvent(run)));
    case 'reportLost':
      return endings.lost(run);
    case 'awaitDeletion':
      return endings.leaving(run);
    case 'delete':
      return remove(context, run);
    case 'lateInitialize':
      return fillIn(context, run, observed);
    case 'reportUpToDate':
      return endings.present(await keep(context, run, observed), observed);
    case 'update':
      return update(context, await keep(context, run, observed), observed);
    case 'awaitEffect':
      return endings.awaited(await keep(context, run, observed), observed, 'backOff');
    case 'awaitRenewal':
      return awaitRenewal(context, await keep(context, run, observed), observed);
  }
}

const decideOn = (
  {
    env,
    identity,
    creationGraceMs,
    confirmAbsenceMs,
    renewals,
    contests,
    deletions,
    uncreatable,
  }: RunContext,
  run: Run,
  observed: Observation,
): NextDecision =>
  decideNext(run.current, observed, {
    graceMs: creationGraceMs,
    now: run.lookedAt ?? env.clock.now(),
    isNameKnown: !identity.isAssigned,
    confirmMs: confirmAbsenceMs,
    absentForMs: run.absentForMs,
    isEdited: isEdited(identity, run),
    isRenewedElsewhere: renewals.awaitedMs(run.current, env.clock.now()) > 0,
    isContested: contests.awaitedMs(run.current) > 0,
    underWay: run.underWay?.type,
    ended: run.ended,
    isBeingDeleted: !observed.exists && deletions.has(sharedIdentity(identity, run)),
    uncreatable: uncreatable(run.current),
  });

/** Marks, creates, records, publishes; looks at once, so that a quick external system takes one run and one status write. */
async function create(context: ExternalContext, found: Run): Promise<Ending> {
  const { env, identity, external, absences, managedResources, overtaken, signal } = context;
  const run = await outdatePublished(context, found);
  const record = { [annotationKeys.externalIdentity]: encodeIdentity(identityToRecord(identity, run)) };
  const mark = { [annotationKeys.externalCreatePending]: pendingTime(run.current, env.clock.now()) };
  const annotations = identity.isAssigned ? { ...record, ...mark } : record;
  const marked = await prepare(context, run, { annotations, ready: isCreating });
  // It may be gone by now: overtaken, or let go of by another process, since nothing was left to write. Then it is nobody's.
  const stored = managedResources.get(objectKey(marked.current.metadata));
  if (stored?.metadata.uid !== marked.current.metadata.uid) return endings.gone(marked);
  // A creation that is tried again has nothing to write, whose precondition would tell of an edit.
  if (marked.current === run.current && !(await isStored(context, marked, cannotCreate))) {
    return endings.gone(marked);
  }
  const made = withoutUnpublished(context, marked);
  overtaken.begin(marked.current);
  absences.forget(objectKey(run.current.metadata)); // from here on it may be there, and only not show yet
  let creation: Creation<Managed, string>;
  try {
    creation = await external.create(withInitProvider(marked.current), marked.known, signal);
  } catch (error) {
    throw await failedCreation(context, marked, error);
  } finally {
    overtaken.end(marked.current);
  }
  const { operation, details } = creation;
  const called = {
    details,
    status: creation.status,
    event: requested('CreatedExternalResource', 'creation'),
  };
  if (typeof operation === 'string') {
    const problem = unpollable(context, made.current, 'create', operation);
    if (problem !== undefined)
      throw new StepFailure('create failed', problem, { ...cannotCreate, known: made });
    const handedOver = await recordName(
      context,
      begin(context, made, { type: 'create', name: operation }),
      creation,
    );
    return endings.handedOver(await tell(context, handedOver, { ...called, ready: isCreating }), creating());
  }
  if (operation !== undefined) {
    const published = await tell(context, made, { ...called, ready: isCreating });
    return begun(context, published, { type: 'create', operation, ready: creating() });
  }
  const recorded = await recordCreation(context, made, creation);
  const [shown, observed] = await observeAndPublish(context, recorded, { ...called, ready: isCreating });
  if (!observed.exists) return endings.unseen(shown);
  const { lateInitialized } = observed;
  const isFilledIn = decideOn(context, shown, observed).act === 'lateInitialize';
  const filled = isFilledIn ? await prepare(context, shown, { lateInitialized, ready: isCreating }) : shown;
  return endings.present(filled, observed);
}

/** Publishes what a call that has only begun something returned, and tells of it. */
const tell = async (
  context: ExternalContext,
  run: Run,
  { details, status, event, ready }: Called,
): Promise<Run> => having(await publish(context, reporting(run, status), details, ready), event);

/** What exists keeps its finalizer, its name and its connection details, and is given what is chosen for it. */
async function keep(
  context: ExternalContext,
  run: Run,
  { details }: Observation,
  lateInitialized?: object,
): Promise<Run> {
  return publish(context, await prepare(context, run, { lateInitialized }), details);
}

/** Writes what the external system chose, and goes by the table again. */
async function fillIn(context: ExternalContext, run: Run, observed: Observation): Promise<Ending> {
  const { lateInitialized, ...rest } = observed;
  const filled = await keep(context, run, observed, lateInitialized);
  const decision = decideOn(context, filled, rest);
  const known = { ...filled, decision: decision.name };
  if (decision.act === 'awaitRenewal') return awaitRenewal(context, known, observed);
  if (decision.act === 'awaitEffect') return endings.awaited(known, observed, 'backOff');
  return decision.act === 'update' ? update(context, known, observed) : endings.present(filled, observed);
}

/** Comes back when what another process is about to set should be published, or can be taken for lost. */
function awaitRenewal({ env, renewals, contests }: RunContext, run: Run, observed: Observation): Ending {
  const { current } = run;
  const waitMs = Math.max(renewals.awaitedMs(current, env.clock.now()), contests.awaitedMs(current));
  return endings.awaited(run, observed, waitMs);
}

async function update(context: ExternalContext, found: Run, observed: Observation): Promise<Ending> {
  const { identity, external, renewals, signal, log } = context;
  // A mark that is there is taken over also by who never writes one: else nothing it publishes would ever be believed.
  const isMarked = found.current.status?.renewingSince !== undefined && !renewals.isOver(found.current);
  const run = observed.setsCredentials || isMarked ? await markRenewal(context, found) : found;
  const difference = observed.difference && scrubOf(run, observed.difference);
  log.debug('external resource differs', { difference });
  const updating = external.update(identified(identity, run), run.known, signal);
  const updated = await failing('update failed', updating, {
    ...cannotUpdate,
    ...readyAsObserved(run, observed),
    known: run,
  });
  if (observed.setsCredentials)
    logQuietAct(log, 'SetCredentials', { ...aboutManaged(run.current), decision: run.decision });
  const { operation, details, status } = updated;
  const areToldNew = hasNewCredentials(run, updated);
  const areSet = observed.setsCredentials === true || areToldNew;
  const called = { details, status, event: requested('UpdatedExternalResource', 'update') };
  if (typeof operation === 'string') {
    const problem = unpollable(context, run.current, 'update', operation);
    if (problem !== undefined)
      throw new StepFailure('update failed', problem, { ...cannotUpdate, known: run });
    const published = await tell(context, begin(context, run, { type: 'update', name: operation }), called);
    return endings.handedOver(areToldNew ? renewed(context, published) : published, observed.ready);
  }
  if (operation !== undefined) {
    const published = await tell(context, run, called);
    if (areSet) renewals.done(run.current);
    return begun(context, published, { type: 'update', operation, ready: observed.ready });
  }
  const [shown, now] = await observeAndPublish(context, run, called);
  if (areSet) renewals.done(run.current);
  const isToBeRenewed = shown.isToBeRenewed === true && !areSet;
  return endings.present({ ...shown, isToBeRenewed }, now.exists ? now : observed);
}

/**
 * What cannot be changed is there all the same, and is used as it is; but not with credentials that were about to be
 * replaced: Ready offers a released resource to the next claim.
 */
function readyAsObserved({ current, before }: Run, { ready }: Observation): { readonly ready?: Ready } {
  const isToBeRenewed = isReoffered(current) || before?.givesWay === true;
  return ready === undefined || isToBeRenewed ? {} : { ready: () => ready };
}

/** Asks for deletion, and finishes if the external resource is gone at once. */
async function remove(context: ExternalContext, run: Run): Promise<Ending> {
  const { identity, external, deletions, underWay, signal } = context;
  if (!(await isStored(context, run, cannotDelete))) return endings.gone(run);
  const shared = sharedIdentity(identity, run);
  deletions.begin(shared);
  let deletion: unknown;
  try {
    const removing = external.delete(identified(identity, run), signal);
    deletion = await failing<unknown>('delete failed', removing, { ...cannotDelete, known: run });
  } finally {
    deletions.end(shared);
  }
  const requesting = having(run, requested('DeletedExternalResource', 'deletion'));
  const operation = (deletion as Deletion<string> | undefined)?.operation;
  if (typeof operation === 'string') {
    const problem = unpollable(context, run.current, 'delete', operation);
    if (problem !== undefined)
      throw new StepFailure('delete failed', problem, { ...cannotDelete, known: run });
    return endings.handedOver(begin(context, requesting, { type: 'delete', name: operation }), deleting());
  }
  // How an update went that it has taken the place of is nobody's concern.
  if (run.underWay !== undefined) underWay.note(run.current, undefined);
  const asked =
    run.underWay === undefined ? requesting : { ...over(requesting), operation: operationSuperseded };
  if (operation !== undefined) return begun(context, asked, { type: 'delete', operation, ready: deleting() });
  const [looked, observed] = await observe(context, asked, isDeleting);
  return observed.exists ? endings.leaving(looked) : finalise(context, looked);
}

/**
 * Whether the API server still has the object, as this run knows it, where no write comes before a call whose precondition
 * would tell: a deletion, or a creation that is tried again. A watch may be behind while another process, which runs beside this one by mistake, has deleted what was
 * outside and let go of the object; what is there now would be that of another of its name. Throws a conflict if it
 * has changed: somebody may have said that what is outside is to stay, or is to have another name.
 */
async function isStored(
  { managedResources, signal }: RunContext,
  run: Run,
  facts: FailureFacts<Run>,
): Promise<boolean> {
  const { metadata } = run.current;
  const fetching = managedResources.fetch(objectKey(metadata), signal);
  const stored = await failing('cannot get managed resource', fetching, {
    ...facts,
    areConflictsTold: false,
    known: run,
  });
  if (stored?.metadata.uid !== metadata.uid) return false;
  if (stored?.metadata.resourceVersion === metadata.resourceVersion) return true;
  throw new StepFailure('', changedSinceRead(), { known: run });
}

/** Nothing is left outside, or it is to stay there: the managed resource may go. */
export async function finalise(context: RunContext, run: Run): Promise<Ending> {
  const { operations, absences, publisher, unpublished, underWay, overtaken, signal } = context;
  const { current } = run;
  await failing('', publisher.unpublish(current, signal), { ...cannotUnpublish, known: run });
  const finalizers = withoutFinalizer(current, finalizerNames.managed);
  const finalised = { ...current, metadata: { ...current.metadata, finalizers } };
  overtaken.settle(current);
  await write(context, run, finalised, cannotFinalise).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  operations.forget(objectKey(current.metadata));
  absences.forget(objectKey(current.metadata));
  unpublished.forget(current);
  underWay.forget(current);
  return { ...endings.gone(run), isFinalised: true };
}

/**
 * What was recorded is gone, so that the edit may count; unless something is left of it, as a creation that failed halfway
 * leaves it, which nobody would find under another name, or elsewhere.
 */
async function takeUpEdit(context: ExternalContext, run: Run): Promise<Ending> {
  const { managedResources, absences, identity, signal } = context;
  if (leadsElsewhere(identity, run) && (await isAnythingLeft(context, run))) return endings.leftovers(run);
  const record = encodeIdentity(identityOf(run.current, identity.marks, run.system));
  const annotated = withAnnotations(run.current, { [annotationKeys.externalIdentity]: record });
  const known = await write(context, run, annotated);
  const { externalIdentity: _former, ...status } = known.current.status ?? {};
  const forgetting = managedResources.updateStatus(known.current, { ...known.current, status }, signal);
  const current = await failing('cannot update managed resource', forgetting, { ...cannotWrite, known });
  absences.forget(objectKey(current.metadata));
  return endings.edited({ ...known, current });
}

/** Whether anything is there of what is recorded, as one asks who is to delete it. */
async function isAnythingLeft(
  { env, external, identity, signal }: ExternalContext,
  run: Run,
): Promise<boolean> {
  const object = identified(identity, run);
  const deletionTimestamp = env.clock.now().toISOString();
  const leaving = { ...object, metadata: { ...object.metadata, deletionTimestamp } };
  const looking = external.observe(leaving, run.known, signal);
  const { exists } = await failing('observe failed', looking, { ...cannotObserve, known: run });
  return exists;
}

interface Begun {
  readonly type: OperationType;
  readonly operation: Promise<unknown>;
  /** What Ready says meanwhile. */
  readonly ready: ConditionFacts | undefined;
}

/** Hands an operation that outlives the run to the tracker. */
function begun({ operations }: RunContext, run: Run, { type, operation, ready }: Begun): Ending {
  operations.track(run.current, type, operation);
  return endings.begun(run, type, ready);
}

const requested = (reason: string, what: string): EventFacts => ({
  type: 'Normal',
  reason,
  message: `Successfully requested ${what} of external resource`,
});
