import compact from 'lodash/compact.js';
import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import {
  creating,
  deleting,
  getCondition,
  reconcileError,
  reconcilePaused,
  reconcileSuccess,
  unavailable,
  unknown,
  withError,
} from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import { normal, warning } from '../../../runtime/events/event-facts.ts';
import { claimText, isOfPerson } from '../../credential.ts';
import type { ConditionError } from '../../error-class.ts';
import { lossOf } from '../../external-loss.ts';
import { howToAllowUpdate, shouldOnlyObserve, shouldUpdate } from '../../management-policies.ts';
import { failureReport } from '../../outcome.ts';
import { isRetentionIdle, isReturnable } from '../../retention.ts';
import type { StepFailure } from '../../step-failure.ts';
import { isAdopting, mustExist } from '../recording/identity.ts';
import type { CredentialState } from './credential-state.ts';
import { credentialState } from './credential-state.ts';
import { whyCredentialStays } from './decide-credential.ts';
import type { Decision, LastDecisionName, ManagedDecisionName } from './decision.ts';
import { missing } from './events.ts';
import type { Facts } from './facts.ts';
import { appliedCredential, found, hasDone, isBusy, isCredentialDue, isFinalised } from './facts.ts';
import type { Next } from './next.ts';

/** A report before its texts are complete. */
export interface Outline {
  /** Absent: the status stays as it is, and the Event is recorded. */
  readonly synced?: ConditionFacts;
  /** Absent: Ready stays as it is. */
  readonly ready?: ConditionFacts | undefined;
  readonly event?: EventFacts | undefined;
  /** The external system accepted or reported the deletion, so that one observation proves the absence. */
  readonly deletionAccepted?: true;
  /** The keys of annotations that have had their effect. The run removes them after it has written the status. */
  readonly used?: readonly string[];
  readonly next: Next;
  /** The failure of the run. A silent one is thrown, so that the object is requeued without a report. */
  readonly failure?: StepFailure | undefined;
}

/** Pure. The outline of the last decision of a run: this list is the table in docs/decision-tables.md. */
export function outlineOf(facts: Facts, { name, message = '', failure }: Decision): Outline {
  if (failure !== undefined) return failedOutline(facts, failure);
  const report = name && reports[name];
  if (report === undefined) throw new Error(`the decision ${name} does not end a run`);
  return report(facts, message);
}

const awaitingExternal = 'Waiting for external resource existence to be confirmed';
const otherSystem: ConditionError = { class: 'OtherSystem' };
const externalMissing: ConditionError = { class: 'ExternalMissing' };

const synced = (ready: ConditionFacts | undefined, next: Next, message?: string): Outline => ({
  synced: reconcileSuccess(message),
  ready,
  next,
});

/** Synced False and a Warning Event, both with this message. */
const refused = (
  reason: string,
  message: string,
  next: Next,
  { ready, error }: { readonly ready?: ConditionFacts | undefined; readonly error?: ConditionError } = {},
): Outline => ({ synced: reconcileError(message, error), ready, event: warning(reason, message), next });

/** The external resource does not exist under its name. */
const lost = (message: string, error: ConditionError): Outline =>
  refused('LostExternalResource', message, 'poll', { ready: withError(unavailable(message), error), error });

const errorOfLoss = (
  errorClass: 'ExternalMissing' | 'ExternalRenamed',
  latest: Facts['latest'],
): ConditionError => {
  const { taken, takenBy: by = 'AnotherResource' } = latest?.observation ?? {};
  return { class: errorClass, ...(taken !== undefined && { holder: { by } }) };
};

/** The outline of a step that failed. */
export function failedOutline({ managed }: Facts, failure: StepFailure): Outline {
  if (failure.isSilent) return { next: 'event', failure };
  const { synced, ready = wasDeleted(managed) ? deleting() : undefined, event } = failureReport(failure);
  return { synced, ready, event, next: 'backOff', failure };
}

const gone = (): Outline => ({ next: 'event' });

type Reports<Name extends ManagedDecisionName> = Readonly<
  Record<Name, (facts: Facts, message: string) => Outline>
>;

