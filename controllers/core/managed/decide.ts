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
import type { Created, Observation, OperationType, Progress } from './external-client.ts';
import type { IdentityContext } from './identity.ts';
import { isOneExternal } from './identity.ts';

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const firstDecisions = [
  'ResourceGone',
  'Paused',
  'UnsupportedPolicies',
  'AwaitEarlierRun',
  'NothingCreated',
  'OrphanExternal',
  'CreationIncomplete',
  'Connect',
] as const;
export type FirstDecisionName = (typeof firstDecisions)[number];

/** Crossplane's sentence begins so. */
const undeterminedSentence = 'cannot determine creation result';

/** It waits for somebody to find out what became of its creation, and says so. */
export const isSaidUndetermined = (managed: Managed): boolean =>
  isCreationIncomplete(managed) &&
  getCondition(managed.status?.conditions, 'Synced').message?.startsWith(undeterminedSentence) === true;

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

/** What to do before the external system is asked; `name` is the line in docs/decision-tables.md. */
export type FirstDecision =
  | { readonly name: 'ResourceGone' | 'NothingCreated'; readonly act: 'nothing' }
  | { readonly name: 'Paused'; readonly act: 'pause'; readonly message: string }
  | {
      readonly name: 'UnsupportedPolicies' | 'CreationIncomplete';
      readonly act: 'refuse';
      readonly message: string;
    }
  | { readonly name: 'AwaitEarlierRun'; readonly act: 'awaitOperation' }
  | { readonly name: 'OrphanExternal'; readonly act: 'orphan' }
  | { readonly name: 'Connect'; readonly act: 'connect' };

/**
 * `operation` is what this process still knows of an operation that outlived its run, `underWay` one that the external
 * system sees through.
 */
export function decideFirst(
  managed: Managed | undefined,
  operation?: TrackedOperation,
  underWay?: ExternalOperation,
): FirstDecision {
  if (managed === undefined) return { name: 'ResourceGone', act: 'nothing' };
  const held = wasDeleted(managed) ? '; deletion waits until it resumes' : '';
  if (isPaused(managed)) {
    return {
      name: 'Paused',
      act: 'pause',
      message: `reconciliation is paused by the ${annotationKeys.paused} annotation${held}`,
    };
  }
  if (isPausedByPolicies(managed.spec)) {
    return {
      name: 'Paused',
      act: 'pause',
      message: `reconciliation is paused by empty spec.managementPolicies${held}`,
    };
  }
  const invalid = invalidPolicies(managed.spec);
  if (invalid !== undefined) return { name: 'UnsupportedPolicies', act: 'refuse', message: invalid };
  // Deletion waits too: what is being created cannot be deleted, and must not be forgotten.
  if (operation?.outcome.state === 'ongoing') return { name: 'AwaitEarlierRun', act: 'awaitOperation' };
  if (wasDeleted(managed)) {
    // The finalizer comes before anything is created, so without it there is nothing to clean up.
    if (!hasFinalizer(managed, finalizerNames.managed)) return { name: 'NothingCreated', act: 'nothing' };
    if (!shouldDelete(managed.spec)) return { name: 'OrphanExternal', act: 'orphan' };
  }
  // An operation that has settled, or can be asked about, is about to record its result.
  const isAnswered = operation !== undefined || underWay !== undefined;
  if (!isAnswered && isCreationIncomplete(managed)) {
    return { name: 'CreationIncomplete', act: 'refuse', message: undetermined(managed) };
  }
  return { name: 'Connect', act: 'connect' };
}

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const overtakenDecisions = ['AwaitSuccessor', 'StillManaged', 'FinishDeletion'] as const;
export type OvertakenDecisionName = (typeof overtakenDecisions)[number];

/** What to do about one that is gone though it held our finalizer. */
export type OvertakenDecision =
  | { readonly name: 'AwaitSuccessor'; readonly act: 'wait' }
  | { readonly name: 'StillManaged'; readonly act: 'forget' }
  | { readonly name: 'FinishDeletion'; readonly act: 'delete' };

/**
 * `heir` is what has its name now. The finalizer comes before anything outside is anybody's; and whose a thing is outside
 * is marked there by kind and name, so that an heir may take for its own what the first one made.
 */
