import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { creating, deleting } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, finalizerNames, withoutFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import { isNotFound } from '../../../runtime/client/errors.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import { generateCredential } from '../credential.ts';
import { encodeIdentity } from '../external-identity.ts';
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
import type { Creation, Deletion, DesiredCredential, Observation, OperationType } from './external-client.ts';
import { begin, unpollable } from './follow-up.ts';
import {
  identified,
  identityOf,
  identityToRecord,
  isEdited,
  leadsElsewhere,
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
  clearRecords,
  confirmed,
  credentialSet,
  isCredentialDue,
  observe,
  observeAndPublish,
  prepare,
  publish,
  write,
} from './steps.ts';

/** Carries out the decision about the observation, and returns the ending. */
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
    case 'observeAgain':
      return endings.notConfirmed(run, context.confirmAbsenceMs);
    case 'takeUpEdit':
      return takeUpEdit(context, run);
    case 'refuseCreation':
      throw new StepFailure('create failed', new Error(decision.message), { ...cannotCreate, known: run });
    case 'reportUncreated':
      return endings.uncreated(run);
    case 'create':
      return create(context, run);
    case 'recreate':
      return create(
        context,
        await clearRecords(context, having(run, recreationEvent(run)), { isGone: true }),
      );
    case 'reportLost':
      return endings.lost(run);
    case 'awaitDeletion':
      return endings.leaving(run);
    case 'delete':
      return remove(context, run);
    case 'lateInitialize':
      return fillIn(context, run, observed);
    case 'reportUpToDate': {
      const kept = await keep(context, run, observed);
      // Only now: the former Secret may be the only one whose credential works.
      if (!isCredentialDue(kept)) await removeFormer(context, kept);
      return endings.present(kept, observed);
    }
    case 'update':
      return update(context, await keep(context, run, observed), observed);
    case 'awaitEffect':
      return endings.awaited(await keep(context, run, observed), observed);
  }
}

const decideOn = (
  { env, identity, creationGraceMs, confirmAbsenceMs, uncreatable }: RunContext,
  run: Run,
  observed: Observation,
): NextDecision =>
  decideNext({
    managed: run.current,
    observed,
    graceMs: creationGraceMs,
    now: run.observedAt ?? env.clock.now(),
    isNameKnown: !identity.isAssigned,
    confirmMs: confirmAbsenceMs,
    absentForMs: run.absentForMs ?? 0,
    isEdited: isEdited(identity, run),
    isCredentialDue: isCredentialDue(run),
    underWay: run.underWay?.type,
    ended: run.ended,
    uncreatable: uncreatable(run.current),
  });

