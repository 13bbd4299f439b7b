import type { BindingPhase } from './binding.ts';
import type { Condition } from './condition.ts';
import type { KubernetesObject } from './kind.ts';
import type { LocalSecretReference, ObjectReference } from './reference.ts';
import type { LabelSelector } from './selector.ts';

/** What every resource claim's spec holds. */
export interface ClaimSpec {
  readonly writeConnectionSecretToRef?: LocalSecretReference;
  readonly classSelector?: LabelSelector;
  readonly classRef?: ObjectReference;
  readonly resourceRef?: ObjectReference;
}

/** What every resource claim's status holds. */
export interface ClaimStatus {
  readonly bindingPhase?: BindingPhase;
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
  /**
   * While Ready says that there is nothing for the claim: the kinds that whoever says so considered. By it processes
   * with different stacks agree on who speaks.
   */
  readonly consideredKinds?: readonly string[];
  /** servicebinding.io Provisioned Service: the claim's connection secret. */
  readonly binding?: { readonly name: string };
}

/** A namespaced request for a service. */
export interface Claim extends KubernetesObject {
  readonly spec: ClaimSpec;
  readonly status?: ClaimStatus;
}