const reports: Reports<LastDecisionName> & Partial<Reports<ManagedDecisionName>> = {
  ResourceGone: gone,
  Paused: (_, message) => ({
    synced: reconcilePaused(message),
    event: normal('ReconciliationPaused', message),
    next: 'event',
  }),
  UnsupportedPolicies: (_, message) => refused('CannotUseInvalidManagementPolicy', message, 'event'),
  OrphanExternal: gone,
  /** Waits for an administrator. Polls, to repeat a write of this status if its answer was lost. */
  CreationIncomplete: (_, message) =>
    refused('CannotInitializeManagedResource', message, 'poll', { ready: creating() }),
  /** Waits until a user corrects the provider. Polls, because changed credentials cause no event. */
  OtherSystem: ({ managed }, message) =>
    refused('CannotConnectToProvider', message, 'poll', {
      ready: wasDeleted(managed) ? deleting() : withError(unknown('OtherSystem', message), otherSystem),
      error: otherSystem,
    }),
  AwaitOperation(facts) {
    const { type = 'create' } = facts.operation.underWay ?? {};
    if (type === 'delete') return reportLeaving();
    const arriving = type === 'create' ? creating() : undefined;
    const leaving = deleting(`waiting for its ${type} to end`);
    return synced(wasDeleted(facts.managed) ? leaving : arriving, 'progress');
  },
  /** The new external resource may not be visible yet. */
  AwaitExternal: () => ({
    event: normal('PendingExternalResource', awaitingExternal),
    next: 'backOff',
  }),
  /** An observe-only resource is absent (crossplane-runtime v2.4). */
  ExternalMissing({ managed }) {
    const name = externalName(managed);
    const message = name === undefined ? missing : `${missing} (${name})`;
    const ready = withError(unavailable(message), externalMissing);
    return refused('CannotObserveExternalResource', message, 'poll', { ready, error: externalMissing });
  },
  RemoveFinalizer: gone,
  ConfirmAbsence: ({ kind, latest }) => ({ next: kind.confirmAbsenceMs - (latest?.absentForMs ?? 0) }),
  /** The next run starts at once, and uses the edited identity. */
  IdentityEdited: () => ({ next: 0 }),
  CreateNotAllowed() {
    const message = `${missing}, and spec.managementPolicies do not allow Create; ${advice.allowCreate}`;
    return synced(withError(unavailable(message), externalMissing), 'poll');
  },
  CreationRefused: gone, // always a failure
  CreateExternal: reportCreated,
  Recreate: reportCreated,
  /** Another one is created only if an administrator allows it. Or another resource has its name. */
  ExternalLost({ kind, managed, latest }) {
    const toCreate = isReturnable(managed) ? advice.restoreRetained : howToCreateAgain(kind, managed);
    const name = externalName(managed);
    // The provider may connect to another system than before.
    const lossMessage = mustExist(managed)
      ? `${missing} (${name}); ${advice.moveExternal}`
      : `${missing} any more (${name}); ${toCreate}`;
    return lost(latest?.observation.taken ?? lossMessage, errorOfLoss('ExternalMissing', latest));
  },
  /** Waits until a user names the external resource back, or allows a second one. */
  ExternalRenamed: ({ latest }, message) => lost(message, errorOfLoss('ExternalRenamed', latest)),
  AwaitDeletion: reportLeaving,
  DeleteExternal: (facts) => (isFinalised(facts) ? gone() : reportLeaving()),
  NoUpdate: reportPresent,
  /** Waits before the next update, because the last update may still take effect. */
  AwaitEffect: (facts) => reportCredential(facts, found(facts)?.ready, 'backOff'),
  Update: reportPresent,
};

const howToCreateAgain = ({ identity }: Facts['kind'], managed: Managed): string =>
  identity.isAssigned ? advice.createExternalAgain : advice.createLost(managed);

function reportCreated(facts: Facts): Outline {
  if (facts.operation.underWay !== undefined) return reportCredential(facts, creating(), 'progress');
  return found(facts) === undefined ? synced(creating(), 'backOff') : reportPresent(facts);
}

/** The external system accepted or reported the deletion, and the external resource may still exist. */
function reportLeaving(): Outline {
  return { ...synced(deleting(), 'progress'), deletionAccepted: true };
}

/** The external resource exists. It is observed often until it is Ready. */
function reportPresent(facts: Facts): Outline {
  const { managed } = facts;
  const { ready, isUpToDate = false } = found(facts) ?? {};
  const shown = credentialState(facts) === 'refused' ? unavailable(givenRefused) : ready;
  const isReady = (shown ?? getCondition(managed.status?.conditions, 'Ready')).status === 'True';
  const used = [
    ...(isAdopting(managed) ? [annotationKeys.adoptIdentity] : []),
    ...(isReofferUsed(facts) ? [annotationKeys.reoffer] : []),
  ];
  const observedNext = isReady && !isBusy(facts) ? 'poll' : 'progress';
  // Another update is needed to set the credential, or to apply the spec after the credential was set.
  const isJustSet = hasDone(facts, 'create') || appliedCredential(facts)?.isNew === true;
  const isDue = (isCredentialDue(facts) || (isJustSet && !isUpToDate)) && shouldUpdate(managed.spec);
  return { ...reportCredential(facts, shown, isDue && !isBusy(facts) ? 0 : observedNext), used };
}

