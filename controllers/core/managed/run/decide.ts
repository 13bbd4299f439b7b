import { advice } from '../../../../apis/core/v1alpha1/advice.ts';
import { getCondition } from '../../../../apis/core/v1alpha1/condition.ts';
import type { ExternalOperation, Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  externalName,
  finalizerNames,
  hasFinalizer,
  isPaused,
  wasDeleted,
} from '../../../../apis/core/v1alpha1/meta.ts';
import type { Identity } from '../../external-identity.ts';
import { isLossNoted } from '../../external-loss.ts';
import { firstMatch } from '../../first-match.ts';
import {
  invalidOnLoss,
  invalidPolicies,
  isPausedByPolicies,
  shouldCreate,
  shouldDelete,
  shouldLateInitialize,
  shouldOnlyObserve,
  shouldUpdate,
} from '../../management-policies.ts';
import type { Observation, OperationType } from '../connecting/external-client.ts';
import {
  isBeingCreated,
  isCreationFailed,
  isCreationIncomplete,
  isCreationRecorded,
  isInCreationGrace,
} from '../recording/creation-tracking.ts';
import { isAdopting, mustExist } from '../recording/identity.ts';
import type { CredentialDecisionName } from './decide-credential.ts';

/** The decisions of `decideFirst`, in the order of docs/decision-tables.md. */
export const firstDecisions = [
  'ResourceGone',
  'Paused',
  'UnsupportedPolicies',
  'OrphanExternal',
  'CreationIncomplete',
] as const;
export type FirstDecisionName = (typeof firstDecisions)[number];

/** Crossplane's message for an unknown result of a creation, and how an administrator lets the creation continue. */
const undetermined = (managed: Managed): string =>
  `cannot determine creation result - remove the ${annotationKeys.externalCreatePending} annotation if it is safe to proceed: look for it in the external system; ${advice.continueCreation(managed)}`;

/** A decision before the external system is called. */
export type FirstDecision =
  | { readonly name: 'ResourceGone' | 'OrphanExternal' }
  | { readonly name: 'Paused' | 'UnsupportedPolicies' | 'CreationIncomplete'; readonly message: string };

export interface FirstInput {
  readonly managed: Managed;
  readonly underWay?: ExternalOperation | undefined;
}

type DecideFirst = (input: FirstInput) => FirstDecision | undefined;

/** A deleted object without the finalizer needs no more work. */
const resourceGone: DecideFirst = ({ managed }) =>
  wasDeleted(managed) && !hasFinalizer(managed, finalizerNames.managed)
    ? { name: 'ResourceGone' }
    : undefined;

const paused: DecideFirst = ({ managed }) => {
  if (!isPaused(managed) && !isPausedByPolicies(managed.spec)) return undefined;
  const by = isPaused(managed) ? `the ${annotationKeys.paused} annotation` : 'empty spec.managementPolicies';
  const held = wasDeleted(managed) ? '; deletion waits until it resumes' : '';
  return { name: 'Paused', message: `reconciliation is paused by ${by}${held}` };
};

const unsupportedPolicies: DecideFirst = ({ managed }) => {
  const message =
    invalidPolicies(managed.spec) ?? (wasDeleted(managed) ? undefined : invalidOnLoss(managed.spec));
  return message === undefined ? undefined : { name: 'UnsupportedPolicies', message };
};

const orphanExternal: DecideFirst = ({ managed }) =>
  wasDeleted(managed) && !shouldDelete(managed.spec) ? { name: 'OrphanExternal' } : undefined;

/** Stops the run if the result of a creation is not recorded, and no ongoing operation will show the result. */
const creationIncomplete: DecideFirst = ({ managed, underWay }) =>
  underWay === undefined && isCreationIncomplete(managed)
    ? { name: 'CreationIncomplete', message: undetermined(managed) }
    : undefined;

const firstChecks: readonly DecideFirst[] = [
  resourceGone,
  paused,
  unsupportedPolicies,
  orphanExternal,
  creationIncomplete,
];

/** Returns the first decision that ends the run before any external call. Undefined: the run goes on. */
export const decideFirst = (input: FirstInput): FirstDecision | undefined => firstMatch(input, firstChecks);

/** The decisions of `decideAccess`, in the order of docs/decision-tables.md. */
export const accessDecisions = ['OtherSystem'] as const;
export type AccessDecisionName = (typeof accessDecisions)[number];

export interface AccessDecision {
  readonly name: AccessDecisionName;
  readonly message: string;
}

/** Stops the run if the provider connects to another system than the recorded one. Accepts a system without an ID. */
export function decideAccess(
  recorded: Identity | undefined,
  system: string | undefined,
): AccessDecision | undefined {
  const { system: before, name = '' } = recorded ?? {};
  if (before === undefined || system === undefined || before === system) return undefined;
  const message = `the provider connects to ${system}, but external resource "${name}" is in ${before}; ${advice.correctProvider}`;
  return { name: 'OtherSystem', message };
}

