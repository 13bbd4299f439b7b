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
import { firstMatch } from '../../first-match.ts';
import {
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
import type { CredentialDecisionName } from './decide-credential.ts';

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const firstDecisions = [
  'ResourceGone',
  'Paused',
  'UnsupportedPolicies',
  'OrphanExternal',
  'CreationIncomplete',
] as const;
export type FirstDecisionName = (typeof firstDecisions)[number];

/** The sentence of Crossplane, and how to do what it says. */
function undetermined(managed: Managed): string {
  const { apiVersion, kind, metadata } = managed;
  const { externalCreatePending: pending, externalName: nameKey } = annotationKeys;
  const [group] = apiVersion.split('/');
  const annotate = `kubectl annotate ${kind.toLowerCase()}.${group} ${metadata.name}`;
  const name = externalName(managed);
  const how =
    name === undefined
      ? `if it is there, set NAME to its name there; if it is not, leave ${nameKey} out: ${annotate} --overwrite ${nameKey}="\${NAME:?its name there}" ${pending}-`
      : `once you know whether "${name}" is there and is this one: ${annotate} ${pending}-`;
  return (
    `cannot determine creation result - remove the ${pending} annotation if it is safe to proceed: ` +
    `look for it in the external system; ${how}`
  );
}

/** A decision before the external system is called. */
export type FirstDecision =
  | { readonly name: 'ResourceGone' | 'OrphanExternal' }
  | { readonly name: 'Paused' | 'UnsupportedPolicies' | 'CreationIncomplete'; readonly message: string };

/** The facts before the external system is called. */
export interface FirstInput {
  readonly managed: Managed;
  /** An operation that the external system carries out. */
  readonly underWay?: ExternalOperation | undefined;
}

type DecideFirst = (input: FirstInput) => FirstDecision | undefined;

/** The finalizer comes before anything is created, so without it there is nothing to clean up. */
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
  const message = invalidPolicies(managed.spec);
  return message === undefined ? undefined : { name: 'UnsupportedPolicies', message };
};

const orphanExternal: DecideFirst = ({ managed }) =>
  wasDeleted(managed) && !shouldDelete(managed.spec) ? { name: 'OrphanExternal' } : undefined;

/** The external system reports the result of an operation that it carries out. */
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

/** Decides before the external system is called. The first check that matches decides; undefined: call it. */
export const decideFirst = (input: FirstInput): FirstDecision | undefined => firstMatch(input, firstChecks);

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const accessDecisions = ['OtherSystem'] as const;
export type AccessDecisionName = (typeof accessDecisions)[number];

/** What is wrong with the system that the provider leads to. */
export interface AccessDecision {
  readonly name: AccessDecisionName;
  readonly message: string;
}

/**
 * `recorded` identifies the external resource. A system that does not report its identity counts as the same. Undefined: go
 * on.
 */
export function decideAccess(
  recorded: Identity | undefined,
  system: string | undefined,
): AccessDecision | undefined {
  const { system: before, name = '' } = recorded ?? {};
  if (before === undefined || system === undefined || before === system) return undefined;
  const message = `the provider leads to ${system} now, but external resource "${name}" is in ${before}; lead it back, or, if both are the same, set the annotation ${annotationKeys.adoptIdentity} to true`;
  return { name: 'OtherSystem', message };
}

/** The name of the decision that ends a run once the external system reports that its operation failed. */
export const operationDecisions = ['OperationFailed'] as const;
export type OperationDecisionName = (typeof operationDecisions)[number];

/** The names of this decision, as in docs/decision-tables.md and in its order. */
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

/** The decision of a run over a managed resource. */
export type ManagedDecisionName =
  | FirstDecisionName
  | AccessDecisionName
  | Exclude<CredentialDecisionName, 'CredentialCannotChange'>
  | OperationDecisionName
  | NextDecisionName;

/** A decision after the external resource was observed. */
export type NextDecision =
  | { readonly name: 'CreationIncomplete' | 'CreationRefused'; readonly message: string }
  | { readonly name: Exclude<NextDecisionName, 'CreationIncomplete' | 'CreationRefused'> };

/** Everything that the decision may look at. */
export interface NextInput {
  readonly managed: Managed;
  readonly observed: Observation;
  /** How long the external system may hide what it just created, in ms; 0: it shows at once. */
  readonly graceMs: number;
  /** When the observation began: what it found is judged by how things stood then. */
  readonly now: Date;
  /** The external name is known before creation, so that no annotations track it. */
  readonly isNameKnown: boolean;
  /** For how long observations must have found nothing before it counts, in ms; 0: one is enough. */
  readonly confirmMs: number;
  /** For how long they have found nothing, in ms. */
  readonly absentForMs: number;
  /** A field that identifies the external resource was edited since it was recorded. */
  readonly isEdited: boolean;
  /** The external system does not have the credential of the Secret, as far as anyone knows. */
  readonly isCredentialDue: boolean;
  /** What an operation that the external system carries out is about, while it is under way. */
  readonly underWay?: OperationType | undefined;
  /** What an operation was about that has ended since the last observation, or is not known any more. */
  readonly ended?: OperationType | undefined;
  /** Why nothing can be created; undefined: it can. */
  readonly uncreatable?: string | undefined;
}

