import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { errorFactsOf, invalid } from '../../../clients/external-error.ts';
import { wasNeverFound } from '../../external-identity.ts';
import { isLossNoted } from '../../external-loss.ts';
import type { Check } from '../../first-match.ts';
import { firstMatch } from '../../first-match.ts';
import { onlyObserves, shouldCreate, shouldOnlyObserve, shouldUpdate } from '../../management-policies.ts';
import { isReturnable } from '../../retention.ts';
import { StepFailure } from '../../step-failure.ts';
import { isCreationFailed, isCreationRecorded } from '../recording/creation-tracking.ts';
import { isAdopting, isEdited, mustExist, refusals } from '../recording/identity.ts';
import { creationIncomplete } from './decide-first.ts';
import type { Decision, ManagedDecisionName } from './decision.ts';
import { lostText } from './events.ts';
import type { Facts, ObservedFacts } from './facts.ts';
import { hasDone, isAsWanted, isBusy, isObserved } from './facts.ts';
import { cannot } from './failures.ts';

/** Pure. The decision after the external resource was observed. */
export const decideObserved = (facts: ObservedFacts): Decision =>
  firstMatch(facts, facts.latest.observation.exists ? presentChecks : absentChecks) ?? {};

const absentChecks: readonly Check<ObservedFacts, Decision>[] = [
  mayExist,
  awaitExternal,
  onlyObserved,
  deletedAndAbsent,
  identityEdited,
  renamed,
  taken,
  mustNotBeCreated,
  neverObserved,
  observedBefore,
];

const presentChecks: readonly Check<ObservedFacts, Decision>[] = [
  deletedAndPresent,
  noUpdate,
  awaitEffect,
  update,
];

// ── The external resource is absent ─────────────────────────────────────────────────────────────────────────────

/** Whether the external resource was found before. Older versions recorded no identity, and only a phase shows that. */
const wasObserved = (managed: Managed): boolean =>
  mustExist(managed) ||
  managed.status?.externalIdentity !== undefined ||
  (managed.status?.bindingPhase !== undefined &&
    managed.metadata.annotations?.[annotationKeys.externalIdentity] === undefined);

/**
 * Whether the failure of an observation counts as absence, because a user edited the identity: the external resource of the
 * recorded name carries the mark of another owner, and this resource was never seen. So its creation was refused. A
 * creation whose answer was lost leaves our mark, so it never counts.
 */
export const isOnlyOfAnother = ({ kind, managed }: Facts, failure: unknown): boolean =>
  errorFactsOf(failure)?.holder?.by === 'AnotherResource' &&
  !wasObserved(managed) &&
  isEdited(kind.identity, managed);

/** Whether the external system assigned a name to the external resource, and this is recorded. */
const wasCreated = ({ kind, managed }: Facts): boolean =>
  kind.identity.isAssigned && isCreationRecorded(managed) && externalName(managed) !== undefined;

/** Whether a user removed the assigned name, so that another external resource is created. */
const isNameRemoved = ({ kind, managed }: Facts): boolean =>
  kind.identity.isAssigned && externalName(managed) === undefined;

/**
 * Whether a lost external resource is only reported. An administrator who edits an annotation, or a claim that takes a
 * retained resource back, lets it be created again.
 */
const isLossReported = (facts: Facts): boolean =>
  (facts.managed.spec.onLoss === 'Report' || isReturnable(facts.managed)) &&
  !isCreationFailed(facts.managed) &&
  !isAdopting(facts.managed) &&
  !isNameRemoved(facts);

/** Whether observations have found nothing for long enough. A single one may be wrong. */
const isProvenAbsent = ({ kind, latest }: ObservedFacts): boolean =>
  latest.absentForMs >= kind.confirmAbsenceMs;

/**
 * Whether an external resource that was created may exist although no observation has found it yet. A creation under a
 * known name can be repeated without harm, so only a deletion waits for it.
 */
function isHidden(facts: ObservedFacts): boolean {
  const { kind, managed, latest } = facts;
  const isMade = kind.identity.isAssigned
    ? wasCreated(facts)
    : wasDeleted(managed) && !wasNeverFound(managed);
  return isMade && !wasObserved(managed) && latest.absentForMs < kind.creationGraceMs;
}

/** The decisions about an external resource that is absent, and is not created now. */
const absences: ReadonlySet<ManagedDecisionName | undefined> = new Set([
  'ExternalMissing',
  'CreateNotAllowed',
  'CreationRefused',
  'ExternalLost',
]);

/**
 * Whether the status loses the identity, because the external resource is proven absent. The identity stays if another
 * resource has its name, or if its loss waits for an administrator.
 */
export const isIdentityGone = (facts: Facts, decision: ManagedDecisionName | undefined): boolean =>
  absences.has(decision) &&
  isObserved(facts) &&
  isProvenAbsent(facts) &&
  facts.latest.observation.taken === undefined &&
  !isLossReported(facts);

/** The external resource may exist although it was not found, so it must not be created again. */
function mayExist({ managed, operation }: ObservedFacts): Decision | undefined {
  return operation.underWay === undefined
    ? creationIncomplete({ managed, operation })
    : { name: 'AwaitOperation' };
}

function awaitExternal(facts: ObservedFacts): Decision | undefined {
  return isHidden(facts) ? { name: 'AwaitExternal' } : undefined;
}