export const operationDecisions = ['OperationFailed'] as const;
export type OperationDecisionName = (typeof operationDecisions)[number];

/** The decisions of `decideNext`, in the order of docs/decision-tables.md. */
export const nextDecisions = [
  'AwaitOperation',
  'CreationIncomplete',
  'AwaitExternal',
  'ExternalMissing',
  'RemoveFinalizer',
  'ConfirmAbsence',
  'IdentityEdited',
  'CreateNotAllowed',
  'CreationRefused',
  'CreateExternal',
  'Recreate',
  'ExternalLost',
  'AwaitDeletion',
  'DeleteExternal',
  'LateInitialize',
  'NoUpdate',
  'AwaitEffect',
  'Update',
] as const;
export type NextDecisionName = (typeof nextDecisions)[number];

/** The names of the decisions that a run for a managed resource can report. */
export type ManagedDecisionName =
  | FirstDecisionName
  | AccessDecisionName
  | Exclude<CredentialDecisionName, 'CredentialCannotChange'>
  | OperationDecisionName
  | NextDecisionName;

/** A decision after the external resource was observed. */
export type NextDecision =
  | { readonly name: 'CreationIncomplete' | 'CreationRefused'; readonly message: string }
  /** `message`: where the external resource is now. Absent: it was deleted. */
  | { readonly name: 'ExternalLost'; readonly message?: string }
  | { readonly name: Exclude<NextDecisionName, 'CreationIncomplete' | 'CreationRefused' | 'ExternalLost'> };

export interface NextInput {
  readonly managed: Managed;
  readonly observed: Observation;
  /** For how many ms after a creation observations may fail to find the external resource. */
  readonly graceMs: number;
  /** The start of the observation. */
  readonly now: Date;
  /** The external name is known before creation, so no annotations track the creation. */
  readonly isNameKnown: boolean;
  /** For how many ms observations must find nothing, so that absence is proven. 0: one observation is enough. */
  readonly confirmMs: number;
  /** For how many ms observations have found nothing. */
  readonly absentForMs: number;
  readonly isEdited: boolean;
  /** Whether the credential in the Secret is not yet set in the external system. */
  readonly isCredentialDue: boolean;
  /** The type of the ongoing operation. */
  readonly underWay?: OperationType | undefined;
  /** The type of an operation that has ended since the last observation. */
  readonly ended?: OperationType | undefined;
  readonly uncreatable?: string | undefined;
}

type DecideNext = (input: NextInput) => NextDecision | undefined;

/** Whether the external system accepted or reported the deletion. The conditions show this even after a restart. */
function isDeletionUnderWay({ status }: Managed): boolean {
  const ready = getCondition(status?.conditions, 'Ready');
  const synced = getCondition(status?.conditions, 'Synced');
  return ready.reason === 'Deleting' && ready.message === undefined && synced.status === 'True';
}

const wasSeen = (managed: Managed): boolean =>
  mustExist(managed) ||
  managed.status?.externalIdentity !== undefined ||
  (managed.status?.bindingPhase !== undefined &&
    managed.metadata.annotations?.[annotationKeys.externalIdentity] === undefined);

/** Whether a user removed the assigned name, so that another external resource is created. */
const isNameRemoved = ({ managed, isNameKnown }: NextInput): boolean =>
  !isNameKnown && externalName(managed) === undefined;

/** Whether a lost external resource is not created again, until an administrator edits an annotation to allow that. */
const isLossReported = (input: NextInput): boolean =>
  input.managed.spec.onLoss === 'Report' &&
  !isCreationFailed(input.managed) &&
  !isAdopting(input.managed) &&
  !isNameRemoved(input);

const wasCreated = ({ managed, isNameKnown }: NextInput): boolean =>
  !isNameKnown && isCreationRecorded(managed) && externalName(managed) !== undefined;

/** Whether a claim waits to be bound. Late initialization takes two writes, so it must not delay the binding. */
const isAwaited = ({ spec, status }: Managed): boolean =>
  spec.claimRef !== undefined && status?.bindingPhase !== 'Bound' && status?.bindingPhase !== 'Released';

const isCertain = ({ absentForMs, confirmMs }: NextInput): boolean => absentForMs >= confirmMs;

/** Whether a new external resource may exist although observations do not find it yet. */
function isHidden(input: NextInput): boolean {
  const { managed, graceMs, now, isNameKnown, absentForMs } = input;
  if (isNameKnown) return isBeingCreated(managed, graceMs, now);
  // If the clock was set forward, the creation seems long past. So observations must find nothing for `graceMs` too.
  const isUnseen = wasCreated(input) && !wasSeen(managed);
  return isInCreationGrace(managed, graceMs, now) || (isUnseen && absentForMs < graceMs);
}

