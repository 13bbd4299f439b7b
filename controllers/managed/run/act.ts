import omit from 'lodash/omit.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  externalName,
  finalizerNames,
  withAnnotations,
  withoutFinalizer,
} from '../../../apis/core/v1alpha1/meta.ts';
import type { ReportedDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { UpdateOptions } from '../../../runtime/cache/resource.ts';
import { isNotFound, messageOf } from '../../../runtime/client/errors.ts';
import { warning } from '../../../runtime/events/event-facts.ts';
import type { Logger } from '../../../runtime/log/log.ts';
import { withReported } from '../../connection/connection-place.ts';
import { credentialOf, generateCredential, neededCredential, newNoteKey } from '../../credential.ts';
import { encodeIdentity } from '../../external-identity.ts';
import { lossAt } from '../../external-loss.ts';
import type { QuietAct } from '../../log-changes.ts';
import { aboutManaged, logQuietAct } from '../../log-changes.ts';
import { onlyObserves } from '../../management-policies.ts';
import type { FailureFacts } from '../../step-failure.ts';
import { failing, StepFailure } from '../../step-failure.ts';
import type { DesiredCredential, Observation } from '../connecting/external-client.ts';
import { recordCreation } from '../recording/creation-record.ts';
import {
  creationMark,
  isCreationIncomplete,
  pendingTime,
  resultTime,
} from '../recording/creation-tracking.ts';
import {
  foundAnnotations,
  identified,
  identityInUse,
  named,
  requestedIdentity,
} from '../recording/identity.ts';
import { withInitProvider, withLateInitialized } from '../recording/provider-values.ts';
import { withoutRecord } from '../recording/status.ts';
import type { RunContext } from './context.ts';
import { isOnlyOfAnother } from './decide-observed.ts';
import type { Call, CredentialWrite, Step } from './decision.ts';
import {
  createdEvent,
  deletedEvent,
  recreationEvent,
  remainsEvents,
  removedEvents,
  updatedEvent,
} from './events.ts';
import type { Facts } from './facts.ts';
import {
  appliedCredential,
  clientOf,
  credentialIn,
  found,
  hasDone,
  isCredentialDue,
  scrubOf,
  withApplied,
  withEvents,
  withReport,
} from './facts.ts';
import { cannot, cannotObserve, cannotUpdate } from './failures.ts';
import { operations } from './operation.ts';
import { publishing } from './publish.ts';
import { isLossToNote, isToFillIn, nameFound, recordOfFailure } from './steps.ts';

/**
 * Returns the function that makes one step and returns the new facts. If a step fails, it throws a StepFailure.
 */
export function acting(context: RunContext, signal: AbortSignal, log: Pick<Logger, 'debug' | 'info'>) {
  const { env, managedResources, places, memory, randomBytes } = context;
  const { publish, withEntry, followUp, writeEntry } = publishing(context, signal, log);
  const { begin, poll, supersede } = operations(context, signal);

  const steps: Readonly<Record<Step, (facts: Facts) => Facts | Promise<Facts>>> = {
    async resolveReferences(facts) {
      const resolving = context.resolveReferences?.(facts.managed, signal);
      if (resolving === undefined) return facts;
      return { ...facts, managed: await failing('', resolving, cannot.resolve) };
    },
    async connect(facts) {
      const connecting = context.connector.connect(facts.managed, signal);
      const external = await failing('', connecting, cannot.connect);
      try {
        return { ...facts, access: { external, system: await external.system?.(signal) } };
      } catch (error) {
        return { ...facts, access: { external }, failure: new StepFailure('', error, cannot.observe) };
      }
    },
    readPlace: (facts) => withEntry(facts, places.read(facts.managed, signal)),

    poll,
    clearPending: clearRecord,

    observe,
    prepare,
    publish,
    async removeFormer(facts) {
      const removing = places.removeFormer(facts.managed, signal);
      const after = removing.then((removed) => withEvents(facts, ...removedEvents(facts.managed, removed)));
      return followUp(facts, after, cannot.unpublish);
    },
    clearRecord,
    update,

    recordEdit(facts) {
      const { managed, kind, access } = facts;
      memory.forgetAbsence(managed);
      const identity = encodeIdentity(requestedIdentity(managed, kind.identity.marks, access?.system));
      return write(facts, withAnnotations(managed, { [annotationKeys.externalIdentity]: identity }));
    },
    noteLoss(given) {
      const isRecreated = given.did.decision === 'Recreate';
      const facts = isRecreated ? withEvents(given, recreationEvent(given)) : given;
      if (!isLossToNote(facts)) return facts;
      const lost = lossAt(env.clock.now(), facts.latest?.observation.renamed !== undefined);
      // guard: otherwise a crash hides the loss, because the next process does not know that there was an external resource
      return write(facts, withAnnotations(facts.managed, lost));
    },
    clearRecords: (facts) => writeStatus(facts, withoutRecord(facts.managed, 'externalIdentity')),
    announce,
    create,
    async recordCreation(facts) {
      const { managed, kind, access } = facts;
      const { underWay: operation, externalName: name = nameFound(facts) } = facts.operation;
      // While an operation creates the resource, the creation counts as incomplete.
      const isRunning = operation !== undefined;
      const identity = { ...identityInUse(kind.identity, managed, access?.system), name };
      const isNamed = kind.identity.isAssigned && name !== undefined;
      // guard: otherwise an assigned name is lost
      const recorded = await record(facts, {
        ...(isNamed && {
          [annotationKeys.externalName]: name,
          [annotationKeys.externalIdentity]: encodeIdentity(identity),
        }),
        ...(!isRunning && isCreationIncomplete(managed) && result(managed, 'externalCreateSucceeded')),
      });
      if (facts.operation.succeeded !== undefined) memory.noteOperation(managed, undefined);
      return hasDone(facts, 'create') ? withEvents(recorded, createdEvent(managed)) : recorded;
    },
    async recordFailure(facts) {
      const { kind, managed } = facts;
      const { isCertain, mark } = recordOfFailure(facts);
      // The next run creates again, so this must not be recorded if the call may have created the resource.
      const failed = isCertain && kind.identity.isAssigned && result(managed, 'externalCreateFailed');
      try {
        return { ...facts, managed: await recordCreation(context, managed, { ...failed, ...mark }, signal) };
      } catch (error) {
        return withEvents(facts, warning('CannotUpdateManagedResource', messageOf(error)));
      }
    },

    delete: remove,
    async finalise(facts) {
      const { managed } = facts;
      // guard: otherwise a connection Secret is never deleted
      await failing('', places.remove(managed, signal), cannot.unpublish);
      const finalised = withoutFinalizer(managed, finalizerNames.managed);
      await write(facts, finalised, cannot.finalise).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      memory.forget(managed.metadata);
      return withEvents(omit(facts, 'failure'), ...remainsEvents(facts.latest?.observation));
    },
  };

  return async (facts: Facts, call: Call): Promise<Facts> =>
    typeof call === 'string' ? steps[call](facts) : keepCredential(facts, call);

  async function write(
    facts: Facts,
    desired: Managed,
    failure: FailureFacts = cannot.write,
    options: UpdateOptions = {},
  ): Promise<Facts> {
    const writing = managedResources.update(facts.managed, desired, signal, options);
    return { ...facts, managed: await failing('cannot update managed resource', writing, failure) };
  }

  async function writeStatus(facts: Facts, desired: Managed): Promise<Facts> {
    const writing = managedResources.updateStatus(facts.managed, desired, signal);
    const managed = await failing('cannot update managed resource status', writing, cannot.write);
    return { ...facts, managed };
  }

  /** Removes `status.credential` before another credential is set, so that the status is correct even after a crash. */
  function clearRecord(facts: Facts): Promise<Facts> {
    return writeStatus(facts, withoutRecord(facts.managed));
  }

  async function record(facts: Facts, annotations: Readonly<Record<string, string>>): Promise<Facts> {
    const recording = recordCreation(context, facts.managed, annotations, signal);
    const what = 'cannot update managed resource annotations';
    return { ...facts, managed: await failing(what, recording, cannot.record) };
  }

  function result(managed: Managed, key: 'externalCreateSucceeded' | 'externalCreateFailed') {
    return { [annotationKeys[key]]: resultTime(managed, env.clock.now()) };
  }

  /**
   * Writes the name, late-initialized values and the found identity. The identity is in an annotation because a restore may
   * drop the status.
   */
  function prepare(facts: Facts): Promise<Facts> {
    const { kind, managed, access } = facts;
    const { lateInitialized = {} } = isToFillIn(facts) ? found(facts)! : {};
    const object = withLateInitialized(named(kind.identity, managed), lateInitialized);
    const its = { system: access?.system, observation: found(facts) };
    return writeFirst(facts, withAnnotations(object, foundAnnotations(kind.identity, object, its)));
  }

  /**
   * Records the identity before the creation, so that an edit during the creation has no effect. If the external system
   * assigns the name, also records the start of the creation, so that a run after a crash creates no second resource. A
   * conflict ends the run, so that no creation follows a stale read.
   */
  function announce(facts: Facts): Promise<Facts> {
    const { kind, managed, access } = facts;
    const identity = identityInUse(kind.identity, managed, access?.system);
    // guard: otherwise an edit during the creation leads to another external resource
    const recorded = {
      [annotationKeys.externalIdentity]: encodeIdentity(identity),
      [annotationKeys.observedIdentity]: undefined, // it is about an earlier external resource
    };
    const mark = { [annotationKeys.externalCreatePending]: pendingTime(managed, env.clock.now()) };
    const annotations = { ...recorded, ...creationMark(managed), ...(kind.identity.isAssigned && mark) };
    const announced = withAnnotations(named(kind.identity, managed), annotations);
    // guard: otherwise an external resource is created before its identity is recorded
    return writeFirst(facts, announced, cannot.record);
  }

  /**
   * A write that may be the first one of a provisioned resource. That one also makes the API server stop tracking which
   * client wrote which field (docs/decisions/0051).
   */
  function writeFirst(facts: Facts, desired: Managed, failure?: FailureFacts): Promise<Facts> {
    const { metadata, spec } = facts.managed;
    const isProvisioned = spec.claimRef !== undefined && spec.classRef !== undefined;
    const isRecorded = metadata.annotations?.[annotationKeys.externalIdentity] !== undefined;
    return write(facts, desired, failure, { ceasesTracking: isProvisioned && !isRecorded });
  }

  async function keepCredential(facts: Facts, call: CredentialWrite): Promise<Facts> {
    if (call.act === 'update') return write(facts, call.desired);
    if (call.act === 'updateStatus') return writeStatus(facts, call.desired);
    const { managed, kind, did, place } = facts;
    const { entry } = place;
    const note = { key: entry?.note?.key ?? newNoteKey(randomBytes), ...call.note };
    const before = entry?.details ?? {};
    if (call.act === 'annotate')
      return withEntry(facts, writeEntry(managed, entry, { details: before, note }));
    const credential = credentialOf(managed, kind.secretDetails);
    if (credential === undefined) return facts;
    if (kind.isObserveOnly)
      return withEntry(facts, Promise.reject(onlyObserves('generate another credential for')));
    logQuietAct(log, did.decision as QuietAct, { ...aboutManaged(managed), decision: did.decision });
    const value = generateCredential(credential, randomBytes);
    // The details that contain it, such as a URI, are written with it.
    const planned = await failing('', plannedDetails(facts, value), cannot.publish);
    const details = { ...withReported(before, planned), [credential.key]: value };
    return withEntry(facts, writeEntry(managed, entry, { details, note }));
  }

  /** The details that are known before the creation. Without a name there are none. */
  async function plannedDetails(facts: Facts, value: string): Promise<ReportedDetails> {
    const { kind, managed } = facts;
    if (kind.identity.isAssigned && externalName(managed) === undefined) return {};
    return clientOf(facts).plannedDetails?.(managed, { value, isApplied: false }) ?? {};
  }

  async function observe(facts: Facts): Promise<Facts> {
    const { managed, operation } = facts;
    const begunMs = env.clock.elapsedMs();
    // guard: otherwise after an edit another resource is observed
    const observing = clientOf(facts).observe(given(facts), credentialIn(facts), signal);
    const answer: Observation = await failing('', observing, cannotObserve(facts)).catch((error: unknown) => {
      if (isOnlyOfAnother(facts, error)) return { exists: false, isUpToDate: false };
      throw error;
    });
    // guard: otherwise the secrets of another owner's external resource are published
    const observation = answer.isOfAnother === true ? omit(answer, 'details') : answer;
    // While the external system creates the resource, an absence proves nothing.
    if ((operation.underWay?.type ?? operation.ended) === 'create') memory.forgetAbsence(managed);
    // guard: otherwise one observation proves an absence
    const absentForMs = memory.noteObservation(managed, observation.exists, begunMs);
    // A resource that does not show right after its update keeps its state.
    if (!observation.exists && hasDone(facts, 'update')) return facts;
    const known = { ...facts, latest: { observation, absentForMs } };
    return observation.exists ? withCredentialObserved(withReport(known, observation), observation) : known;
  }

  async function create(facts: Facts): Promise<Facts> {
    const { managed, operation } = facts;
    // guard: otherwise observations before the creation count as absence of the new resource
    memory.forgetAbsence(managed); // the new resource may not be visible at once
    const credential = credentialIn(facts) ?? unstoredCredential(facts);
    const creating = clientOf(facts).create(withInitProvider(managed), credential, signal);
    const creation = await failing('', creating, cannot.create);
    const { externalName, isExisting = false, isCredentialPending = false } = creation;
    const made = isExisting ? facts : withApplied(facts, { pending: isCredentialPending, isNew: true });
    const known = { ...withReport(made, creation), operation: { ...operation, externalName } };
    return begin(known, 'create', creation.operation);
  }

  async function update(facts: Facts): Promise<Facts> {
    const { kind, managed, did, latest } = facts;
    const isDue = isCredentialDue(facts);
    const difference = latest?.observation.difference;
    log.debug('external resource differs', {
      difference: difference && scrubOf(facts, difference),
      isCredentialDue: isDue,
    });
    const isForbidden = isDue && kind.isObserveOnly;
    const updating = isForbidden
      ? Promise.reject(onlyObserves('set the credential of'))
      : clientOf(facts).update(given(facts), credentialIn(facts), signal);
    const updated = await failing('', updating, cannotUpdate(facts, isDue));
    if (isDue) logQuietAct(log, 'SetCredentials', { ...aboutManaged(managed), decision: did.decision });
    const { operation, isCredentialPending = false } = updated;
    const pending = isCredentialPending || operation !== undefined;
    const made = isDue ? withApplied(facts, { pending, isNew: true }) : facts;
    const known = withEvents(withReport(made, updated), updatedEvent);
    return begin(known, 'update', operation);
  }

  async function remove(facts: Facts): Promise<Facts> {
    // guard: otherwise after an edit another external resource is deleted
    const removing = clientOf(facts).delete(given(facts), signal);
    const { operation: name } = (await failing('', removing, cannot.delete)) ?? {};
    const known = withEvents(facts, deletedEvent);
    return name === undefined ? supersede(known) : begin(known, 'delete', name);
  }

  /** A password that is not stored, for a resource without Secret and store. An external system may require one. */
  function unstoredCredential({ kind, managed }: Facts): DesiredCredential | undefined {
    const credential = neededCredential(managed, kind.secretDetails);
    return credential && { value: generateCredential(credential, randomBytes), isApplied: false };
  }
}

/** The managed resource for the external client. */
const given = ({ kind: { identity }, managed, access }: Facts): Managed =>
  identified(identity, managed, access?.system);

/** The facts after an observation. A credential that was set counts as in use, unless the client reports the opposite. */
function withCredentialObserved(facts: Facts, { credential: state }: Observation): Facts {
  const credential = credentialIn(facts);
  if (credential === undefined) return facts;
  if (!credential.isApplied) return state === 'inForce' ? withApplied(facts, { pending: false }) : facts;
  if (state === 'wrong') return { ...facts, applied: 'wrong' };
  const { pending = false, isNew = false } = appliedCredential(facts) ?? {};
  const isAwaited = isNew || facts.operation.underWay?.type === 'update';
  return withApplied(facts, { pending: state === 'pending' || (pending && isAwaited), isNew });
}
