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

/** The rows of this decision in docs/decision-tables.md, in their order. */
export const firstRows = ['1', '2', '3', 'async', '4 unfinalised', '6', '8', '10'] as const;
export type FirstRow = (typeof firstRows)[number];

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

/** What to do before the external system is asked; `row` is the line in docs/decision-tables.md. */
export type FirstDecision =
  | { readonly row: '1' | '4 unfinalised'; readonly act: 'nothing' }
  | { readonly row: '2'; readonly act: 'pause'; readonly message: string }
  | { readonly row: '3' | '8'; readonly act: 'refuse'; readonly message: string }
  | { readonly row: 'async'; readonly act: 'awaitOperation' }
  | { readonly row: '6'; readonly act: 'orphan' }
  | { readonly row: '10'; readonly act: 'connect' };

/**
 * `operation` is what this process still knows of an operation that outlived its run, `underWay` one that the external
 * system sees through.
 */
export function decideFirst(
  managed: Managed | undefined,
  operation?: TrackedOperation,
  underWay?: ExternalOperation,
): FirstDecision {
  if (managed === undefined) return { row: '1', act: 'nothing' };
  const held = wasDeleted(managed) ? '; deletion waits until it resumes' : '';
  if (isPaused(managed)) {
    return {
      row: '2',
      act: 'pause',
      message: `reconciliation is paused by the ${annotationKeys.paused} annotation${held}`,
    };
  }
  if (isPausedByPolicies(managed.spec)) {
    return {
      row: '2',
      act: 'pause',
      message: `reconciliation is paused by empty spec.managementPolicies${held}`,
    };
  }
  const invalid = invalidPolicies(managed.spec);
  if (invalid !== undefined) return { row: '3', act: 'refuse', message: invalid };
  // Deletion waits too: what is being created cannot be deleted, and must not be forgotten.
  if (operation?.outcome.state === 'ongoing') return { row: 'async', act: 'awaitOperation' };
  if (wasDeleted(managed)) {
    // The finalizer comes before anything is created, so without it there is nothing to clean up.
    if (!hasFinalizer(managed, finalizerNames.managed)) return { row: '4 unfinalised', act: 'nothing' };
    if (!shouldDelete(managed.spec)) return { row: '6', act: 'orphan' };
  }
  // An operation that has settled, or can be asked about, is about to record its result.
  const isAnswered = operation !== undefined || underWay !== undefined;
  if (!isAnswered && isCreationIncomplete(managed)) {
    return { row: '8', act: 'refuse', message: undetermined(managed) };
  }
  return { row: '10', act: 'connect' };
}

/** The rows of this decision in docs/decision-tables.md, in their order. */
export const overtakenRows = ['1 awaited', '1 taken up', '1 overtaken'] as const;
export type OvertakenRow = (typeof overtakenRows)[number];

/** What to do about one that is gone though it held our finalizer. */
export type OvertakenDecision =
  | { readonly row: '1 awaited'; readonly act: 'wait' }
  | { readonly row: '1 taken up'; readonly act: 'forget' }
  | { readonly row: '1 overtaken'; readonly act: 'delete' };

/**
 * `heir` is what has its name now. The finalizer comes before anything outside is anybody's; and whose a thing is outside
 * is marked there by kind and name, so that an heir may take for its own what the first one made.
 */
export function decideOvertaken(
  left: Managed,
  heir: Managed | undefined,
  identity: IdentityContext,
): OvertakenDecision {
  if (heir === undefined) return { row: '1 overtaken', act: 'delete' };
  if (heir.metadata.uid === left.metadata.uid) return { row: '1 taken up', act: 'forget' };
  if (!hasFinalizer(heir, finalizerNames.managed)) return { row: '1 awaited', act: 'wait' };
  const isTakenUp = isOneExternal(identity, left, heir);
  if (isTakenUp === undefined) return { row: '1 awaited', act: 'wait' };
  return isTakenUp ? { row: '1 taken up', act: 'forget' } : { row: '1 overtaken', act: 'delete' };
}

