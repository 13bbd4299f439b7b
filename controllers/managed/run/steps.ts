import without from 'lodash/without.js';
import type { ExternalOperation } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { ExternalErrorClass } from '../../../clients/external-error.ts';
import { isLossNoted } from '../../external-loss.ts';
import { shouldLateInitialize } from '../../management-policies.ts';
import type { FailureFacts, StepFailure } from '../../step-failure.ts';
import type { OperationType } from '../connecting/external-client.ts';
import { UncertainCreationError } from '../connecting/external-client.ts';
import { creationMark, isCreationFailed, isCreationIncomplete } from '../recording/creation-tracking.ts';
import { mustExist, named } from '../recording/identity.ts';
import type { Call, ManagedDecisionName, Step } from './decision.ts';
import type { Facts } from './facts.ts';
import { changeMade, found, hasDone, isCredentialDue } from './facts.ts';
import { cannot } from './failures.ts';

/**
 * The first steps of a decision about an external resource that exists. After them a run may decide otherwise, for example
 * because the Secret was deleted, so they do not begin a decision.
 */
const preparation: readonly Step[] = ['prepare', 'publish'];
const creation: readonly Step[] = ['clearRecords', 'announce', 'create'];

/** The steps of the decisions, in their order. A decision without steps only reports. */
const steps: { readonly [name in ManagedDecisionName]?: readonly Step[] } = {
  OrphanExternal: ['finalise'],
  RemoveFinalizer: ['finalise'],
  IdentityEdited: ['recordEdit', 'clearRecords'],
  CreateExternal: creation,
  Recreate: ['noteLoss', ...creation],
  ExternalLost: ['noteLoss'],
  DeleteExternal: ['delete'],
  NoUpdate: [...preparation, 'removePrevious'],
  AwaitEffect: preparation,
  Update: [...preparation, 'clearRecord', 'update'],
};

const stepsOf = (name: ManagedDecisionName | undefined): readonly Step[] => (name && steps[name]) ?? [];

/** The steps after a call that changes the external resource. A step that was made before the call is made again. */
const stepsAfter: Readonly<Record<OperationType, readonly Step[]>> = {
  create: ['recordCreation', 'observe', 'publish', 'prepare'],
  update: ['observe', 'publish'],
  delete: ['observe', 'finalise'],
};

/** The facts when a step is made. It counts as made even if it fails. */
export function making(facts: Facts, step: Call): Facts {
  if (typeof step === 'object') return facts;
  const again = step in stepsAfter ? stepsAfter[step as OperationType] : [];
  const made = new Set(without([...facts.did.steps], ...again));
  return { ...facts, did: { ...facts.did, steps: made.add(step) } };
}

/** The next step of a decision. Undefined: all of them were made. */
export function nextOf(facts: Facts, name: ManagedDecisionName | undefined): Step | undefined {
  const change = changeMade(facts);
  return next(facts, change === undefined ? stepsOf(name) : stepsAfter[change]);
}

/** Whether a step of this decision was made, so that the run does not decide otherwise. */
export const isBegun = (facts: Facts, name: ManagedDecisionName | undefined): boolean =>
  hasDone(facts, ...without(stepsOf(name), ...preparation));

/** The first of these steps that is needed and was not made. */
export const next = (facts: Facts, list: readonly Step[]): Step | undefined =>
  list.find((step) => !hasDone(facts, step) && (isNeeded[step]?.(facts) ?? true));

/** When a step is needed. A step that is not listed is always needed: it does nothing if nothing changes. */
const isNeeded: { readonly [step in Step]?: (facts: Facts) => boolean } = {
  resolveReferences: ({ managed }) => !wasDeleted(managed),
  readPlace: ({ managed }) => !wasDeleted(managed),
  poll: ({ operation: { underWay } }) => underWay !== undefined,
  clearPending: ({ managed, operation: { failed } }) =>
    failed?.type === 'update' && managed.status?.credential?.pending === true,
  // An object that is being deleted needs no details, and a failed write of the Secret must not block the deletion.
  publish: ({ managed }) => !wasDeleted(managed),
  // guard: otherwise the result of a creation is lost
  recordCreation: (facts) => hasDone(facts, 'create') || isCreationUnrecorded(facts),
  prepare: (facts) => !hasDone(facts, 'create') || isToFillIn(facts),
  removePrevious: (facts) => facts.place.accessFailure === undefined && !isCredentialDue(facts),
  clearRecord: isCredentialDue,
  recordFailure: (facts) => creationFailure(facts) !== undefined,
  observe: (facts) => changeMade(facts) === undefined || facts.operation.underWay === undefined,
  finalise: isAbsentAfterDeletion,
};

