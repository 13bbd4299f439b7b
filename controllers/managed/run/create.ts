/* The steps about an external resource that does not exist. */

import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, withAnnotations } from '../../../apis/core/v1alpha1/meta.ts';
import { messageOf } from '../../../runtime/client/errors.ts';
import { warning } from '../../../runtime/events/event-facts.ts';
import { generateCredential, neededCredential } from '../../credential.ts';
import { encodeIdentity } from '../../external-identity.ts';
import { lossAt } from '../../external-loss.ts';
import { failing } from '../../step-failure.ts';
import type { DesiredCredential } from '../connecting/external-client.ts';
import { recordCreation as record } from '../recording/creation-record.ts';
import {
  creationMark,
  isCreationIncomplete,
  pendingTime,
  resultTime,
} from '../recording/creation-tracking.ts';
import { identityInUse, named, requestedIdentity } from '../recording/identity.ts';
import { withInitProvider } from '../recording/provider-values.ts';
import { withoutRecord } from '../recording/status.ts';
import type { Run } from './context.ts';
import { createdEvent, recreationEvent } from './events.ts';
import type { Facts } from './facts.ts';
import { clientOf, credentialIn, hasDone, withApplied, withEvents, withReport } from './facts.ts';
import { cannot } from './failures.ts';
import { begin } from './operation.ts';
import { isLossToNote, nameFound, recordOfFailure } from './steps.ts';
import { write, writeFirst, writeStatus } from './write.ts';

export function recordEdit(run: Run, facts: Facts): Promise<Facts> {
  const { managed, kind, access } = facts;
  run.memory.forgetAbsence(managed);
  const identity = encodeIdentity(requestedIdentity(managed, kind.identity.marks, access?.system));
  return write(run, facts, withAnnotations(managed, { [annotationKeys.externalIdentity]: identity }));
}

export function noteLoss(run: Run, given: Facts): Facts | Promise<Facts> {
  const isRecreated = given.did.decision === 'Recreate';
  const facts = isRecreated ? withEvents(given, recreationEvent(given)) : given;
  if (!isLossToNote(facts)) return facts;
  const lost = lossAt(run.env.clock.now(), facts.latest?.observation.renamed !== undefined);
  // guard: otherwise a crash hides the loss, because the next process does not know that there was an external resource
  return write(run, facts, withAnnotations(facts.managed, lost));
}

export const clearRecords = (run: Run, facts: Facts): Promise<Facts> =>
  writeStatus(run, facts, withoutRecord(facts.managed, 'externalIdentity'));

/**
 * Records the identity before the creation, so that an edit during the creation has no effect. If the external system
 * assigns the name, also records the start of the creation, so that a run after a crash creates no second resource. A
 * conflict ends the run, so that no creation follows a stale read.
 */
export function announce(run: Run, facts: Facts): Promise<Facts> {
  const { kind, managed, access } = facts;
  const identity = identityInUse(kind.identity, managed, access?.system);
  // guard: otherwise an edit during the creation leads to another external resource
  const recorded = {
    [annotationKeys.externalIdentity]: encodeIdentity(identity),
    [annotationKeys.observedIdentity]: undefined, // it is about an earlier external resource
  };
  const mark = { [annotationKeys.externalCreatePending]: pendingTime(managed, run.env.clock.now()) };
  const annotations = { ...recorded, ...creationMark(managed), ...(kind.identity.isAssigned && mark) };
  const announced = withAnnotations(named(kind.identity, managed), annotations);
  // guard: otherwise an external resource is created before its identity is recorded
  return writeFirst(run, facts, announced, cannot.record);
}

export async function create(run: Run, facts: Facts): Promise<Facts> {
  const { managed, operation } = facts;
  // guard: otherwise observations before the creation count as absence of the new resource
  run.memory.forgetAbsence(managed); // the new resource may not be visible at once
  const credential = credentialIn(facts) ?? unstoredCredential(run, managed);
  const creating = clientOf(facts).create(withInitProvider(managed), credential, run.signal);
  const creation = await failing('', creating, cannot.create);
  const { externalName, isExisting = false, isCredentialPending = false } = creation;
  const made = isExisting ? facts : withApplied(facts, { pending: isCredentialPending, isNew: true });
  const known = { ...withReport(made, creation), operation: { ...operation, externalName } };
  return begin(run, known, 'create', creation.operation);
}

/** A password that is not stored, for a resource without Secret and store. An external system may require one. */
function unstoredCredential(
  { secretDetails, randomBytes }: Run,
  managed: Managed,
): DesiredCredential | undefined {
  const credential = neededCredential(managed, secretDetails);
  return credential && { value: generateCredential(credential, randomBytes), isApplied: false };
}

/** Records the assigned name, and that the creation has succeeded. An operation that creates the resource may go on. */
export async function recordCreation(run: Run, facts: Facts): Promise<Facts> {
  const { managed, kind, access } = facts;
  const { underWay, succeeded, externalName: name = nameFound(facts) } = facts.operation;
  const identity = { ...identityInUse(kind.identity, managed, access?.system), name };
  const isNamed = kind.identity.isAssigned && name !== undefined;
  const annotations = {
    ...(isNamed && {
      [annotationKeys.externalName]: name,
      [annotationKeys.externalIdentity]: encodeIdentity(identity),
    }),
    ...(underWay === undefined &&
      isCreationIncomplete(managed) &&
      resultIn(run, managed, 'externalCreateSucceeded')),
  };
  const recording = record(run, managed, annotations, run.signal);
  // guard: otherwise an assigned name is lost
  const recorded = await failing('cannot update managed resource annotations', recording, cannot.record);
  if (succeeded !== undefined) run.memory.noteOperation(managed, undefined);
  const after = { ...facts, managed: recorded };
  return hasDone(facts, 'create') ? withEvents(after, createdEvent(managed)) : after;
}

export async function recordFailure(run: Run, facts: Facts): Promise<Facts> {
  const { kind, managed } = facts;
  const { isCertain, mark } = recordOfFailure(facts);
  // The next run creates again, so this must not be recorded if the call may have created the resource.
  const failed = isCertain && kind.identity.isAssigned && resultIn(run, managed, 'externalCreateFailed');
  try {
    return { ...facts, managed: await record(run, managed, { ...failed, ...mark }, run.signal) };
  } catch (error) {
    return withEvents(facts, warning('CannotUpdateManagedResource', messageOf(error)));
  }
}

const resultIn = (
  { env }: Run,
  managed: Managed,
  key: 'externalCreateSucceeded' | 'externalCreateFailed',
): Readonly<Record<string, string>> => ({
  [annotationKeys[key]]: resultTime(managed, env.clock.now()),
});
