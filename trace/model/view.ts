import attempt from 'lodash/attempt.js';
import isError from 'lodash/isError.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import { getCondition, isProgress } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { labelsOf } from '../../apis/core/v1alpha1/namespace.ts';
import { whyResourceIncompatible } from '../../controllers/claim/incompatible.ts';
import type { ClaimNamespace } from '../../controllers/claim/may-claim.ts';
import { whyNotFor } from '../../controllers/claim/may-claim.ts';
import { wasCreatedFor } from '../../controllers/claim/ownership.ts';
import type { NamespaceUid } from '../../controllers/claim/previous-resources.ts';
import { whyNotGivenBack } from '../../controllers/claim/previous-resources.ts';
import { decideBinding } from '../../controllers/claim-binding/decide.ts';
import type { BindingDecision, BindingFacts } from '../../controllers/claim-binding/decision.ts';
import { isCall } from '../../controllers/claim-binding/decision.ts';
import { editOf, provisioningOf } from '../../controllers/claim-binding/provision.ts';
import { reportOf } from '../../controllers/claim-binding/report.ts';
import { serviceOf } from '../../controllers/claim-binding/service-of.ts';
import { decideFirst } from '../../controllers/managed/run/decide-first.ts';
import type { Decision as ManagedDecision } from '../../controllers/managed/run/decision.ts';
import type { Findings } from './findings.ts';
import { claimOf, returnableOf, thereOf } from './findings.ts';

/** The binding controller's decision about the claim and its resource. The Secrets are left out: they have values. */
interface Binding {
  readonly name: BindingDecision['name'];
  /** The message of the claim's condition; undefined: the decision reports nothing. */
  readonly message?: string | undefined;
  /** Why the claim does not take its resource back by itself. */
  readonly notGivenBack?: string;
}

/**
 * The findings and the decisions that the controllers make about them, by their own pure functions. Undefined: there is
 * nothing to decide, or an object could not be read.
 */
export interface View extends Findings {
  readonly theClaim: Claim | undefined;
  readonly theClass: Class | undefined;
  readonly theManaged: Managed | undefined;
  readonly binding?: Binding | undefined;
  readonly first?: ManagedDecision | undefined;
}

type WithConditions = { readonly status?: { readonly conditions?: readonly Condition[] } };

/** The conditions of an object of any kind, without those that only repeat others. */
export const conditionsOf = (object: KubernetesObject | undefined): readonly Condition[] =>
  ((object as WithConditions | undefined)?.status?.conditions ?? []).filter(({ type }) => !isProgress(type));
export const readyOf = (object: KubernetesObject | undefined) => getCondition(conditionsOf(object), 'Ready');
export const syncedOf = (object: KubernetesObject | undefined) =>
  getCondition(conditionsOf(object), 'Synced');

/** Whether a controller has observed the current generation of the object. */
export function isObserved(object: KubernetesObject): boolean {
  const { status } = object as { readonly status?: { readonly observedGeneration?: number } };
  const { generation } = object.metadata;
  if (status?.observedGeneration === undefined) return false;
  return generation === undefined || status.observedGeneration >= generation;
}

/** Pure. */
export function viewOf(findings: Findings): View {
  const theManaged = thereOf(findings.managed);
  const isOfClaim = findings.subject.known.sort === 'claim';
  const theClaim = claimOf(findings);
  const facts = { ...findings, theClaim, theManaged, theClass: thereOf(findings.resourceClass) };
  return {
    ...facts,
    ...(theClaim !== undefined && isOfClaim && { binding: bindingOf(facts, theClaim) }),
    ...(theManaged !== undefined && { first: decideFirst({ managed: theManaged }) }),
  };
}

function bindingOf(facts: Omit<View, 'binding' | 'first'>, claim: Claim): Binding | undefined {
  const { services, theManaged: managed, theClass, namespace, named, resourceClass } = facts;
  // An object that may not be read is neither there nor absent, so that binding cannot be decided.
  const isUnknown = [namespace, named, facts.owned, resourceClass].some(({ is }) => is === 'withheld');
  const owned = thereOf(facts.owned) ?? [];
  if (isUnknown) return undefined;
  const service = serviceOf(services, claim, owned);
  const provisioning =
    service !== undefined && managed === undefined && !wasDeleted(claim)
      ? provisioningOf(service, claim, theClass, () => true)
      : undefined;
  const { previousResources } = facts;
  const returnable = previousResources && returnableOf(services, claim, owned, previousResources);
  const offered = managed ?? provisioning?.resourceClass;
  const own = owned.find((one) => one === managed);
  const incompatible = attempt(() => service && managed && whyResourceIncompatible(service, claim, managed));
  const observed: BindingFacts = {
    claim,
    services,
    service,
    owned,
    created: owned.filter((one) => wasCreatedFor(one, claim)),
    named: thereOf(named),
    managed,
    previous: previousResources?.previous,
    ...(returnable !== undefined && {
      returnable,
      notGivenBack: whyNotGivenBack(returnable, claim, uidOf(facts.namespace)),
    }),
    provisioning,
    forbidden: offered && whyNotFor(namespaceOf(facts, claim), offered),
    ...(!isError(incompatible) && { incompatible }),
    ...(service && own && editOf(service, claim, own, theClass)),
    secrets: { isWanted: false, hasCopy: false, isCopyUsable: false, stale: [], controlled: [] },
  };
  const decision = decideBinding(observed);
  const { notGivenBack } = observed;
  return {
    name: decision.name,
    message: messageOf(decision, observed),
    ...(notGivenBack && { notGivenBack }),
  };
}

function uidOf(found: Findings['namespace']): NamespaceUid {
  const { uid } = thereOf(found)?.metadata ?? {};
  return uid === undefined ? { problem: 'it does not exist' } : { uid };
}

function messageOf(decision: BindingDecision, observed: BindingFacts): string | undefined {
  if (isCall(decision) || decision.name === 'SecretNotOwned') return undefined;
  const plan = observed.correction ?? observed.provisioning?.plan;
  if (decision.name === 'Incompatible' && plan instanceof Error) return plan.message;
  return reportOf(decision.name, observed, new Date(0))?.facts.conditions[0]?.message;
}

function namespaceOf(
  { namespace: found }: Findings,
  { metadata: { namespace: name = '' } }: Claim,
): ClaimNamespace | undefined {
  if (found.is === 'there') return { name, labels: labelsOf(found.value) };
  return found.is === 'absent' ? { name, problem: 'it does not exist' } : undefined;
}
