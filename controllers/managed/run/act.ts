import omit from 'lodash/omit.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, withAnnotations, withoutFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import { isNotFound } from '../../../runtime/client/errors.ts';
import { aboutManaged, logQuietAct } from '../../log-changes.ts';
import { onlyObserves } from '../../management-policies.ts';
import { failing, StepFailure } from '../../step-failure.ts';
import type { Observation } from '../connecting/external-client.ts';
import { foundAnnotations, identified, named } from '../recording/identity.ts';
import { withLateInitialized } from '../recording/provider-values.ts';
import type { Run } from './context.ts';
import {
  announce,
  clearRecords,
  create,
  noteLoss,
  recordCreation,
  recordEdit,
  recordFailure,
} from './create.ts';
import { isOnlyOfAnother } from './decide-observed.ts';
import type { Call, Step } from './decision.ts';
import { deletedEvent, remainsEvents, removedEvents, updatedEvent } from './events.ts';
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
import { begin, poll, supersede } from './operation.ts';
import { followUp, publish, readPlace, writeCredential } from './publish.ts';
import { isToFillIn } from './steps.ts';
import { clearRecord, write, writeFirst } from './write.ts';

/** Makes the call of a decision, and returns the new facts. If the call fails, throws a StepFailure. */
export const act = async (run: Run, facts: Facts, call: Call): Promise<Facts> =>
  typeof call === 'string' ? steps[call](run, facts) : writeCredential(run, facts, call);

const steps: Readonly<Record<Step, (run: Run, facts: Facts) => Facts | Promise<Facts>>> = {
  resolveReferences,
  connect,
  readPlace,
  poll,
  clearPending: clearRecord,
  observe,
  prepare,
  publish,
  removePrevious,
  clearRecord,
  update,
  recordEdit,
  noteLoss,
  clearRecords,
  announce,
  create,
  recordCreation,
  recordFailure,
  delete: remove,
  finalise,
};

async function resolveReferences(run: Run, facts: Facts): Promise<Facts> {
  const resolving = run.resolveReferences?.(facts.managed, run.signal);
  if (resolving === undefined) return facts;
  return { ...facts, managed: await failing('', resolving, cannot.resolve) };
}

async function connect({ connector, signal }: Run, facts: Facts): Promise<Facts> {
  const external = await failing('', connector.connect(facts.managed, signal), cannot.connect);
  try {
    return { ...facts, access: { external, system: await external.system?.(signal) } };
  } catch (error) {
    return { ...facts, access: { external }, failure: new StepFailure('', error, cannot.observe) };
  }
}

async function observe({ env, memory, signal }: Run, facts: Facts): Promise<Facts> {
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

/**
 * Writes the name, late-initialized values and the found identity. The identity is in an annotation because a restore may
 * drop the status.
 */
function prepare(run: Run, facts: Facts): Promise<Facts> {
  const { kind, managed, access } = facts;
  const { lateInitialized = {} } = isToFillIn(facts) ? found(facts)! : {};
  const object = withLateInitialized(named(kind.identity, managed), lateInitialized);
  const its = { system: access?.system, observation: found(facts) };
  return writeFirst(run, facts, withAnnotations(object, foundAnnotations(kind.identity, object, its)));
}

function removePrevious({ places, signal }: Run, facts: Facts): Promise<Facts> {
  const removing = places.removePrevious(facts.managed, signal);
  const after = removing.then((removed) => withEvents(facts, ...removedEvents(facts.managed, removed)));
  return followUp(facts, after, cannot.unpublish);
}

async function update(run: Run, facts: Facts): Promise<Facts> {
  const { kind, managed, did, latest } = facts;
  const isDue = isCredentialDue(facts);
  const difference = latest?.observation.difference;
  run.log.debug('external resource differs', {
    difference: difference && scrubOf(facts, difference),
    isCredentialDue: isDue,
  });
  const updating =
    isDue && kind.isObserveOnly
      ? Promise.reject(onlyObserves('set the credential of'))
      : clientOf(facts).update(given(facts), credentialIn(facts), run.signal);
  const updated = await failing('', updating, cannotUpdate(facts, isDue));
  if (isDue) logQuietAct(run.log, 'SetCredentials', { ...aboutManaged(managed), decision: did.decision });
  const { operation, isCredentialPending = false } = updated;
  const pending = isCredentialPending || operation !== undefined;
  const made = isDue ? withApplied(facts, { pending, isNew: true }) : facts;
  return begin(run, withEvents(withReport(made, updated), updatedEvent), 'update', operation);
}

async function remove(run: Run, facts: Facts): Promise<Facts> {
  // guard: otherwise after an edit another external resource is deleted
  const removing = clientOf(facts).delete(given(facts), run.signal);
  const { operation: name } = (await failing('', removing, cannot.delete)) ?? {};
  const known = withEvents(facts, deletedEvent);
  return name === undefined ? supersede(run, known) : begin(run, known, 'delete', name);
}

async function finalise(run: Run, facts: Facts): Promise<Facts> {
  const { managed } = facts;
  // guard: otherwise a connection Secret is never deleted
  await failing('', run.places.remove(managed, run.signal), cannot.unpublish);
  const finalised = withoutFinalizer(managed, finalizerNames.managed);
  await write(run, facts, finalised, cannot.finalise).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  run.memory.forget(managed.metadata);
  return withEvents(omit(facts, 'failure'), ...remainsEvents(facts.latest?.observation));
}

/** The managed resource for the external client. */
const given = ({ kind: { identity }, managed, access }: Facts): Managed =>
  identified(identity, managed, access?.system);
