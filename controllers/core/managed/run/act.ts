import { advice } from '../../../../apis/core/v1alpha1/advice.ts';
import type { ReadyFacts } from '../../../../apis/core/v1alpha1/condition.ts';
import { creating, deleting } from '../../../../apis/core/v1alpha1/condition.ts';
import { objectKey } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, finalizerNames, withoutFinalizer } from '../../../../apis/core/v1alpha1/meta.ts';
import { invalid } from '../../../../clients/external-error.ts';
import { isNotFound } from '../../../../runtime/client/errors.ts';
import type { EventFacts } from '../../../../runtime/events/event-facts.ts';
import { generateCredential } from '../../credential.ts';
import { encodeIdentity } from '../../external-identity.ts';
import { isLossNoted } from '../../external-loss.ts';
import { aboutManaged, logQuietAct } from '../../log-changes.ts';
import { onlyObserves } from '../../management-policies.ts';
import { StepFailure } from '../../step-failure.ts';
import type { Creation, Deletion, DesiredCredential, Observation } from '../connecting/external-client.ts';
import { failedCreation, recordCreation, recordName } from '../recording/creation-record.ts';
import { creationMark, isCreationFailed, pendingTime } from '../recording/creation-tracking.ts';
import {
  identified,
  identityOf,
  identityToRecord,
  isAdopting,
  isEdited,
  leadsElsewhere,
  withAnnotations,
} from '../recording/identity.ts';
import { operationSuperseded } from '../recording/operation-conditions.ts';
import { withInitProvider } from '../recording/provider-values.ts';
import type { NextInput } from './decide.ts';
import { decideNext, isIdentityKept, isProvenAbsent } from './decide.ts';
import { cannot, isCreating, isDeleting } from './failures.ts';
import type { Outcome, Run } from './outcome.ts';
import { outcomes, recreationEvent, reporting, scrubOf, withEvents, withoutOperation } from './outcome.ts';
import { begin } from './poll-operation.ts';
import type { Called, ExternalContext, RunContext } from './steps.ts';
import {
  clearRecord,
  clearRecords,
  confirmed,
  credentialSet,
  isCredentialDue,
  observe,
  observeAndPublish,
  prepare,
  publish,
  removeFormer,
  reserve,
  step,
  write,
} from './steps.ts';

export async function act(context: ExternalContext, before: Run, observed: Observation): Promise<Outcome> {
  const input = inputOf(context, before, observed);
  const decision = decideNext(input);
  const run: Run = {
    ...before,
    decision: decision.name,
    isGone: isProvenAbsent(input) && !isIdentityKept(input),
  };
  switch (decision.name) {
    case 'ExternalMissing':
      return outcomes.missing(run, context.confirmAbsenceMs);
    case 'AwaitOperation':
      return outcomes.waiting(run, run.underWay?.type ?? 'create');
    case 'CreationIncomplete':
      return outcomes.undetermined(run, decision.message);
    case 'AwaitExternal':
      return outcomes.hidden(run);
    case 'RemoveFinalizer':
      return finalise(context, run);
    case 'ConfirmAbsence':
      return outcomes.notConfirmed(run, context.confirmAbsenceMs);
    case 'IdentityEdited':
      return takeUpEdit(context, run);
    case 'CreationRefused':
      throw new StepFailure('', invalid(decision.message), { ...cannot.create, known: run });
    case 'CreateNotAllowed':
      return outcomes.uncreated(run);
    case 'CreateExternal':
    case 'Recreate':
      return create(context, run);
    case 'ExternalLost':
      return outcomes.lost(decision.message === undefined ? await noteLoss(context, run) : run, {
        isAssigned: context.identity.isAssigned,
        where: decision.message,
      });
    case 'AwaitDeletion':
      return outcomes.leaving(run);
    case 'DeleteExternal':
      return remove(context, run);
    case 'LateInitialize':
      return fillIn(context, run, observed);
    case 'NoUpdate':
      return outcomes.present(await removeFormer(context, await keep(context, run, observed)), observed);
    case 'Update':
      return update(context, await keep(context, run, observed), observed);
    case 'AwaitEffect':
      return outcomes.awaited(await keep(context, run, observed), observed);
  }
}

