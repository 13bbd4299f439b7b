import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { ExternalOperation, Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  externalName,
  finalizerNames,
  hasFinalizer,
  isPaused,
  wasDeleted,
} from '../../../apis/core/v1alpha1/meta.ts';
import type { Identity } from '../external-identity.ts';
import { firstMatch } from '../first-match.ts';
import {
  invalidPolicies,
  isPausedByPolicies,
  shouldCreate,
  shouldDelete,
  shouldLateInitialize,
  shouldOnlyObserve,
  shouldUpdate,
} from '../management-policies.ts';
import type { TrackedOperation } from './async-operations.ts';
import {
  isBeingCreated,
  isCreationFailed,
  isCreationIncomplete,
  isCreationRecorded,
  isInCreationGrace,
} from './creation-tracking.ts';
import type { CredentialDecisionName } from './decide-credential.ts';
import type { Created, Observation, OperationType, Progress } from './external-client.ts';

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const firstDecisions = [
  'ResourceGone',
  'Paused',
  'UnsupportedPolicies',
  'AwaitEarlierRun',
  'OrphanExternal',
  'CreationIncomplete',
  'Connect',
  'NothingCreated',
] as const;
export type FirstDecisionName = (typeof firstDecisions)[number];

/** Crossplane's sentence begins so. */
const undeterminedSentence = 'cannot determine creation result';

/** Crossplane's sentence, and how to do what it says. */
function undetermined(managed: Managed): string {
  const { apiVersion, kind, metadata } = managed;
  const { externalCreatePending } = annotationKeys;
  const [group] = apiVersion.split('/');
  const annotate = `kubectl annotate ${kind.toLowerCase()}.${group} ${metadata.name}`;
  const unmark = `${externalCreatePending}-`;
  const name = externalName(managed);
  const how =
    name === undefined
      ? `if it is there, set NAME to its name there; if it is not, leave ${annotationKeys.externalName} out: ${annotate} --overwrite ${annotationKeys.externalName}="\${NAME:?its name there}" ${unmark}`
      : `once you know whether "${name}" is there and is this one: ${annotate} ${unmark}`;
  return (
    `${undeterminedSentence} - remove the ${externalCreatePending} annotation if it is safe to proceed: ` +
    `look for it in the external system; ${how}`
  );
}

/** A decision before the external system is called. */
export type FirstDecision =
  | { readonly name: 'ResourceGone'; readonly act: 'nothing' }
  | { readonly name: 'Paused'; readonly act: 'pause'; readonly message: string }
  | { readonly name: 'UnsupportedPolicies'; readonly act: 'refuse'; readonly message: string }
  | { readonly name: 'CreationIncomplete'; readonly act: 'refuse'; readonly message: string }
  | { readonly name: 'AwaitEarlierRun'; readonly act: 'awaitOperation' }
  | { readonly name: 'OrphanExternal'; readonly act: 'orphan' }
  | { readonly name: 'Connect'; readonly act: 'connect' };

/** The facts before the external system is called. */
export interface FirstInput {
  readonly managed: Managed;
  /** An operation that outlived its run, as far as this process knows. */
  readonly operation?: TrackedOperation | undefined;
  /** An operation that the external system carries out. */
  readonly underWay?: ExternalOperation | undefined;
}

type DecideFirst = (input: FirstInput) => FirstDecision | undefined;

/** The finalizer comes before anything is created, so without it there is nothing to clean up. */
const resourceGone: DecideFirst = ({ managed }) =>
  wasDeleted(managed) && !hasFinalizer(managed, finalizerNames.managed)
    ? { name: 'ResourceGone', act: 'nothing' }
    : undefined;

const paused: DecideFirst = ({ managed }) => {
  if (!isPaused(managed) && !isPausedByPolicies(managed.spec)) return undefined;
  const by = isPaused(managed) ? `the ${annotationKeys.paused} annotation` : 'empty spec.managementPolicies';
  const held = wasDeleted(managed) ? '; deletion waits until it resumes' : '';
  return { name: 'Paused', act: 'pause', message: `reconciliation is paused by ${by}${held}` };
};