type DecideNext = (input: NextInput) => NextDecision | undefined;

/**
 * The external system accepted our request to delete it, or reported that it is deleting it: then absence was expected. The
 * conditions show it, and outlive the process.
 */
function isDeletionUnderWay({ status }: Managed): boolean {
  const ready = getCondition(status?.conditions, 'Ready');
  const synced = getCondition(status?.conditions, 'Synced');
  return ready.reason === 'Deleting' && ready.message === undefined && synced.status === 'True';
}

/** An observation showed it, or it was ready before observations were recorded. */
const wasSeen = ({ metadata, status }: Managed): boolean =>
  status?.externalIdentity !== undefined ||
  (status?.bindingPhase !== undefined &&
    metadata.annotations?.[annotationKeys.externalIdentity] === undefined);

/** A creation succeeded, and the external system assigned this name. */
const wasCreated = ({ managed, isNameKnown }: NextInput): boolean =>
  !isNameKnown && isCreationRecorded(managed) && externalName(managed) !== undefined;

/** A claim waits for it. Late initialization takes two writes, and can wait until the claim is bound. */
const isAwaited = ({ spec, status }: Managed): boolean =>
  spec.claimRef !== undefined && status?.bindingPhase !== 'Bound' && status?.bindingPhase !== 'Released';

const isCertain = ({ absentForMs, confirmMs }: NextInput): boolean => absentForMs >= confirmMs;

/** It may show soon. The clock may have been set since its creation, so that the time of the observations counts as well. */
function isHidden(input: NextInput): boolean {
  const { managed, graceMs, now, isNameKnown, absentForMs } = input;
  if (isNameKnown) return isBeingCreated(managed, graceMs, now);
  const isUnseen = wasCreated(input) && !wasSeen(managed);
  return isInCreationGrace(managed, graceMs, now) || (isUnseen && absentForMs < graceMs);
}

/** An operation may create it, or its creation may have come to something: it must not be created twice. */
const mayExist: DecideNext = (input) => {
  const { managed, underWay } = input;
  if (underWay !== undefined) return { name: 'AwaitOperation' };
  return isCreationIncomplete(managed)
    ? { name: 'CreationIncomplete', message: undetermined(managed) }
    : undefined;
};

const awaitExternal: DecideNext = (input) => (isHidden(input) ? { name: 'AwaitExternal' } : undefined);

/** The observations prove that the external resource is gone. */
export const isProvenAbsent = (input: NextInput): boolean =>
  !input.observed.exists && mayExist(input) === undefined && !isHidden(input) && isCertain(input);

const onlyObserved: DecideNext = ({ managed }) =>
  shouldOnlyObserve(managed.spec) && !wasDeleted(managed) ? { name: 'ExternalMissing' } : undefined;

const deletedAndAbsent: DecideNext = (input) => {
  const { managed } = input;
  if (!wasDeleted(managed)) return undefined;
  return { name: isCertain(input) || isDeletionUnderWay(managed) ? 'RemoveFinalizer' : 'ConfirmAbsence' };
};

/** The recorded external resource does not exist, so that the edited identity counts. */
const identityEdited: DecideNext = (input) =>
  input.isEdited ? { name: isCertain(input) ? 'IdentityEdited' : 'ConfirmAbsence' } : undefined;

const mustNotBeCreated: DecideNext = ({ managed, observed, uncreatable = observed.uncreatable }) => {
  if (!shouldCreate(managed.spec)) return { name: 'CreateNotAllowed' };
  return uncreatable === undefined ? undefined : { name: 'CreationRefused', message: uncreatable };
};

const neverSeen: DecideNext = (input) =>
  wasSeen(input.managed) || wasCreated(input) ? undefined : { name: 'CreateExternal' };

/** A second one with an assigned name would hide the first for good, if that exists after all. */
const seenBefore: DecideNext = (input) => {
  const { managed, isNameKnown } = input;
  if (!isCertain(input)) return undefined;
  return isNameKnown || externalName(managed) === undefined || isCreationFailed(managed)
    ? { name: 'Recreate' }
    : { name: 'ExternalLost' };
};

const absent: readonly DecideNext[] = [
  mayExist,
  awaitExternal,
  onlyObserved,
  deletedAndAbsent,
  identityEdited,
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

/** The external system is busy with it, or it is as wanted, or policies do not allow an update. */
const noUpdate: DecideNext = ({ managed, observed, underWay, isCredentialDue }) => {
  const isBusy = (underWay ?? observed.operation) !== undefined;
  const isAsWanted = observed.isUpToDate && !isCredentialDue;
  return isBusy || isAsWanted || !shouldUpdate(managed.spec) ? { name: 'NoUpdate' } : undefined;
};

/** The update may not show yet, or may never, and must not be repeated without a pause. */
const awaitEffect: DecideNext = ({ ended }) => (ended === 'update' ? { name: 'AwaitEffect' } : undefined);

const present: readonly DecideNext[] = [deletedAndPresent, lateInitialize, noUpdate, awaitEffect];

/** Decides after the external resource was observed: the first check that matches decides. */
export const decideNext = (input: NextInput): NextDecision =>
  input.observed.exists
    ? (firstMatch(input, present) ?? { name: 'Update' })
    : (firstMatch(input, absent) ?? { name: 'ConfirmAbsence' });