export function decideOvertaken(
  left: Managed,
  heir: Managed | undefined,
  identity: IdentityContext,
): OvertakenDecision {
  if (heir === undefined) return { name: 'FinishDeletion', act: 'delete' };
  if (heir.metadata.uid === left.metadata.uid) return { name: 'StillManaged', act: 'forget' };
  if (!hasFinalizer(heir, finalizerNames.managed)) return { name: 'AwaitSuccessor', act: 'wait' };
  const isTakenUp = isOneExternal(identity, left, heir);
  if (isTakenUp === undefined) return { name: 'AwaitSuccessor', act: 'wait' };
  return isTakenUp ? { name: 'StillManaged', act: 'forget' } : { name: 'FinishDeletion', act: 'delete' };
}

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
  'CreationResultLost',
  'ExternalMissing',
  'AwaitExternal',
  'RemoveFinalizer',
  'ConfirmGone',
  'IdentityEdited',
  'CreateNotAllowed',
  'CreateExternal',
  'CreationRefused',
  'AwaitOtherDeletion',
  'ConfirmAbsent',
  'ExternalLost',
  'Recreate',
  'AwaitCreation',
  'AwaitDeletion',
  'DeleteExternal',
  'DeletionDone',
  'LateInitialize',
  'ExternalBusy',
  'UpToDate',
  'Update',
  'UpdateDone',
  'CredentialsSetElsewhere',
  'UpdateNotAllowed',
] as const;
export type NextDecisionName = (typeof nextDecisions)[number];

/** A line of the table. */
export type ManagedDecisionName =
  | FirstDecisionName
  | OvertakenDecisionName
  | AccessDecisionName
  | OperationDecisionName
  | NextDecisionName;

/** What to do once the external resource was looked at. */
export type NextDecision =
  | { readonly name: 'AwaitOperation' | 'AwaitCreation'; readonly act: 'awaitOperation' }
  | { readonly name: 'CreationResultLost'; readonly act: 'reportUndetermined'; readonly message: string }
  | { readonly name: 'ExternalMissing'; readonly act: 'reportMissing' }
  | { readonly name: 'AwaitExternal'; readonly act: 'awaitExistence' }
  | { readonly name: 'RemoveFinalizer'; readonly act: 'finalise' }
  | { readonly name: 'ConfirmGone' | 'ConfirmAbsent'; readonly act: 'lookAgain' }
  | { readonly name: 'IdentityEdited'; readonly act: 'takeUpEdit' }
  | { readonly name: 'CreateNotAllowed'; readonly act: 'reportUncreated' }
  | { readonly name: 'CreationRefused'; readonly act: 'refuseCreation'; readonly message: string }
  | { readonly name: 'AwaitOtherDeletion'; readonly act: 'awaitOther' }
  | { readonly name: 'CreateExternal'; readonly act: 'create' }
  | { readonly name: 'Recreate'; readonly act: 'recreate' }
  | { readonly name: 'ExternalLost'; readonly act: 'reportLost' }
  | { readonly name: 'AwaitDeletion' | 'DeletionDone'; readonly act: 'awaitDeletion' }
  | { readonly name: 'DeleteExternal'; readonly act: 'delete' }
  | { readonly name: 'LateInitialize'; readonly act: 'lateInitialize' }
  | { readonly name: 'ExternalBusy' | 'UpToDate' | 'UpdateNotAllowed'; readonly act: 'reportUpToDate' }
  | { readonly name: 'Update'; readonly act: 'update' }
  | { readonly name: 'UpdateDone'; readonly act: 'awaitEffect' }
  | { readonly name: 'CredentialsSetElsewhere'; readonly act: 'awaitRenewal' };

/** What decides beside the resource and what was observed of it. */
export interface NextContext {
  /** How long what was created may not show; 0: it shows at once. */
  readonly graceMs: number;
  /** When the look was begun: what it found is judged by how things stood then. */
  readonly now: Date;
  /** The external name is known before creation, so that no annotations track it. */
  readonly isNameKnown: boolean;
  /** For how long looks must have found nothing before it counts; 0: one look will do. */
  readonly confirmMs: number;
  /** For how long they have. */
  readonly absentForMs?: number | undefined;
  /** What identifies the external resource was edited since it was recorded. */
  readonly isEdited: boolean;
  /** Another process said a moment ago that it is about to set credentials. */
  readonly isRenewedElsewhere?: boolean;
  /** Another process has set credentials at the same time, and is left to set others. */
  readonly isContested?: boolean;
  /** What an operation that the external system sees through is about, while it is under way. */
  readonly underWay?: OperationType | undefined;
  /** What one was about that has ended as it should since the last look, or is not known any more: it may not show yet. */
  readonly ended?: OperationType | undefined;
  /** A call of this process is deleting what another resource has under the same name outside. */
  readonly isBeingDeleted?: boolean;
  /** Why none is to be made, whatever the external client says; undefined: that is for the client to say. */
  readonly uncreatable?: string | undefined;
}

/**
 * The external system took our request to delete it, or said itself that it is deleting it: then absence is what was to
 * come. The conditions say so without a message, and outlive the process.
 */
function isDeletionUnderWay({ status }: Managed): boolean {
  const [ready, synced] = [
    getCondition(status?.conditions, 'Ready'),
    getCondition(status?.conditions, 'Synced'),
  ];
  return ready.reason === 'Deleting' && ready.message === undefined && synced.status === 'True';
}