const inputOf = (
  { env, identity, creationGraceMs, confirmAbsenceMs, uncreatable }: RunContext,
  run: Run,
  observed: Observation,
): NextInput => ({
  managed: run.current,
  observed,
  graceMs: creationGraceMs,
  // guard(env.clock.now()): the grace period after a creation ends during a slow observation
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

/** Creates the external resource and observes it. A fast creation then takes one run and one status write. */
async function create(context: ExternalContext, found: Run): Promise<Outcome> {
  // guard: a process with --observe-only records a creation
  if (context.env.isObserveOnly)
    throw new StepFailure('', onlyObserves('create'), { ...cannot.create, known: found });
  const reserved = await reserve(context, found);
  const { unkept } = reserved;
  if (unkept !== undefined) throw unkept.knowing({ ...reserved, decision: 'CreationRefused' });
  const run = found.decision === 'Recreate' ? withEvents(reserved, recreationEvent(reserved)) : reserved;
  // guard(run): a crash hides the loss, because the next process does not know that there was an external resource
  const noted = await noteLoss(context, run);
  const announced = await announce(context, await clearRecords(context, noted));
  const marked = await confirmed(context, announced, cannot.create); // guard(announced): a creation after a stale read
  if (marked === undefined) return outcomes.gone(announced);
  // guard: observations before the creation count as absence of the new resource
  context.absenceTimes.forget(objectKey(run.current.metadata)); // the new resource may not be visible at once
  const creation = await callCreate(context, marked);
  const { operation, details, status, isExisting = false, isCredentialPending } = creation;
  const made = isExisting ? marked : credentialSet(marked, { isPending: isCredentialPending === true });
  const event = requested('CreatedExternalResource', 'creation');
  const called = { details, status, event, ready: isCreating };
  if (operation !== undefined) {
    const begun = begin(context, made, { type: 'create', name: operation }, cannot.create);
    const recorded = await recordName(context, begun, creation);
    return outcomes.begun(await publishCalled(context, recorded, called), creating());
  }
  const recorded = await recordCreation(context, made, creation); // guard(made): an assigned name is lost
  const [shown, observed] = await observeAndPublish(context, recorded, called);
  if (!observed.exists) return outcomes.unseen(shown);
  const { lateInitialized } = observed;
  const isFilledIn = decideNext(inputOf(context, shown, observed)).name === 'LateInitialize';
  const filled = isFilledIn ? await prepare(context, shown, { lateInitialized, ready: isCreating }) : shown;
  return outcomes.present(filled, observed);
}

/** Records the loss of an external resource, unless its creation failed, or an administrator asked for another one. */
async function noteLoss(context: ExternalContext, run: Run): Promise<Run> {
  const { current, decision } = run;
  const isLoss = decision === 'Recreate' || decision === 'ExternalLost';
  const isKnown = isLossNoted(current) || isCreationFailed(current) || isAdopting(current);
  const isReported = context.holdsData || current.spec.onLoss === 'Report';
  if (!isLoss || isKnown || !isReported) return run;
  const annotations = { [annotationKeys.externalLost]: context.env.clock.now().toISOString() };
  return write(context, run, withAnnotations(current, annotations));
}

/**
 * Records the identity before the creation, so that an edit during the creation has no effect. If the external system
 * assigns the name, also records the start of the creation, so that a run after a crash creates no second resource.
 */
function announce(context: ExternalContext, run: Run): Promise<Run> {
  const { env, identity } = context;
  // guard({}): an edit during the creation leads to another external resource
  const record = { [annotationKeys.externalIdentity]: encodeIdentity(identityToRecord(identity, run)) };
  const mark = { [annotationKeys.externalCreatePending]: pendingTime(run.current, env.clock.now()) };
  const annotations = { ...record, ...creationMark(run.current), ...(identity.isAssigned && mark) };
  // guard(Promise.resolve(run)): an external resource is created before its identity is recorded
  return prepare(context, run, { annotations, ready: isCreating });
}

async function callCreate(context: ExternalContext, run: Run): Promise<Creation<Managed, string>> {
  const { current, credential = unstoredCredential(context, current) } = run;
  try {
    return await context.external.create(withInitProvider(current), credential, context.signal);
  } catch (error) {
    throw await failedCreation(context, run, error);
  }
}

/** A password that is not stored, for a resource without Secret and store. An external system may require one. */
function unstoredCredential(
  { secretDetails: { credential }, randomBytes }: RunContext,
  managed: Managed,
): DesiredCredential | undefined {
  if (credential === undefined || credential.isWanted?.(managed) === false) return undefined;
  return { value: generateCredential(credential, randomBytes), isApplied: false };
}

const publishCalled = async (
  context: ExternalContext,
  run: Run,
  { details, status, event }: Called,
): Promise<Run> => withEvents(await publish(context, reporting(run, status), details), event);

/** Writes the external name and the late-initialized values, then publishes the connection details. */
async function keep(
  context: ExternalContext,
  run: Run,
  { details }: Observation,
  lateInitialized?: object,
): Promise<Run> {
  return publish(context, await prepare(context, run, { lateInitialized }), details);
}

async function fillIn(context: ExternalContext, run: Run, observed: Observation): Promise<Outcome> {
  const { lateInitialized, ...rest } = observed;
  const filled = await keep(context, run, observed, lateInitialized);
  const { name } = decideNext(inputOf(context, filled, rest));
  const known = { ...filled, decision: name };
  if (name === 'AwaitEffect') return outcomes.awaited(known, observed);
  return name === 'Update' ? update(context, known, observed) : outcomes.present(filled, observed);
}

async function update(context: ExternalContext, found: Run, observed: Observation): Promise<Outcome> {
  const { env, identity, external, signal, log } = context;
  const isDue = isCredentialDue(found);
  const run = isDue ? await readyToSet(context, found) : found;
  if (run === undefined) return outcomes.gone(found);
  const difference = observed.difference && scrubOf(run, observed.difference);
  log.debug('external resource differs', { difference, isCredentialDue: isDue });
  const isForbidden = isDue && env.isObserveOnly;
  const updating = isForbidden
    ? Promise.reject(onlyObserves('set the credential of'))
    : external.update(identified(identity, run), run.credential, signal);
  const updated = await step(run, '', updating, {
    ...cannot.update,
    // If the update fails, the external resource may still be usable, so Ready shows the observation.
    ...(observed.ready && { ready: () => observed.ready as ReadyFacts }),
    ...(isDue && { hint: howToChooseCredential(run), hintFor: 'Invalid' }),
  });
  if (isDue) logQuietAct(log, 'SetCredentials', { ...aboutManaged(run.current), decision: run.decision });
  const { operation, details, status, isCredentialPending = false } = updated;
  const isPending = isCredentialPending || operation !== undefined;
  const made = isDue ? credentialSet(run, { isPending }) : run;
  const called = { details, status, event: requested('UpdatedExternalResource', 'update') };
  if (operation !== undefined) {
    const begun = begin(context, made, { type: 'update', name: operation }, cannot.update);
    return outcomes.begun(await publishCalled(context, begun, called), observed.ready);
  }
  const [shown, now] = await observeAndPublish(context, made, called);
  return outcomes.present(shown, now.exists ? now : observed);
}

/** Checks that object and Secret are unchanged. Clears `status.credential`, which describes the previous credential. */
async function readyToSet(context: ExternalContext, found: Run): Promise<Run | undefined> {
  const run = await confirmed(context, found, cannot.update);
  return run && clearRecord(context, run);
}

function howToChooseCredential({ current }: Run): string {
  const { writeConnectionSecretToRef: to } = current.spec;
  const where = to === undefined ? 'its entry in the secret store' : `Secret ${to.namespace}/${to.name}`;
  return advice.chooseCredential(where);
}

async function remove(context: ExternalContext, found: Run): Promise<Outcome> {
  const { identity, external, underWay, signal } = context;
  // guard(found): the external resource of a recreated object is deleted
  const run = await confirmed(context, found, cannot.delete);
  if (run === undefined) return outcomes.gone(found);
  // guard(external.delete(run.current, signal)): after an edit another external resource is deleted
  const removing = external.delete(identified(identity, run), signal);
  const deletion = await step<unknown>(run, '', removing, cannot.delete);
  const { operation } = (deletion ?? {}) as Deletion<string>;
  const requesting = withEvents(run, requested('DeletedExternalResource', 'deletion'));
  if (operation !== undefined) {
    const begun = begin(context, requesting, { type: 'delete', name: operation }, cannot.delete);
    return outcomes.begun(begun, deleting());
  }
  // The requested deletion replaces an ongoing update, so forget the update.
  if (run.underWay !== undefined) underWay.note(run.current, undefined);
  const asked =
    run.underWay === undefined
      ? requesting
      : { ...withoutOperation(requesting), operation: operationSuperseded };
  const [looked, observed] = await observe(context, asked, isDeleting);
  return observed.exists ? outcomes.leaving(looked) : finalise(context, looked);
}

/** Deletes the connection details and removes the finalizer. */
export async function finalise(context: RunContext, run: Run): Promise<Outcome> {
  const { absenceTimes, places, underWay, signal } = context;
  const { current } = run;
  await step(run, '', places.remove(current, signal), cannot.unpublish); // guard: a connection Secret is never deleted
  const finalizers = withoutFinalizer(current, finalizerNames.managed);
  const finalised = { ...current, metadata: { ...current.metadata, finalizers } };
  await write(context, run, finalised, cannot.finalise).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  absenceTimes.forget(objectKey(current.metadata));
  underWay.forget(current);
  return { ...outcomes.gone(run), isFinalised: true };
}

/**
 * Records the edited identity, because no external resource with the recorded identity exists. If the edit names
 * another resource, first checks that a failed creation left no parts of the resource with the recorded identity: later
 * runs would not find them.
 */
async function takeUpEdit(context: ExternalContext, run: Run): Promise<Outcome> {
  const { absenceTimes, identity } = context;
  if (leadsElsewhere(identity, run) && (await isAnythingLeft(context, run)))
    return outcomes.leftovers({ ...run, isGone: false });
  const record = encodeIdentity(identityOf(run.current, identity.marks, run.system));
  const annotated = withAnnotations(run.current, { [annotationKeys.externalIdentity]: record });
  const known = await clearRecords(context, await write(context, run, annotated));
  absenceTimes.forget(objectKey(run.current.metadata));
  return outcomes.edited(known);
}

/**
 * Whether parts of the recorded external resource remain. Clients report such parts only for an object that is being
 * deleted, so this observation sets `deletionTimestamp` in a copy of the object.
 */
async function isAnythingLeft(
  { env, external, identity, signal }: ExternalContext,
  run: Run,
): Promise<boolean> {
  const object = identified(identity, run);
  const deletionTimestamp = env.clock.now().toISOString();
  const leaving = { ...object, metadata: { ...object.metadata, deletionTimestamp } };
  const looking = external.observe(leaving, undefined, signal);
  return (await step(run, '', looking, cannot.observe)).exists;
}

const requested = (reason: string, what: string): EventFacts => ({
  type: 'Normal',
  reason,
  message: `Successfully requested ${what} of external resource`,
});