/** The objects that a run reads from the API server before a call, so that the call does not follow a stale read. */
interface Confirmation {
  readonly reads: readonly ('managed' | 'place')[];
  /** How to report that they cannot be read. */
  readonly failure: FailureFacts;
}

const confirmations: { readonly [step in Step]?: Confirmation } = {
  // Before a creation is announced: an announced creation that was not sent would wait for an administrator.
  announce: { reads: ['place'], failure: cannot.create },
  create: { reads: ['managed'], failure: cannot.create },
  clearRecord: { reads: ['managed', 'place'], failure: cannot.update },
  delete: { reads: ['managed', 'place'], failure: cannot.delete },
};

/** The confirmation that a call needs. A credential is generated only for an object that exists. */
export function confirmationOf(call: Call): Confirmation | undefined {
  if (typeof call === 'string') return confirmations[call];
  return call.act === 'generate' ? { reads: ['managed'], failure: cannot.write } : undefined;
}

/**
 * Whether the external resource was created, and this or its name is not recorded: an operation has created it, or an
 * observation finds it after a run that crashed.
 */
const isCreationUnrecorded = (facts: Facts): boolean => {
  if (unrecordedCreation(facts) !== undefined) return true;
  if (facts.operation.underWay !== undefined || found(facts) === undefined) return false;
  return isCreationIncomplete(facts.managed) || nameFound(facts) !== undefined;
};

/** The operation that has created the external resource, until this is recorded: after a failed write it is polled again. */
export function unrecordedCreation({ managed, operation }: Facts): ExternalOperation | undefined {
  const { succeeded } = operation;
  return succeeded?.type === 'create' && isCreationIncomplete(managed) ? succeeded : undefined;
}

/** The name that the external system assigned, if the observation found it, and none is recorded. */
export function nameFound({ kind: { identity }, managed, latest }: Facts): string | undefined {
  const isNew = identity.isAssigned && externalName(named(identity, managed)) === undefined;
  return isNew && !wasDeleted(managed) ? latest?.observation.externalName : undefined;
}

/**
 * Whether the external system chose values that the spec lacks. A claim that waits for its binding does not wait for the
 * write.
 */
export function isToFillIn(facts: Facts): boolean {
  const { spec, status } = facts.managed;
  const phase = status?.bindingPhase;
  const waitsForBinding = spec.claimRef !== undefined && phase !== 'Bound' && phase !== 'Released';
  const hasValues = found(facts)?.lateInitialized !== undefined;
  return hasValues && shouldLateInitialize(spec) && !waitsForBinding && !wasDeleted(facts.managed);
}

/** Whether a loss is recorded. It is not if the creation failed, or if it may still be moved to this system. */
export const isLossToNote = ({ kind, managed }: Facts): boolean =>
  !kind.isObserveOnly &&
  (kind.holdsData || managed.spec.onLoss === 'Report') &&
  !(isLossNoted(managed) || isCreationFailed(managed) || mustExist(managed));

/** Whether the Secret and the finalizer are removed: at once after a deletion, if the external resource does not exist. */
function isAbsentAfterDeletion(facts: Facts): boolean {
  if (!hasDone(facts, 'delete')) return true;
  return facts.operation.underWay === undefined && found(facts) === undefined;
}

function creationFailure(facts: Facts): StepFailure | undefined {
  const { operation, failure } = facts;
  const isCalled = hasDone(facts, 'create') && !hasDone(facts, 'recordCreation');
  const callFailure = isCalled && failure?.facts.external === 'call' ? failure : undefined;
  return callFailure ?? (operation.failed?.type === 'create' ? operation.failed.failure : undefined);
}

/** The classes of errors with which an external system refuses a creation. After any other one, it may have succeeded. */
const refusals: readonly string[] = ['Invalid', 'QuotaExceeded', 'Forbidden'] satisfies ExternalErrorClass[];

/** The record of a failed creation, and whether it certainly created nothing. */
export function recordOfFailure(facts: Facts) {
  const cause = creationFailure(facts);
  const isCertain = !causesOf(cause).some((error) => error instanceof UncertainCreationError);
  const isRefused = isCertain && refusals.includes(cause?.error?.class ?? '');
  return { isCertain, mark: creationMark(facts.managed, isRefused) };
}

const causesOf = (error: unknown): readonly Error[] =>
  error instanceof Error ? [error, ...causesOf(error.cause)] : [];
