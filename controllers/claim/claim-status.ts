import type { BindingPhase } from '../../apis/core/v1alpha1/binding.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { ConditionFacts } from '../../apis/core/v1alpha1/condition.ts';
import { reportedStatus, withShortMessage } from '../../apis/core/v1alpha1/condition.ts';
import { reasonOfError } from '../error-class.ts';
import { wasBound } from './ownership.ts';

/** The facts that a run writes to the claim's status. */
export interface ClaimFacts {
  readonly conditions: readonly ConditionFacts[];
  /** The new phase. Absent if it does not change. A claim that was Bound gets Released instead of Unbound. */
  readonly bindingPhase?: BindingPhase;
  /** The kinds that this process knows, if it found no class or controller for the claim. */
  readonly consideredKinds?: readonly string[];
  /** Whether the Secret that a Bound claim names was written. Absent if this has not changed. */
  readonly hasSecret?: boolean;
  /** Whether the claim is Stalled because its managed resource is Stalled, or because of a programming error. */
  readonly isStuck?: boolean;
}

/**
 * The only function that computes the status of a claim. A bound claim with a Secret is a Provisioned Service of
 * servicebinding.io (`status.binding.name`).
 */
export function withClaimStatus<C extends Claim>(claim: C, facts: ClaimFacts, now: Date): C {
  const phase = facts.bindingPhase ?? claim.status?.bindingPhase ?? 'Unbound';
  const bindingPhase = phase === 'Unbound' && wasBound(claim) ? 'Released' : phase;
  const secret = claim.spec.writeConnectionSecretToRef?.name;
  const { binding: before, consideredKinds: _previous, ...status } = claim.status ?? {};
  // The Secret that the claim names may belong to another owner. So the status names it only if it is the claim's copy.
  const written = facts.hasSecret === true && secret !== undefined ? { name: secret } : undefined;
  const binding = facts.hasSecret === undefined ? before : written;
  const { generation } = claim.metadata;
  const conditions = facts.conditions.map(withShortMessage);
  const cause = reasonOfError(conditions.find(({ type }) => type === 'Synced')?.error);
  return {
    ...claim,
    status: {
      ...status,
      bindingPhase,
      ...(bindingPhase === 'Bound' && binding !== undefined && { binding }),
      ...(facts.consideredKinds === undefined ? {} : { consideredKinds: facts.consideredKinds }),
      ...reportedStatus(claim.status?.conditions, conditions, { now, generation }, { ...facts, cause }),
    },
  };
}
