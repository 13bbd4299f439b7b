import compact from 'lodash/compact.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Condition, ConditionFacts } from '../../apis/core/v1alpha1/condition.ts';
import {
  available,
  availableWithTrouble,
  getCondition,
  incompleteTemplate,
  notReady,
  reconcileSuccess,
  templateIncomplete,
  unknown,
  withError,
} from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wantsDetails } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { ReadyReason } from '../../apis/core/v1alpha1/ready-reasons.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import { warning } from '../../runtime/events/event-facts.ts';
import { reasonOfError } from '../error-class.ts';
import { nameInUse } from '../external-identity.ts';
import { dataLost, lossOf } from '../external-loss.ts';
import type { SecretFacts } from './decision.ts';

/** The message for a claim that names a Secret although its managed resource writes none. */
export function describeUnserved({ spec }: Claim, managed: Managed): string | undefined {
  if (spec.writeConnectionSecretToRef === undefined || wantsDetails(managed)) return undefined;
  return `no connection secret is written: ${managed.kind} ${managed.metadata.name} has no spec.writeConnectionSecretToRef; ${advice.publishSecret}`;
}

const withoutSecret = `no connection secret is written for this claim; ${advice.nameSecret}`;

/**
 * Ready and Synced of a Bound claim. If the resource is not ready, the claim shows the resource's message and external
 * name (H14 in docs/decision-tables.md). A claim that asks for a Secret is not ready without it, or if it has no entry.
 */
export function boundConditions(
  claim: Claim,
  managed: Managed,
  secrets: Pick<SecretFacts, 'incomplete' | 'isEmpty'>,
): readonly ConditionFacts[] {
  const { incomplete } = secrets;
  return [
    readyOfBound(claim, managed, secrets),
    incomplete === undefined ? reconcileSuccess() : templateIncomplete(incomplete),
  ];
}

function readyOfBound(
  claim: Claim,
  managed: Managed,
  { incomplete, isEmpty = false }: Pick<SecretFacts, 'incomplete' | 'isEmpty'>,
): ConditionFacts {
  const ready = getCondition(managed.status?.conditions, 'Ready');
  const isReady = ready.status === 'True' && !wasDeleted(managed);
  if (!isReady) {
    const failure = reasonOfError(errorOf(managed)) ?? ready.reason ?? 'Unavailable';
    const reason = wasDeleted(managed) ? 'Deleting' : failure;
    const message = describeManaged(managed);
    // Another system answers, so the state of the external resource is not known.
    const facts = reason === 'OtherSystem' ? unknown(reason, message) : notReady(reason, message);
    return withError(facts, errorOf(managed));
  }
  const unserved = describeUnserved(claim, managed);
  if (unserved !== undefined) return notReady('SecretNotPublished', unserved);
  if (isEmpty) return notReady(incompleteTemplate, incomplete);
  const isSynced = getCondition(managed.status?.conditions, 'Synced').status !== 'False';
  const lacking = claim.spec.writeConnectionSecretToRef === undefined ? withoutSecret : undefined;
  const loss = describeLoss(managed);
  const message = compact([loss, isSynced ? undefined : describeManaged(managed), lacking, incomplete]).join(
    '; ',
  );
  if (isFailing(managed) || loss !== undefined)
    return withError(availableWithTrouble(message), errorOf(managed));
  return { ...available(), ...(message !== '' && { message }) };
}

/** The failure of a resource as data, without the name of another owner: that one may be of another team. */
export function errorOf({ status }: Managed): Condition['error'] {
  const error =
    getCondition(status?.conditions, 'Synced').error ?? getCondition(status?.conditions, 'Ready').error;
  return error?.holder === undefined ? error : { ...error, holder: { by: error.holder.by } };
}

/** The Ready reason of a claim that waits for its resource. Undefined if the resource reports no failure. */
export function failureReasonOf(managed: Managed): ReadyReason | undefined {
  const synced = getCondition(managed.status?.conditions, 'Synced');
  if (synced.status === 'False' && synced.reason === 'ReconcilePaused') return 'ResourcePaused';
  return reasonOfError(errorOf(managed)) ?? (isFailing(managed) ? 'ResourceFailing' : undefined);
}