/** The rows of this decision in docs/decision-tables.md, in their order. */
export const accessRows = ['10 elsewhere', '11'] as const;
export type AccessRow = (typeof accessRows)[number];

/** What to do once it is known which system the provider leads to. */
export type AccessDecision =
  | { readonly row: '10 elsewhere'; readonly act: 'reportElsewhere'; readonly message: string }
  | { readonly row: '11'; readonly act: 'observe' };

/** `recorded` is what identifies the external resource; a system that says nothing of itself is always the same. */
export function decideAccess(recorded: Identity | undefined, system: string | undefined): AccessDecision {
  const { system: before, name = '' } = recorded ?? {};
  if (before === undefined || system === undefined || before === system) return { row: '11', act: 'observe' };
  const message = `the provider leads to ${system} now, but external resource "${name}" is in ${before}; lead it back, or, if both are the same, set the annotation ${annotationKeys.adoptIdentity} to true`;
  return { row: '10 elsewhere', act: 'reportElsewhere', message };
}

/** The rows of this decision in docs/decision-tables.md, in their order. */
export const operationRows = ['11 under way', '11 done', '11 failed', '11 forgotten'] as const;
export type OperationRow = (typeof operationRows)[number];

/** What to do about an operation that the external system sees through. */
export type OperationDecision =
  | { readonly row: '11 under way'; readonly act: 'await'; readonly message: string | undefined }
  | { readonly row: '11 done'; readonly act: 'record'; readonly result: Created }
  | { readonly row: '11 failed'; readonly act: 'report'; readonly error: Error }
  | { readonly row: '11 forgotten'; readonly act: 'lookAfter' };

/** `progress` is what the external system says of it. Throws a TypeError for what no client may say. */
export function decideOperation(progress: Progress): OperationDecision {
  switch (progress.state) {
    case 'running':
      return { row: '11 under way', act: 'await', message: progress.message };
    case 'done': {
      const { state: _, ...result } = progress;
      return { row: '11 done', act: 'record', result };
    }
    case 'failed':
      return { row: '11 failed', act: 'report', error: progress.error };
    case 'unknown':
      return { row: '11 forgotten', act: 'lookAfter' };
    default:
      throw new TypeError('poll of the external client yields no state that an operation may have');
  }
}

/** The rows of this decision in docs/decision-tables.md, in their order. */
export const nextRows = [
  '13 async',
  '8 forgotten',
  '12',
  '13',
  '18',
  '18 unsure',
  'edited',
  '28 absent',
  '25',
  '25 refused',
  '25 held',
  '25 unsure',
  '25 lost',
  '25 again',
  '15 pending',
  '15 async',
  '15',
  '15 done',
  '26',
  '27 async',
  '27',
  '31',
  '31 done',
  '31 elsewhere',
  '28',
] as const;
export type NextRow = (typeof nextRows)[number];

/** A line of the table. */
export type ManagedRow = FirstRow | OvertakenRow | AccessRow | OperationRow | NextRow;

