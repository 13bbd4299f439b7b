import compact from 'lodash/compact.js';
import isEmpty from 'lodash/isEmpty.js';
import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import { acceptedReasons, reconcileError, sinceOf } from '../../../apis/core/v1alpha1/condition.ts';
import { warning } from '../../../runtime/events/event-facts.ts';
import type { ConditionError } from '../../error-class.ts';
import type { Observation, OperationType } from '../connecting/external-client.ts';
import type { Facts } from './facts.ts';
import { appliedCredential, changeMade, found, isBusy, isCredentialDue } from './facts.ts';
import { cannot } from './failures.ts';
import type { Outline } from './outline.ts';

/**
 * For how long accepted calls may have no effect, or for `creationGraceMs` of the service if that is longer. Systems that show
 * a change later than this report an operation.
 */
const patienceMs = 5 * 60_000;

const noEffect: ConditionError = { class: 'NoEffect' };

/**
 * Reports a call that the external system accepted, and whose effect the observation after it does not show. At first Synced
 * is True with the reason of the call: the condition keeps the time. After `patienceMs` it is False, until an observation
 * shows the effect, or an edit wants another one (docs/decisions/0084).
 */
export function withEffect(facts: Facts, outline: Outline, now: Date): Outline {
  const { synced, next } = outline;
  if (synced?.status !== 'True') return outline;
  const { metadata, status } = facts.managed;
  const waiting = status?.conditions?.find(isWaiting);
  // guard: otherwise the first call after an edit is blamed for the calls before it
  if (waiting !== undefined && waiting.observedGeneration !== metadata.generation) return outline;
  const call = judgedCall(facts);
  // During an operation the effect of an earlier call is not known yet.
  if (call === undefined) return waiting && isBusy(facts) ? { ...outline, synced: waiting } : outline;
  if (!isEffectHidden[call](facts)) return outline;
  const reason = acceptedReasons[call];
  const message = compact([describe[call](facts), synced.message]).join('; ');
  const limitMs = Math.max(patienceMs, facts.kind.creationGraceMs);
  const waitedMs = waiting?.reason === reason ? now.getTime() - Date.parse(sinceOf(waiting)) : 0;
  const isOverdue = waiting?.error?.class === noEffect.class || waitedMs >= limitMs;
  if (!isOverdue) return { ...outline, synced: { ...synced, reason, message } };
  const problem = `${message}; ${advice.lookForEffect(call)}`;
  return {
    ...outline,
    synced: reconcileError(problem, noEffect),
    event: warning(cannot[call].reason, problem),
    next: next === 0 ? 'backOff' : next,
  };
}

/** The accepted call that the last observation can show. Undefined: there was none, or its operation continues. */
function judgedCall(facts: Facts): OperationType | undefined {
  const { ended, underWay } = facts.operation;
  if (ended !== undefined || underWay !== undefined) return ended;
  return changeMade(facts);
}

/** Whether the last observation does not show the effect of a call. The external system may report that it is at work. */
const isEffectHidden: Readonly<Record<OperationType, (facts: Facts) => boolean>> = {
  create: ({ latest }) => latest?.observation.exists === false,
  update(facts) {
    const observation = found(facts);
    if (observation === undefined || (observation.operation ?? observation.unchangeable) !== undefined)
      return false;
    // The next update applies the spec, after the credential that this one has set.
    const differs =
      !observation.isUpToDate && !isRefused(observation) && appliedCredential(facts)?.isNew !== true;
    return differs || isCredentialDue(facts);
  },
  delete: (facts) => found(facts) !== undefined && found(facts)?.operation === undefined,
};

/** Whether the external resource differs only in what the external system does not change. */
export const isRefused = ({ differing, refused, drifted }: Partial<Observation> = {}): boolean =>
  isEmpty(differing) && !(isEmpty(refused) && isEmpty(drifted));

/** The end of a message about an external resource that differs: the fields, if the client names them. */
export const differingText = ({ differing = [] }: Partial<Observation> = {}): string =>
  isEmpty(differing) ? '' : `: ${differing.toSorted().join(', ')}`;

const describe: Readonly<Record<OperationType, (facts: Facts) => string>> = {
  create: () => 'the external system accepted the creation, and does not show the external resource',
  update: (facts) =>
    `the external system accepted the update, and does not show its effect${differingText(found(facts))}`,
  delete: () => 'the external system accepted the deletion, and still shows the external resource',
};

/** Whether a condition is Synced, and reports a call whose effect was not shown. */
const isWaiting = ({ type, reason, error }: Condition): boolean =>
  type === 'Synced' &&
  (error?.class === noEffect.class || Object.values<string>(acceptedReasons).includes(reason));