const givenRefused = 'the external system refuses the credential of its Secret';

/** Whether the next claim now has the credential that an administrator allowed it to use. */
function isReofferUsed({ managed, place: { entry } }: Facts): boolean {
  const { claimRef } = managed.spec;
  const isRequested = managed.metadata.annotations?.[annotationKeys.reoffer] !== undefined;
  return isRequested && claimRef?.uid !== undefined && entry?.note?.for === claimText(claimRef);
}

/** Synced True, unless the credential of the Secret or a change of the spec cannot be applied. */
function reportCredential(facts: Facts, ready: ConditionFacts | undefined, next: Next): Outline {
  const { managed, place } = facts;
  const state = credentialState(facts);
  const problem = whyCredentialStays(facts);
  if (problem !== undefined && place.accessFailure === undefined) {
    const error: ConditionError = { class: 'CredentialCannotChange' };
    return refused('CannotReplaceCredential', problem, next, { ready, error });
  }
  if (state === 'withheld') {
    const error: ConditionError = { class: 'Conflict', holder: { by: 'AnotherResource' } };
    return refused('CannotPublishConnectionDetails', withheld, next, { ready, error });
  }
  const why = shouldUpdate(managed.spec) ? undefined : notInForce[state];
  if (why !== undefined) {
    // Nothing records a credential that works, so that a person may give one.
    const otherwise = isOfPerson(managed) ? `, or ${advice.forgetCredential}` : '';
    const message = `${why}, because spec.managementPolicies do not allow Update; ${howToAllowUpdate(managed.spec)}${otherwise}`;
    return refused('CannotUpdateExternalResource', message, next, { ready });
  }
  const waiting = whatWaits(facts);
  if (waiting === undefined || found(facts)?.operation !== undefined) {
    const idle = isRetentionIdle(managed) ? retentionIdle : undefined;
    const message = compact([lossOf(managed), waiting ?? notApplied(facts), idle]).join('; ') || undefined;
    return synced(ready, next, message);
  }
  const error = (ready?.error as ConditionError | undefined) ?? { class: 'NotReady' };
  return refused('CannotUpdateExternalResource', waiting, next, { ready, error });
}

const retentionIdle = 'spec.retainFor has no effect, because spec.reclaimPolicy is not Delete';

const notSet = 'the credential of its Secret is not set in the external system';

/** Why the claim cannot use the credential of the Secret, while the policies keep the controllers from setting one. */
const notInForce: { readonly [state in CredentialState]?: string } = {
  lost: 'its Secret lacks the credential, and gets no other one',
  due: notSet,
  refused: notSet,
};

const withheld = `its external resource is managed by another resource, so that no connection details are published; ${advice.setExternalName}`;

/** Names the changes that the external system does not accept now, and the reason. Undefined: there are none. */
function whatWaits(facts: Facts): string | undefined {
  const { managed, operation } = facts;
  const { differing = [], isUpToDate, unchangeable } = found(facts) ?? {};
  // The operation of an update applies the changes.
  if (unchangeable === undefined || operation.underWay !== undefined) return undefined;
  if (!shouldUpdate(managed.spec) || wasDeleted(managed)) return undefined;
  const waiting = [...differing, ...(isCredentialDue(facts) ? ['the password of its Secret'] : [])];
  if (waiting.length > 0) return `${unchangeable}; not applied yet: ${waiting.join(', ')}`;
  return isUpToDate ? undefined : unchangeable;
}

/** Names the fields that stay different because the policies forbid Update. Undefined if there are none. */
function notApplied(facts: Facts): string | undefined {
  const { spec } = facts.managed;
  const observation = found(facts);
  if (observation === undefined || observation.isUpToDate || shouldUpdate(spec) || shouldOnlyObserve(spec))
    return undefined;
  const fields = [
    ...(observation.differing ?? []),
    ...(observation.refused ?? []),
    ...(observation.drifted ?? []),
  ];
  if (fields.length === 0) return undefined;
  return `not applied, because spec.managementPolicies do not allow Update: ${fields.join(', ')}; ${howToAllowUpdate(spec)}, or ${advice.undoEdit}`;
}