/** Marks, creates, records, publishes; observes at once, so that a quick external system takes one run and one status write. */
async function create(context: ExternalContext, run: Run): Promise<Ending> {
  const { env, identity, external, absences, signal } = context;
  const record = { [annotationKeys.externalIdentity]: encodeIdentity(identityToRecord(identity, run)) };
  const mark = { [annotationKeys.externalCreatePending]: pendingTime(run.current, env.clock.now()) };
  const annotations = identity.isAssigned ? { ...record, ...mark } : record;
  const prepared = await prepare(context, run, { annotations, ready: isCreating });
  const marked = await confirmed(context, prepared, cannotCreate);
  if (marked === undefined) return endings.gone(prepared);
  absences.forget(objectKey(run.current.metadata)); // from here on it may exist, and only not show yet
  let creation: Creation<Managed, string>;
  try {
    creation = await external.create(
      withInitProvider(marked.current),
      marked.credential ?? forgottenCredential(context, marked.current),
      signal,
    );
  } catch (error) {
    throw await failedCreation(context, marked, error);
  }
  const { operation, details, isExisting = false, isCredentialPending } = creation;
  const made = isExisting ? marked : credentialSet(marked, { isPending: isCredentialPending === true });
  const called = {
    details,
    status: creation.status,
    event: requested('CreatedExternalResource', 'creation'),
  };
  if (typeof operation === 'string') {
    const problem = unpollable(context, made.current, 'create', operation);
    if (problem !== undefined)
      throw new StepFailure('create failed', problem, { ...cannotCreate, known: made });
    const recorded = await recordName(
      context,
      begin(context, made, { type: 'create', name: operation }),
      creation,
    );
    return endings.handedOver(await tell(context, recorded, { ...called, ready: isCreating }), creating());
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

/** A credential for an external system that insists on one, of a resource that keeps its details nowhere. */
function forgottenCredential(
  { secretDetails: { credential }, randomBytes }: RunContext,
  managed: Managed,
): DesiredCredential | undefined {
  if (credential === undefined || credential.isWanted?.(managed) === false) return undefined;
  return { value: generateCredential(credential, randomBytes), isApplied: false };
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

/** Deletes the Secrets and entries that the managed resource named before and names no more. */
const removeFormer = ({ places, signal }: RunContext, run: Run): Promise<void> =>
  failing('', places.removeFormer(run.current, signal), { ...cannotUnpublish, ready: undefined, known: run });

/** Writes what the external system chose, and goes by the table again. */
async function fillIn(context: ExternalContext, run: Run, observed: Observation): Promise<Ending> {
  const { lateInitialized, ...rest } = observed;
  const filled = await keep(context, run, observed, lateInitialized);
  const decision = decideOn(context, filled, rest);
  const known = { ...filled, decision: decision.name };
  if (decision.act === 'awaitEffect') return endings.awaited(known, observed);
  return decision.act === 'update' ? update(context, known, observed) : endings.present(filled, observed);
}

/** Updates the external resource, and sets its credential if it does not have that of the Secret. */
async function update(context: ExternalContext, found: Run, observed: Observation): Promise<Ending> {
  const { identity, external, signal, log } = context;
  const isDue = isCredentialDue(found);
  const run = isDue ? await readyToSet(context, found) : found;
  if (run === undefined) return endings.gone(found);
  const difference = observed.difference && scrubOf(run, observed.difference);
  log.debug('external resource differs', { difference, isCredentialDue: isDue });
  const updating = external.update(identified(identity, run), run.credential, signal);
  const updated = await failing(isDue ? 'cannot set the credential' : 'update failed', updating, {
    ...cannotUpdate,
    ...readyAsObserved(observed),
    ...(isDue && { hint: howToChooseCredential(run) }),
    known: run,
  });
  if (isDue) logQuietAct(log, 'SetCredentials', { ...aboutManaged(run.current), decision: run.decision });
  const { operation, details, status, isCredentialPending = false } = updated;
  const isPending = isCredentialPending || operation !== undefined;
  const made = isDue ? credentialSet(run, { isPending }) : run;
  const called = { details, status, event: requested('UpdatedExternalResource', 'update') };
  if (typeof operation === 'string') {
    const problem = unpollable(context, run.current, 'update', operation);
    if (problem !== undefined)
      throw new StepFailure('update failed', problem, { ...cannotUpdate, known: run });
    const published = await tell(context, begin(context, made, { type: 'update', name: operation }), called);
    return endings.handedOver(published, observed.ready);
  }
  if (operation !== undefined) {
    const published = await tell(context, made, called);
    return begun(context, published, { type: 'update', operation, ready: observed.ready });
  }
  const [shown, now] = await observeAndPublish(context, made, called);
  return endings.present(shown, now.exists ? now : observed);
}

/** The run before it sets a credential: object and Secret are confirmed, and the status records no other one. */
async function readyToSet(context: ExternalContext, found: Run): Promise<Run | undefined> {
  const run = await confirmed(context, found, cannotUpdate);
  if (run?.current.status?.credential === undefined) return run;
  return clearRecords(context, run);
}

/** The advice to a user if the external system refuses the credential. */
function howToChooseCredential({ current }: Run): string {
  const { writeConnectionSecretToRef: to } = current.spec;
  const where = to === undefined ? 'its entry in the secret store' : `Secret ${to.namespace}/${to.name}`;
  return `edit the password in ${where}, or delete that to get another one`;
}

/** An external resource that cannot be changed exists, and is used as it is. */
const readyAsObserved = ({ ready }: Observation): { readonly ready?: Ready } =>
  ready === undefined ? {} : { ready: () => ready };

/** Asks for deletion, and finishes if the external resource is gone at once. */
async function remove(context: ExternalContext, found: Run): Promise<Ending> {
  const { identity, external, underWay, signal } = context;
  const run = await confirmed(context, found, cannotDelete);
  if (run === undefined) return endings.gone(found);
  const removing = external.delete(identified(identity, run), signal);
  const deletion = await failing<unknown>('delete failed', removing, { ...cannotDelete, known: run });
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

/** The external resource does not exist any more, or is to stay: the managed resource may go. */
export async function finalise(context: RunContext, run: Run): Promise<Ending> {
  const { operations, absences, places, underWay, signal } = context;
  const { current } = run;
  await failing('', places.remove(current, signal), { ...cannotUnpublish, known: run });
  const finalizers = withoutFinalizer(current, finalizerNames.managed);
  const finalised = { ...current, metadata: { ...current.metadata, finalizers } };
  await write(context, run, finalised, cannotFinalise).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  operations.forget(objectKey(current.metadata));
  absences.forget(objectKey(current.metadata));
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
  const looking = external.observe(leaving, undefined, signal);
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