/** What to do once the external resource was looked at. */
export type NextDecision =
  | { readonly row: '13 async' | '15 pending'; readonly act: 'awaitOperation' }
  | { readonly row: '8 forgotten'; readonly act: 'reportUndetermined'; readonly message: string }
  | { readonly row: '12'; readonly act: 'reportMissing' }
  | { readonly row: '13'; readonly act: 'awaitExistence' }
  | { readonly row: '18'; readonly act: 'finalise' }
  | { readonly row: '18 unsure' | '25 unsure'; readonly act: 'lookAgain' }
  | { readonly row: 'edited'; readonly act: 'takeUpEdit' }
  | { readonly row: '28 absent'; readonly act: 'reportUncreated' }
  | { readonly row: '25 refused'; readonly act: 'refuseCreation'; readonly message: string }
  | { readonly row: '25 held'; readonly act: 'awaitOther' }
  | { readonly row: '25'; readonly act: 'create' }
  | { readonly row: '25 again'; readonly act: 'recreate' }
  | { readonly row: '25 lost'; readonly act: 'reportLost' }
  | { readonly row: '15 async' | '15 done'; readonly act: 'awaitDeletion' }
  | { readonly row: '15'; readonly act: 'delete' }
  | { readonly row: '26'; readonly act: 'lateInitialize' }
  | { readonly row: '27 async' | '27' | '28'; readonly act: 'reportUpToDate' }
  | { readonly row: '31'; readonly act: 'update' }
  | { readonly row: '31 done'; readonly act: 'awaitEffect' }
  | { readonly row: '31 elsewhere'; readonly act: 'awaitRenewal' };

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
    if (underWay !== undefined) return { row: '13 async', act: 'awaitOperation' };
    if (isCreationIncomplete(managed)) {
      return { row: '8 forgotten', act: 'reportUndetermined', message: undetermined(managed) };
    }
    if (shouldOnlyObserve(spec) && !wasDeleted(managed)) return { row: '12', act: 'reportMissing' };
    const mayBeHidden = isNameKnown
      ? isBeingCreated(managed, graceMs, now)
      : isInCreationGrace(managed, graceMs, now) || (isMadeUnseen(managed) && absentForMs < graceMs);
    if (mayBeHidden) return { row: '13', act: 'awaitExistence' };
    const isCertain = absentForMs >= confirmMs;
    if (wasDeleted(managed)) {
      return isCertain || isDeletionUnderWay(managed)
        ? { row: '18', act: 'finalise' }
        : { row: '18 unsure', act: 'lookAgain' };
    }
    // What was recorded is gone: it holds nothing back any more.
    if (isEdited)
      return isCertain ? { row: 'edited', act: 'takeUpEdit' } : { row: '25 unsure', act: 'lookAgain' };
    if (!shouldCreate(spec)) return { row: '28 absent', act: 'reportUncreated' };
    if (uncreatable !== undefined) {
      return { row: '25 refused', act: 'refuseCreation', message: uncreatable };
    }
    if (isBeingDeleted) return { row: '25 held', act: 'awaitOther' };
    if (!wasSeen(managed)) return { row: '25', act: 'create' };
    if (!isCertain) return { row: '25 unsure', act: 'lookAgain' };
    // A second one of a name of its own would hide the first for good, if that is there after all.
    return isNameKnown || externalName(managed) === undefined || isCreationFailed(managed)
      ? { row: '25 again', act: 'recreate' }
      : { row: '25 lost', act: 'reportLost' };
  }
  if (wasDeleted(managed)) {
    if (underWay === 'create') return { row: '15 pending', act: 'awaitOperation' };
    if (underWay === 'delete' || observed.operation === 'delete') {
      return { row: '15 async', act: 'awaitDeletion' };
    }
    return ended === 'delete' ? { row: '15 done', act: 'awaitDeletion' } : { row: '15', act: 'delete' };
  }
  if (observed.lateInitialized !== undefined && shouldLateInitialize(spec) && !isAwaited(managed)) {
    return { row: '26', act: 'lateInitialize' };
  }
  if ((underWay ?? observed.operation) !== undefined) return { row: '27 async', act: 'reportUpToDate' };
  if (observed.isUpToDate) return { row: '27', act: 'reportUpToDate' };
  if (!shouldUpdate(spec)) return { row: '28', act: 'reportUpToDate' };
  if (ended === 'update') return { row: '31 done', act: 'awaitEffect' };
  return isContested || (observed.setsCredentials && isRenewedElsewhere)
    ? { row: '31 elsewhere', act: 'awaitRenewal' }
    : { row: '31', act: 'update' };
}
