import compact from 'lodash/compact.js';
import isUndefined from 'lodash/isUndefined.js';
import omit from 'lodash/omit.js';
import omitBy from 'lodash/omitBy.js';
import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { creating, reconcileError, withError } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { ChangeRefused } from '../../../clients/external-error.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import { warning } from '../../../runtime/events/event-facts.ts';
import { dataLost, isLossNoted } from '../../external-loss.ts';
import { shouldUpdate } from '../../management-policies.ts';
import type { StepFailure } from '../../step-failure.ts';
import { isCreatedAgain, isCreationUnfinished } from '../recording/creation-tracking.ts';
import { identityFound, refusals } from '../recording/identity.ts';
import { isOngoing, operationOngoing, operationSucceeded } from '../recording/operation-conditions.ts';
import { withManagedStatus } from '../recording/status.ts';
import { credentialState } from './credential-state.ts';
import { isIdentityGone } from './decide-observed.ts';
import type { Decision } from './decision.ts';
import { differingText, isRefused, withEffect } from './effect.ts';
import type { Facts } from './facts.ts';
import { found, isAsWanted, scrubOf } from './facts.ts';
import type { Outline } from './outline.ts';
import { failedOutline, outlineOf } from './outline.ts';
import { unrecordedCreation } from './steps.ts';

/** The report of a run: the status to write, the Events, and the time of the next run. Without secrets. */
export interface Report extends Pick<Outline, 'used' | 'next' | 'failure'> {
  readonly desired: Managed;
  /** Events of the completed steps. */
  readonly completed: readonly EventFacts[];
  /** Events about the state. A Normal one is recorded only if the status changes. */
  readonly events: readonly EventFacts[];
}

/** Pure. Reports the last decision of a run, and edits that have no effect. */
export function reportOf(facts: Facts, decision: Decision, now: Date): Report {
  // In this order: each reads the conditions of the one before. A failed publication replaces only a Synced that is True.
  const equal = withEquality(facts, outlineOf(facts, decision));
  const outline = withPublishing(facts, withEffect(facts, equal, now));
  const { synced, ready, event, deletionAccepted, ...end } = outline;
  const scrubbed = <F extends { readonly message?: string }>(each: F): F => ({
    ...each,
    ...(each.message && { message: scrubOf(facts, each.message) }),
  });
  const completed = compact([...facts.did.events, synced === undefined && event]).map(scrubbed);
  if (synced === undefined) return { ...end, completed, desired: facts.managed, events: [] };
  const { failure } = end;
  const refusal = refusalOf(facts, synced, failure);
  const complete = refusal === undefined ? synced : withRefusal(synced, refusal);
  const { kind, managed, access, applied, operation, reported } = facts;
  const observation = found(facts);
  const conditions = operationConditions(facts);
  const own = {
    operation: operation.underWay ?? unrecordedCreation(facts),
    deletionAccepted,
    externalIdentity: identityFound(kind.identity, managed, { system: access?.system, observation }),
    credential: typeof applied === 'object' ? omit(applied, 'isNew') : undefined,
  };
  const desired = withManagedStatus(
    managed,
    {
      synced: scrubbed(complete),
      isStuck: refusal !== undefined || (failure ? failure.bug !== undefined : synced.status === 'False'),
      ready: ready && scrubbed(withLoss(managed, ready)),
      status: { ...reported.status, ...omitBy(own, isUndefined) },
      isGone: isIdentityGone(facts, decision.name),
      isCredentialInForce: credentialState(facts) === 'inForce',
      ...(conditions && { operation: conditions.map(scrubbed) }),
    },
    now,
  );
  const events = compact([event, refusal && warning('CannotApplyEdit', refusal)]).map(scrubbed);
  return { ...end, completed, desired, events };
}

/** An external resource that was lost and exists again shows the loss until an administrator acknowledges it. */
const withLoss = (managed: Managed, ready: ConditionFacts): ConditionFacts =>
  ready.status === 'True' && isLossNoted(managed) ? withError(ready, dataLost) : ready;

/** Reports in Synced that the details were not published. A resource that never published any does not become Ready. */
function withPublishing(facts: Facts, outline: Outline): Outline {
  const { place, managed } = facts;
  const failure = place.accessFailure ?? place.followUpFailure;
  if (failure === undefined || outline.synced?.status !== 'True') return outline;
  const isPublished = place.accessFailure === undefined || managed.status?.bindingPhase !== undefined;
  return { ...outline, ...failedOutline(facts, failure), ...(isPublished && { ready: outline.ready }) };
}

/**
 * Holds Ready back until the external resource that this object created has equalled its spec once. Then Ready shows the
 * observation, also while a later edit is not applied (docs/decisions/0069).
 */
function withEquality(facts: Facts, outline: Outline): Outline {
  const { managed } = facts;
  const { ready, used = [], next, failure } = outline;
  if (ready?.status !== 'True' || !isCreationUnfinished(managed)) return outline;
  const observation = found(facts);
  const isRetained = refusedBy(failure).length > 0 || isRefused(observation) || !shouldUpdate(managed.spec);
  if (isAsWanted(facts) || isRetained) {
    const ended = isCreatedAgain(managed) ? [annotationKeys.externalCreation] : [];
    return { ...outline, used: [...used, ...ended] };
  }
  const unequal = `the external resource does not equal its spec yet${differingText(observation)}`;
  return {
    ...outline,
    ready: creating(outline.synced?.status === 'True' ? unequal : undefined),
    next: next === 'poll' ? 'progress' : next,
  };
}

const refusedBy = (failure: StepFailure | undefined): readonly string[] =>
  failure?.cause instanceof ChangeRefused ? failure.cause.refusals : [];

/** The edits that have no effect. A failure before an observation is reported alone. */
function refusalOf(
  facts: Facts,
  synced: ConditionFacts,
  failure: StepFailure | undefined,
): string | undefined {
  const observation = found(facts);
  if (synced.status !== 'True' && observation === undefined) return undefined;
  const reported = new Set(refusedBy(failure));
  const all = refusals(facts.kind.identity, facts.managed, observation).filter((each) => !reported.has(each));
  return all.join('; ') || undefined;
}

const withRefusal = (synced: ConditionFacts, refusal: string): ConditionFacts =>
  reconcileError(
    compact([synced.status === 'True' ? undefined : synced.message, refusal]).join('; '),
    synced.error,
  );

/** The conditions of operations, by the last observation and by the calls of this run. */
function operationConditions(facts: Facts) {
  const { underWay, conditions } = facts.operation;
  const observation = found(facts);
  if (observation === undefined || underWay !== undefined) return conditions;
  if (observation.operation !== undefined) return operationOngoing(observation.operation);
  return facts.managed.status?.conditions?.some(isOngoing) ? (conditions ?? operationSucceeded) : conditions;
}
