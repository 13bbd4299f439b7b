import type { BindingPhase } from '../../../apis/core/v1alpha1/binding.ts';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { setConditions } from '../../../apis/core/v1alpha1/condition.ts';
import { withShortMessage } from '../message.ts';
import { wasBound } from './ownership.ts';

/** What a controller found out about a claim. */
export interface ClaimFacts {
  readonly conditions: readonly ConditionFacts[];
  /** Absent: the phase stays as it is, Unbound at first. Unbound: Released, of a claim that was bound. */
  readonly bindingPhase?: BindingPhase;
  /** With a report that there is nothing for the claim: the kinds that were considered. */
  readonly consideredKinds?: readonly string[];
  /** Whether a bound claim that wants a secret has one; absent: as before. */
  readonly hasSecret?: boolean;
}

/**
 * The claim with the status these facts give it: the one place that computes a claim's status. A claim is a
 * servicebinding.io Provisioned Service (`status.binding.name`) while it is bound and wants a secret.
 */
export function withClaimStatus<C extends Claim>(claim: C, facts: ClaimFacts, now: Date): C {
  const told = facts.bindingPhase ?? claim.status?.bindingPhase ?? 'Unbound';
  const bindingPhase = told === 'Unbound' && wasBound(claim) ? 'Released' : told;
  const secret = claim.spec.writeConnectionSecretToRef?.name;
  const { binding: before, consideredKinds: _told, ...status } = claim.status ?? {};
  const hasSecret = bindingPhase === 'Bound' && (facts.hasSecret ?? before !== undefined);
  const generation = claim.metadata.generation;
  const conditions = facts.conditions.map(withShortMessage);
  return {
    ...claim,
    status: {
      ...status,
      bindingPhase,
      ...(hasSecret && secret !== undefined ? { binding: { name: secret } } : {}),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...(facts.consideredKinds === undefined ? {} : { consideredKinds: facts.consideredKinds }),
      conditions: setConditions(claim.status?.conditions, conditions, { now, generation }),
    },
  };
}
