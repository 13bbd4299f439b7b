import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerOf, isControlledBy, referenceIsOfKind } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { controlOf, propagationSource, propagationTargets } from '../../../apis/core/v1alpha1/secret.ts';
import { holdsClaim, isNamedBy } from '../claim/holdings.ts';
import { isFrozen, propagated } from '../claim/propagated-secret.ts';

/** A target secret, the source it names, and whoever controls the two. */
export interface PropagationInput {
  /** Whose connection secrets are propagated. */
  readonly kind: Kind<Managed>;
  /** Whose claims' secrets another controller keeps, though their managed resources are of this kind. */
  readonly besides?: readonly Kind<Claim>[];
  readonly target: Secret | undefined;
  readonly source: Secret | undefined;
  readonly claim: Claim | undefined;
  readonly managed: Managed | undefined;
}

/** The names of this decision, as in docs/decision-tables.md and in its order. */
export const propagationDecisions = [
  'NothingToCopyTo',
  'NoSource',
  'SourceMissing',
  'OtherKind',
  'NoConsent',
  'SourceNotControlled',
  'TargetNotControlled',
  'NotBound',
  'TargetImmutable',
  'InSync',
  'CopySecret',
] as const;

/** What to do about one target secret; `name` is its line in docs/decision-tables.md. */
export type PropagationDecision =
  | {
      readonly name: 'NothingToCopyTo' | 'NoSource' | 'SourceMissing' | 'OtherKind' | 'InSync';
      readonly act: 'nothing';
    }
  | {
      readonly name:
        | 'NoConsent'
        | 'SourceNotControlled'
        | 'TargetNotControlled'
        | 'NotBound'
        | 'TargetImmutable';
      readonly act: 'refuse';
      readonly message: string;
    }
  | { readonly name: 'CopySecret'; readonly act: 'update'; readonly desired: Secret };

/**
 * Whether a target takes its source's data. Both secrets must name each other (consent), and the chain must
 * hold: the source is controlled by the managed resource, the target by the claim, and these two refer to each
 * other. Without the chain, whoever may annotate secrets could read one they may not.
 */
export function decidePropagation(input: PropagationInput): PropagationDecision {
  const { kind, besides = [], target, source, claim, managed } = input;
  if (target === undefined || wasDeleted(target)) return { name: 'NothingToCopyTo', act: 'nothing' };
  const named = propagationSource(target);
  if (named === undefined) return { name: 'NoSource', act: 'nothing' };
  if (source === undefined) return { name: 'SourceMissing', act: 'nothing' }; // its creation wakes us
  const isOther = besides.some((each) => referenceIsOfKind(controllerOf(target), each));
  if (isOther || !referenceIsOfKind(controllerOf(source), kind)) return { name: 'OtherKind', act: 'nothing' };
  const { namespace, name } = target.metadata;
  const consents = propagationTargets(source).some((to) => to.namespace === namespace && to.name === name);
  const who = `connection secret ${named.namespace}/${named.name}`;
  if (!consents) {
    return {
      name: 'NoConsent',
      act: 'refuse',
      message: `the propagating ${who} does not allow propagation to ${namespace}/${name}`,
    };
  }
  if (managed === undefined || !isControlledBy(source, managed)) {
    const whom =
      managed === undefined
        ? 'a managed resource that exists'
        : `${managed.kind} ${managed.metadata.name} as it is there now`;
    return { name: 'SourceNotControlled', act: 'refuse', message: `${who} is not controlled by ${whom}` };
  }
  if (claim === undefined || typeof controlOf(target, claim) === 'object') {
    const whom =
      claim === undefined ? 'a claim that exists' : `${claim.kind} ${claim.metadata.name} as it is there now`;
    const message = `secret ${namespace}/${name} is not controlled by ${whom}`;
    return { name: 'TargetNotControlled', act: 'refuse', message };
  }
  if (!areBound(managed, claim)) {
    const message = `${claim.kind} ${claim.metadata.name} and ${managed.kind} ${managed.metadata.name} are not bound to each other`;
    return { name: 'NotBound', act: 'refuse', message };
  }
  if (isFrozen(target, source)) {
    const message = `secret ${namespace}/${name} is immutable, and is no copy of its source any more; delete it, and it is made again`;
    return { name: 'TargetImmutable', act: 'refuse', message };
  }
  const desired = propagated(target, claim, source);
  return isEqual(desired, target)
    ? { name: 'InSync', act: 'nothing' }
    : { name: 'CopySecret', act: 'update', desired };
}

/**
 * Each refers to the other, the resource to this very claim: what it named a former claim of the name for is not this
 * one's, and a restored claim waits until binding has healed the reference. Where the claim's reference was edited since
 * the two were bound, the resource still says so.
 */
function areBound(managed: Managed, claim: Claim): boolean {
  const isBound = managed.status?.bindingPhase === 'Bound';
  return holdsClaim(managed, claim) && (isNamedBy(managed, claim) || isBound);
}