const unsupportedPolicies: DecideFirst = ({ managed }) => {
  const message = invalidPolicies(managed.spec);
  return message === undefined ? undefined : { name: 'UnsupportedPolicies', act: 'refuse', message };
};

/** A deletion waits too: an external resource cannot be deleted while it is being created, and must not be orphaned. */
const awaitEarlierRun: DecideFirst = ({ operation }) =>
  operation?.outcome.state === 'ongoing' ? { name: 'AwaitEarlierRun', act: 'awaitOperation' } : undefined;

const orphanExternal: DecideFirst = ({ managed }) =>
  wasDeleted(managed) && !shouldDelete(managed.spec) ? { name: 'OrphanExternal', act: 'orphan' } : undefined;

/** An operation that has ended, or can be asked about, will record its result. */
const creationIncomplete: DecideFirst = ({ managed, operation, underWay }) =>
  operation === undefined && underWay === undefined && isCreationIncomplete(managed)
    ? { name: 'CreationIncomplete', act: 'refuse', message: undetermined(managed) }
    : undefined;

/** Decides before the external system is called: the first check that matches decides. */
export const decideFirst = (input: FirstInput): FirstDecision =>
  firstMatch(input, firstChecks) ?? { name: 'Connect', act: 'connect' };

const firstChecks: readonly DecideFirst[] = [
  resourceGone,
  paused,
  unsupportedPolicies,
  awaitEarlierRun,
  orphanExternal,
  creationIncomplete,
];

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const accessDecisions = ['OtherSystem', 'Observe'] as const;
export type AccessDecisionName = (typeof accessDecisions)[number];

/** What to do once it is known which system the provider leads to. */
export type AccessDecision =
  | { readonly name: 'OtherSystem'; readonly act: 'reportElsewhere'; readonly message: string }
  | { readonly name: 'Observe'; readonly act: 'observe' };

/** `recorded` is what identifies the external resource; a system that says nothing of itself is always the same. */
export function decideAccess(recorded: Identity | undefined, system: string | undefined): AccessDecision {
  const { system: before, name = '' } = recorded ?? {};
  if (before === undefined || system === undefined || before === system)
    return { name: 'Observe', act: 'observe' };
  const message = `the provider leads to ${system} now, but external resource "${name}" is in ${before}; lead it back, or, if both are the same, set the annotation ${annotationKeys.adoptIdentity} to true`;
  return { name: 'OtherSystem', act: 'reportElsewhere', message };
}

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const operationDecisions = [
  'OperationUnderWay',
  'OperationDone',
  'OperationFailed',
  'OperationUnknown',
] as const;
export type OperationDecisionName = (typeof operationDecisions)[number];

/** What to do about an operation that the external system sees through. */
export type OperationDecision =
  | { readonly name: 'OperationUnderWay'; readonly act: 'await'; readonly message: string | undefined }
  | { readonly name: 'OperationDone'; readonly act: 'record'; readonly result: Created }
  | { readonly name: 'OperationFailed'; readonly act: 'report'; readonly error: Error }
  | { readonly name: 'OperationUnknown'; readonly act: 'lookAfter' };

/** `progress` is what the external system says of it. Throws a TypeError for what no client may say. */
export function decideOperation(progress: Progress): OperationDecision {
  switch (progress.state) {
    case 'running':
      return { name: 'OperationUnderWay', act: 'await', message: progress.message };
    case 'done': {
      const { state: _, ...result } = progress;
      return { name: 'OperationDone', act: 'record', result };
    }
    case 'failed':
      return { name: 'OperationFailed', act: 'report', error: progress.error };
    case 'unknown':
      return { name: 'OperationUnknown', act: 'lookAfter' };
    default:
      throw new TypeError('poll of the external client yields no state that an operation may have');
  }
}

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const nextDecisions = [
  'AwaitOperation',
  'CreationIncomplete',
  'ExternalMissing',
  'AwaitExternal',
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
  'ExternalBusy',
  'UpToDate',
  'UpdateNotAllowed',
  'AwaitEffect',
  'Update',
] as const;
export type NextDecisionName = (typeof nextDecisions)[number];