/** It was there once, or ready before that was recorded. */
const wasSeen = ({ metadata, status }: Managed): boolean =>
  status?.externalIdentity !== undefined ||
  (status?.bindingPhase !== undefined &&
    metadata.annotations?.[annotationKeys.externalIdentity] === undefined);

/**
 * It was made under a name that the external system gave it, and no look has shown it yet. The clock on the wall may have
 * been set since, so that looks must have found nothing for as long as it may be hidden.
 */
const isMadeUnseen = (managed: Managed): boolean =>
  !wasSeen(managed) && isCreationRecorded(managed) && externalName(managed) !== undefined;

/** A claim waits for it. What can wait until it is bound is done then: filling in fields takes two writes. */
const isAwaited = ({ spec, status }: Managed): boolean =>
  spec.claimRef !== undefined && status?.bindingPhase !== 'Bound' && status?.bindingPhase !== 'Released';

export function decideNext(
  managed: Managed,
  observed: Observation,
  {
    graceMs,
    now,
    isNameKnown,
    confirmMs,
    absentForMs = 0,
    isEdited,
    isRenewedElsewhere,
    isContested,
    underWay,
    ended,
    isBeingDeleted,
    uncreatable = observed.uncreatable,
  }: NextContext,
): NextDecision {
  const { spec } = managed;
  if (!observed.exists) {
    // What it will leave behind is to be found, and not to be made twice.
    if (underWay !== undefined) return { name: 'AwaitOperation', act: 'awaitOperation' };
    if (isCreationIncomplete(managed)) {
      return { name: 'CreationResultLost', act: 'reportUndetermined', message: undetermined(managed) };
    }
    if (shouldOnlyObserve(spec) && !wasDeleted(managed))
      return { name: 'ExternalMissing', act: 'reportMissing' };
    const mayBeHidden = isNameKnown
      ? isBeingCreated(managed, graceMs, now)
      : isInCreationGrace(managed, graceMs, now) || (isMadeUnseen(managed) && absentForMs < graceMs);
    if (mayBeHidden) return { name: 'AwaitExternal', act: 'awaitExistence' };
    const isCertain = absentForMs >= confirmMs;
    if (wasDeleted(managed)) {
      return isCertain || isDeletionUnderWay(managed)
        ? { name: 'RemoveFinalizer', act: 'finalise' }
        : { name: 'ConfirmGone', act: 'lookAgain' };
    }
    // What was recorded is gone: it holds nothing back any more.
    if (isEdited)
      return isCertain
        ? { name: 'IdentityEdited', act: 'takeUpEdit' }
        : { name: 'ConfirmAbsent', act: 'lookAgain' };
    if (!shouldCreate(spec)) return { name: 'CreateNotAllowed', act: 'reportUncreated' };
    if (uncreatable !== undefined) {
      return { name: 'CreationRefused', act: 'refuseCreation', message: uncreatable };
    }
    if (isBeingDeleted) return { name: 'AwaitOtherDeletion', act: 'awaitOther' };
    if (!wasSeen(managed)) return { name: 'CreateExternal', act: 'create' };
    if (!isCertain) return { name: 'ConfirmAbsent', act: 'lookAgain' };
    // A second one of a name of its own would hide the first for good, if that is there after all.
    return isNameKnown || externalName(managed) === undefined || isCreationFailed(managed)
      ? { name: 'Recreate', act: 'recreate' }
      : { name: 'ExternalLost', act: 'reportLost' };
  }
  if (wasDeleted(managed)) {
    if (underWay === 'create') return { name: 'AwaitCreation', act: 'awaitOperation' };
    if (underWay === 'delete' || observed.operation === 'delete') {
      return { name: 'AwaitDeletion', act: 'awaitDeletion' };
    }
    return ended === 'delete'
      ? { name: 'DeletionDone', act: 'awaitDeletion' }
      : { name: 'DeleteExternal', act: 'delete' };
  }
  if (observed.lateInitialized !== undefined && shouldLateInitialize(spec) && !isAwaited(managed)) {
    return { name: 'LateInitialize', act: 'lateInitialize' };
  }
  if ((underWay ?? observed.operation) !== undefined) return { name: 'ExternalBusy', act: 'reportUpToDate' };
  if (observed.isUpToDate) return { name: 'UpToDate', act: 'reportUpToDate' };
  if (!shouldUpdate(spec)) return { name: 'UpdateNotAllowed', act: 'reportUpToDate' };
  if (ended === 'update') return { name: 'UpdateDone', act: 'awaitEffect' };
  return isContested || (observed.setsCredentials && isRenewedElsewhere)
    ? { name: 'CredentialsSetElsewhere', act: 'awaitRenewal' }
    : { name: 'Update', act: 'update' };
}