/** Whether the Synced condition of the resource reports a failure. A paused resource has not failed. */
function isFailing({ status }: Managed): boolean {
  const synced = getCondition(status?.conditions, 'Synced');
  return synced.status === 'False' && synced.reason !== 'ReconcilePaused';
}

/**
 * The message for a claim whose external resource was lost and exists again, until the loss is acknowledged. The loss is
 * recorded before the external resource is created again; Ready has the error only after it was observed.
 */
function describeLoss(managed: Managed): string | undefined {
  const isThere = getCondition(managed.status?.conditions, 'Ready').error?.class === dataLost.class;
  const loss = isThere ? lossOf(managed) : undefined;
  return loss === undefined ? undefined : `${loss}; reported by ${nameManaged(managed)}`;
}

/** The Event of a claim whose managed resource reports a failure or a loss; undefined if it reports none. */
export function troubleOf(
  managed: Managed,
  message = describeLoss(managed) ?? describeManaged(managed),
): EventFacts | undefined {
  const ready = getCondition(managed.status?.conditions, 'Ready');
  const isOut = ready.status === 'False' && ready.reason === 'Unavailable';
  const isLost = managed.status?.bindingPhase === 'Bound' && ready.status === 'False';
  const hasTrouble = isFailing(managed) || isOut || isLost || describeLoss(managed) !== undefined;
  if (!hasTrouble) return undefined;
  return warning('ManagedResourceTrouble', message);
}

/**
 * A text for claims instead of the resource's message, which is for administrators: it names the resource of another
 * team, or the command that gives the data of one claim to another. Undefined: the message is for claims, too.
 */
function insteadOf({ spec, status }: Managed, error: Condition['error']): string | undefined {
  if (error?.class === 'CredentialCannotChange')
    return 'a previous claim knows its credentials, and an administrator has to decide about them';
  if (error?.class === 'MarkLost' && error.holder?.by === 'AnotherResource')
    return 'its external resource belongs to another resource now, and an administrator has to decide about it';
  if (error?.class === 'MarkLost')
    return 'its external resource does not carry its mark, and an administrator has to decide about it';
  const isLost = error?.class === 'ExternalMissing' || error?.class === 'ExternalRenamed';
  if (isLost && error.holder?.by === 'AnotherResource')
    return 'another resource has the name of its external resource now, and an administrator has to decide about it';
  if (error?.holder?.by === 'AnotherResource')
    return status?.externalIdentity === undefined
      ? 'its external name is already in use, by another resource or by the remains of a previous one'
      : 'another user of the external system is in the way of its external resource, and an administrator has to decide about it';
  if (error?.class === 'Conflict' && spec.classRef === undefined)
    return 'its external resource is not managed yet, and an administrator has to decide about it';
  return undefined;
}

/**
 * `message; reported by Kind name (external name x)`. The message is that of Synced if Synced is False, else that of
 * Ready. If the resource reports no message: `waiting for Kind name: Reason`.
 */
export function describeManaged(managed: Managed): string {
  const conditions = managed.status?.conditions;
  const synced = getCondition(conditions, 'Synced');
  const ready = getCondition(conditions, 'Ready');
  const { error, reason, message: own } = synced.status === 'False' ? synced : ready;
  const message = insteadOf(managed, error) ?? own;
  const who = nameManaged(managed);
  if (message !== undefined) return `${message}; reported by ${who}`;
  if (wasDeleted(managed)) return `${who} is being deleted`;
  return `waiting for ${who}${reason === undefined ? '' : `: ${reason}`}`;
}

/** `Kind name`, and the external name if it is another one. */
function nameManaged(managed: Managed): string {
  const { kind, metadata } = managed;
  const external = nameInUse(managed);
  const isOther = external !== undefined && external !== metadata.name;
  return `${kind} ${metadata.name}${isOther ? ` (external name ${external})` : ''}`;
}