/** One observation is enough, unless the external resource was found before. */
function onlyObserved(facts: ObservedFacts): Decision | undefined {
  const { managed } = facts;
  if (!shouldOnlyObserve(managed.spec) || wasDeleted(managed)) return undefined;
  return { name: isProvenAbsent(facts) || !wasObserved(managed) ? 'ExternalMissing' : 'ConfirmAbsence' };
}

function deletedAndAbsent(facts: ObservedFacts): Decision | undefined {
  const { managed } = facts;
  if (!wasDeleted(managed)) return undefined;
  const isAbsent = isProvenAbsent(facts) || managed.status?.deletionAccepted === true;
  return { name: isAbsent ? 'RemoveFinalizer' : 'ConfirmAbsence' };
}

/**
 * Accepts an edit of the identity, because the recorded external resource does not exist under its name. That of a renamed
 * resource has to name the one that was renamed.
 */
function identityEdited(facts: ObservedFacts): Decision | undefined {
  const { kind, managed, latest } = facts;
  const { renamed, newName } = latest.observation;
  // guard: otherwise a renamed resource is lost from sight, and its messages name what a user asked for
  if (renamed !== undefined && newName !== externalName(managed)) return undefined;
  if (!isEdited(kind.identity, managed)) return undefined;
  return { name: isProvenAbsent(facts) ? 'IdentityEdited' : 'ConfirmAbsence' };
}

/** Another resource has the name, so that none can be created. */
function taken({ latest }: ObservedFacts): Decision | undefined {
  return latest.observation.taken === undefined ? undefined : { name: 'ExternalLost' };
}

/** The external resource has another name now. A second, empty one beside it would hide its data. */
function renamed({ kind, managed, latest }: ObservedFacts): Decision | undefined {
  const { renamed: message, taken: nameTaken } = latest.observation;
  const mayCreateEmpty = isAdopting(managed) && !mustExist(managed) && nameTaken === undefined;
  if (message === undefined || mayCreateEmpty) return undefined;
  const edits = refusals(kind.identity, managed, undefined);
  return { name: 'ExternalRenamed', message: [...edits, message].join('; ') };
}

function mustNotBeCreated({ kind, managed, latest }: ObservedFacts): Decision | undefined {
  if (!shouldCreate(managed.spec)) return { name: 'CreateNotAllowed' };
  const refusal = kind.uncreatable(managed) ?? latest.observation.uncreatable;
  if (refusal === undefined) return undefined;
  return { name: 'CreationRefused', failure: new StepFailure('', invalid(refusal), cannot.create) };
}

function neverObserved(facts: ObservedFacts): Decision | undefined {
  const { managed } = facts;
  const isObserved = wasObserved(managed) || wasCreated(facts) || isLossNoted(managed);
  return isObserved ? undefined : created('CreateExternal', facts);
}

/**
 * The external resource was lost. It is recreated, unless its assigned name would change, or `mustExist` or `onLoss`
 * forbids it.
 */
function observedBefore(facts: ObservedFacts): Decision {
  const { kind, managed } = facts;
  if (!isProvenAbsent(facts)) return { name: 'ConfirmAbsence' };
  const isReplaceable = !kind.identity.isAssigned || isNameRemoved(facts) || isCreationFailed(managed);
  const isForbidden = mustExist(managed) || isLossReported(facts);
  return isReplaceable && !isForbidden ? created('Recreate', facts) : { name: 'ExternalLost' };
}

/** Without a Secret for its credential and details, no external resource must be created. */
function created(name: 'CreateExternal' | 'Recreate', facts: ObservedFacts): Decision {
  const { managed, kind, place } = facts;
  if (kind.isObserveOnly) {
    // guard: otherwise a process with --observe-only records a creation
    const what = name === 'Recreate' ? lostText(managed) : '';
    return { name, failure: new StepFailure(what, onlyObserves('create'), cannot.create) };
  }
  if (place.accessFailure !== undefined) return { name: 'CreationRefused', failure: place.accessFailure };
  const isToReserve = place.entry === undefined && wantsDetails(managed) && !hasDone(facts, 'publish');
  return isToReserve ? { name, call: 'publish' } : { name };
}

// ── The external resource exists ────────────────────────────────────────────────────────────────────────────────

function deletedAndPresent({ managed, latest, operation }: ObservedFacts): Decision | undefined {
  if (!wasDeleted(managed)) return undefined;
  const type = operation.underWay?.type;
  if (type === 'create') return { name: 'AwaitOperation' };
  const isBegun =
    type === 'delete' || latest.observation.operation === 'delete' || operation.ended === 'delete';
  return { name: isBegun ? 'AwaitDeletion' : 'DeleteExternal' };
}

function noUpdate(facts: ObservedFacts): Decision | undefined {
  const { managed, latest } = facts;
  const isUnchangeable = isBusy(facts) || latest.observation.unchangeable !== undefined;
  if (!isUnchangeable && !isAsWanted(facts) && shouldUpdate(managed.spec)) return undefined;
  return { name: 'NoUpdate' };
}

/** An update operation ended, but the resource still differs. The effect may come late: wait before another update. */
function awaitEffect({ operation }: ObservedFacts): Decision | undefined {
  return operation.ended === 'update' ? { name: 'AwaitEffect' } : undefined;
}

function update(): Decision {
  return { name: 'Update' };
}