/** A line of the tables of a managed resource. */
export type ManagedDecisionName =
  | FirstDecisionName
  | AccessDecisionName
  | CredentialDecisionName
  | OperationDecisionName
  | NextDecisionName;

/** A decision after the external resource was observed. */
export type NextDecision =
  | { readonly name: 'AwaitOperation'; readonly act: 'awaitOperation' }
  | { readonly name: 'CreationIncomplete'; readonly act: 'reportUndetermined'; readonly message: string }
  | { readonly name: 'ExternalMissing'; readonly act: 'reportMissing' }
  | { readonly name: 'AwaitExternal'; readonly act: 'awaitExistence' }
  | { readonly name: 'RemoveFinalizer'; readonly act: 'finalise' }
  | { readonly name: 'ConfirmAbsence'; readonly act: 'observeAgain' }
  | { readonly name: 'IdentityEdited'; readonly act: 'takeUpEdit' }
  | { readonly name: 'CreateNotAllowed'; readonly act: 'reportUncreated' }
  | { readonly name: 'CreationRefused'; readonly act: 'refuseCreation'; readonly message: string }
  | { readonly name: 'CreateExternal'; readonly act: 'create' }
  | { readonly name: 'Recreate'; readonly act: 'recreate' }
  | { readonly name: 'ExternalLost'; readonly act: 'reportLost' }
  | { readonly name: 'AwaitDeletion'; readonly act: 'awaitDeletion' }
  | { readonly name: 'DeleteExternal'; readonly act: 'delete' }
  | { readonly name: 'LateInitialize'; readonly act: 'lateInitialize' }
  | { readonly name: 'ExternalBusy' | 'UpToDate' | 'UpdateNotAllowed'; readonly act: 'reportUpToDate' }
  | { readonly name: 'AwaitEffect'; readonly act: 'awaitEffect' }
  | { readonly name: 'Update'; readonly act: 'update' };

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
 * The external system accepted our request to delete it, or said itself that it is deleting it: then absence was
 * expected. The conditions say so, and outlive the process.
 */
function isDeletionUnderWay({ status }: Managed): boolean {
  const [ready, synced] = [
    getCondition(status?.conditions, 'Ready'),
    getCondition(status?.conditions, 'Synced'),
  ];
  return ready.reason === 'Deleting' && ready.message === undefined && synced.status === 'True';
}

/** It existed once, or was ready before that was recorded. */
const wasSeen = ({ metadata, status }: Managed): boolean =>
  status?.externalIdentity !== undefined ||
  (status?.bindingPhase !== undefined &&
    metadata.annotations?.[annotationKeys.externalIdentity] === undefined);

/**
 * It was created under a name that the external system assigned, and no observation has shown it yet. The clock may have
 * been set since, so that observations must have found nothing for as long as it may be hidden.
 */
const isCreatedUnseen = (managed: Managed): boolean =>
  !wasSeen(managed) && isCreationRecorded(managed) && externalName(managed) !== undefined;

/** A claim waits for it. Late initialization takes two writes, and can wait until the claim is bound. */
const isAwaited = ({ spec, status }: Managed): boolean =>
  spec.claimRef !== undefined && status?.bindingPhase !== 'Bound' && status?.bindingPhase !== 'Released';

const isCertain = ({ absentForMs, confirmMs }: NextInput): boolean => absentForMs >= confirmMs;
const confirmAbsence: NextDecision = { name: 'ConfirmAbsence', act: 'observeAgain' };

/** The operation will create it, and it must not be created twice; or it will show soon. */
const mayBeHidden: DecideNext = (input) => {
  const { managed, graceMs, now, isNameKnown, absentForMs, underWay } = input;
  if (underWay !== undefined) return { name: 'AwaitOperation', act: 'awaitOperation' };
  if (isCreationIncomplete(managed)) {
    return { name: 'CreationIncomplete', act: 'reportUndetermined', message: undetermined(managed) };
  }
  if (shouldOnlyObserve(managed.spec) && !wasDeleted(managed)) {
    return { name: 'ExternalMissing', act: 'reportMissing' };
  }
  const isHidden = isNameKnown
    ? isBeingCreated(managed, graceMs, now)
    : isInCreationGrace(managed, graceMs, now) || (isCreatedUnseen(managed) && absentForMs < graceMs);
  return isHidden ? { name: 'AwaitExternal', act: 'awaitExistence' } : undefined;
};