/** The external resource may exist although it was not found, so it must not be created again. */
const mayExist: DecideNext = (input) => {
  const { managed, underWay } = input;
  if (underWay !== undefined) return { name: 'AwaitOperation' };
  return isCreationIncomplete(managed)
    ? { name: 'CreationIncomplete', message: undetermined(managed) }
    : undefined;
};

const awaitExternal: DecideNext = (input) => (isHidden(input) ? { name: 'AwaitExternal' } : undefined);

export const isProvenAbsent = (input: NextInput): boolean =>
  !input.observed.exists && mayExist(input) === undefined && !isHidden(input) && isCertain(input);

/** Whether the identity of an absent external resource is kept: it was renamed, or its loss waits for an administrator. */
export const isIdentityKept = (input: NextInput): boolean =>
  renamed(input) !== undefined || (isLossReported(input) && !wasDeleted(input.managed));

const onlyObserved: DecideNext = ({ managed }) =>
  shouldOnlyObserve(managed.spec) && !wasDeleted(managed) ? { name: 'ExternalMissing' } : undefined;

const deletedAndAbsent: DecideNext = (input) => {
  const { managed } = input;
  if (!wasDeleted(managed)) return undefined;
  return { name: isCertain(input) || isDeletionUnderWay(managed) ? 'RemoveFinalizer' : 'ConfirmAbsence' };
};

/** Accepts an edit of the identity, because the recorded external resource does not exist. */
const identityEdited: DecideNext = (input) =>
  input.isEdited ? { name: isCertain(input) ? 'IdentityEdited' : 'ConfirmAbsence' } : undefined;

const mustNotBeCreated: DecideNext = ({ managed, observed, uncreatable = observed.uncreatable }) => {
  if (!shouldCreate(managed.spec)) return { name: 'CreateNotAllowed' };
  return uncreatable === undefined ? undefined : { name: 'CreationRefused', message: uncreatable };
};

const neverSeen: DecideNext = (input) =>
  wasSeen(input.managed) || wasCreated(input) || isLossNoted(input.managed)
    ? undefined
    : { name: 'CreateExternal' };

/** The external resource has another name now. A second, empty one beside it would hide its data. */
const renamed: DecideNext = ({ managed, observed: { renamed: message } }) => {
  const mayCreateEmpty = isAdopting(managed) && !mustExist(managed);
  return message === undefined || mayCreateEmpty ? undefined : { name: 'ExternalLost', message };
};

/**
 * The external resource was lost. It is recreated, unless its assigned name would change, or `mustExist` or `onLoss`
 * forbids it.
 */
const seenBefore: DecideNext = (input) => {
  const { managed, isNameKnown } = input;
  if (!isCertain(input)) return undefined;
  const isReplaceable = isNameKnown || isNameRemoved(input) || isCreationFailed(managed);
  const isForbidden = mustExist(managed) || isLossReported(input);
  return { name: isReplaceable && !isForbidden ? 'Recreate' : 'ExternalLost' };
};

const absent: readonly DecideNext[] = [
  mayExist,
  awaitExternal,
  onlyObserved,
  deletedAndAbsent,
  identityEdited,
  renamed,
  mustNotBeCreated,
  neverSeen,
  seenBefore,
];

const deletedAndPresent: DecideNext = ({ managed, observed, underWay, ended }) => {
  if (!wasDeleted(managed)) return undefined;
  if (underWay === 'create') return { name: 'AwaitOperation' };
  const isBegun = underWay === 'delete' || observed.operation === 'delete' || ended === 'delete';
  return { name: isBegun ? 'AwaitDeletion' : 'DeleteExternal' };
};

const lateInitialize: DecideNext = ({ managed, observed }) =>
  observed.lateInitialized !== undefined && shouldLateInitialize(managed.spec) && !isAwaited(managed)
    ? { name: 'LateInitialize' }
    : undefined;

const noUpdate: DecideNext = ({ managed, observed, underWay, isCredentialDue }) => {
  const isBusy = (underWay ?? observed.operation ?? observed.unchangeable) !== undefined;
  const isAsWanted = observed.isUpToDate && !isCredentialDue;
  return isBusy || isAsWanted || !shouldUpdate(managed.spec) ? { name: 'NoUpdate' } : undefined;
};

/** An update operation ended, but the resource still differs. The effect may come late: wait before another update. */
const awaitEffect: DecideNext = ({ ended }) => (ended === 'update' ? { name: 'AwaitEffect' } : undefined);

const present: readonly DecideNext[] = [deletedAndPresent, lateInitialize, noUpdate, awaitEffect];

export const decideNext = (input: NextInput): NextDecision =>
  input.observed.exists
    ? (firstMatch(input, present) ?? { name: 'Update' })
    : (firstMatch(input, absent) ?? { name: 'ConfirmAbsence' });