const deletedAndAbsent: DecideNext = (input) => {
  const { managed } = input;
  if (!wasDeleted(managed)) return undefined;
  return isCertain(input) || isDeletionUnderWay(managed)
    ? { name: 'RemoveFinalizer', act: 'finalise' }
    : confirmAbsence;
};

/** The recorded external resource does not exist, so that the edited identity counts. */
const identityEdited: DecideNext = (input) => {
  if (!input.isEdited) return undefined;
  return isCertain(input) ? { name: 'IdentityEdited', act: 'takeUpEdit' } : confirmAbsence;
};

const mustNotBeCreated: DecideNext = ({ managed, observed, uncreatable = observed.uncreatable }) => {
  if (!shouldCreate(managed.spec)) return { name: 'CreateNotAllowed', act: 'reportUncreated' };
  return uncreatable === undefined
    ? undefined
    : { name: 'CreationRefused', act: 'refuseCreation', message: uncreatable };
};

const neverSeen: DecideNext = ({ managed }) =>
  wasSeen(managed) ? undefined : { name: 'CreateExternal', act: 'create' };

/** A second one with an assigned name would hide the first for good, if that exists after all. */
const seenBefore: DecideNext = (input) => {
  const { managed, isNameKnown } = input;
  if (!isCertain(input)) return confirmAbsence;
  return isNameKnown || externalName(managed) === undefined || isCreationFailed(managed)
    ? { name: 'Recreate', act: 'recreate' }
    : { name: 'ExternalLost', act: 'reportLost' };
};

const absent: readonly DecideNext[] = [
  mayBeHidden,
  deletedAndAbsent,
  identityEdited,
  mustNotBeCreated,
  neverSeen,
  seenBefore,
];

const deletedAndPresent: DecideNext = ({ managed, observed, underWay, ended }) => {
  if (!wasDeleted(managed)) return undefined;
  if (underWay === 'create') return { name: 'AwaitOperation', act: 'awaitOperation' };
  const isBegun = underWay === 'delete' || observed.operation === 'delete' || ended === 'delete';
  return isBegun
    ? { name: 'AwaitDeletion', act: 'awaitDeletion' }
    : { name: 'DeleteExternal', act: 'delete' };
};

const lateInitialize: DecideNext = ({ managed, observed }) =>
  observed.lateInitialized !== undefined && shouldLateInitialize(managed.spec) && !isAwaited(managed)
    ? { name: 'LateInitialize', act: 'lateInitialize' }
    : undefined;

const busy: DecideNext = ({ observed, underWay }) =>
  (underWay ?? observed.operation) === undefined
    ? undefined
    : { name: 'ExternalBusy', act: 'reportUpToDate' };

const upToDate: DecideNext = ({ observed, isCredentialDue }) =>
  observed.isUpToDate && !isCredentialDue ? { name: 'UpToDate', act: 'reportUpToDate' } : undefined;

const updateNotAllowed: DecideNext = ({ managed }) =>
  shouldUpdate(managed.spec) ? undefined : { name: 'UpdateNotAllowed', act: 'reportUpToDate' };

/** The update may not show yet, or may never, and must not be repeated without a pause. */
const awaitEffect: DecideNext = ({ ended }) =>
  ended === 'update' ? { name: 'AwaitEffect', act: 'awaitEffect' } : undefined;

const present: readonly DecideNext[] = [
  deletedAndPresent,
  lateInitialize,
  busy,
  upToDate,
  updateNotAllowed,
  awaitEffect,
];

/** Decides after the external resource was observed: the first check that matches decides. */
export const decideNext = (input: NextInput): NextDecision =>
  input.observed.exists
    ? (firstMatch(input, present) ?? { name: 'Update', act: 'update' })
    : (firstMatch(input, absent) ?? confirmAbsence);
