import attempt from 'lodash/attempt.js';
import isError from 'lodash/isError.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { isDefaultClass } from '../../apis/core/v1alpha1/class.ts';
import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { labelsOf } from '../../apis/core/v1alpha1/namespace.ts';
import { describeSelector, labelSelector } from '../../apis/core/v1alpha1/selector.ts';
import type { Candidates } from '../../controllers/core/claim/class-choice.ts';
import { qualified } from '../../controllers/core/claim/class-choice.ts';
import type { ClassDecision } from '../../controllers/core/claim/decide-class.ts';
import { whyNotSuitable, whyResourceIncompatible } from '../../controllers/core/claim/incompatible.ts';
import type { ClaimNamespace } from '../../controllers/core/claim/may-claim.ts';
import { whyNotFor } from '../../controllers/core/claim/may-claim.ts';
import { decideBinding } from '../../controllers/core/claim-binding/decide.ts';
import type { BindingDecision, Observed } from '../../controllers/core/claim-binding/decision.ts';
import { isCall } from '../../controllers/core/claim-binding/decision.ts';
import { provisioningOf } from '../../controllers/core/claim-binding/provision.ts';
import { reportOf } from '../../controllers/core/claim-binding/report.ts';
import { isResponsible, responsibilityFor } from '../../controllers/core/claim-binding/responsibility.ts';
import { decideDefaulting } from '../../controllers/core/claim-defaulting/decide.ts';
import { decideScheduling } from '../../controllers/core/claim-scheduling/decide.ts';
import type { ClaimService } from '../../controllers/core/claim-service.ts';
import type { FirstDecision } from '../../controllers/core/managed/run/decide.ts';
import { decideFirst } from '../../controllers/core/managed/run/decide.ts';
import { withReferences } from '../../controllers/core/references/references.ts';
import type { Findings } from './findings.ts';
import { thereOf } from './findings.ts';

/** How a claim gets its class. */
export interface ClassChoice {
  readonly by: 'selector' | 'default' | 'classRef' | 'resourceRef';
  /** The selector, for example `size=small`. */
  readonly sought?: string;
  readonly matching?: readonly Class[];
  /** Why matching classes cannot serve the claim, a sentence for each class. */
  readonly incompatible?: readonly string[];
  /** The number of matching classes that the claim's namespace may not use. */
  readonly forbidden?: number;
  /** All classes of the claim's kind. */
  readonly all?: readonly Class[];
  readonly isMalformed?: boolean;
}

/** The binding controller's decision about the claim. */
export interface Binding {
  readonly name: BindingDecision['name'];
  /** The message of the claim's condition; undefined: the decision reports nothing. */
  readonly message?: string | undefined;
}

/**
 * The findings and the decisions that the controllers make about them, by their own pure functions. Undefined: there is
 * nothing to decide, or an object could not be read.
 */
export interface View extends Findings {
  readonly theClaim: Claim | undefined;
  readonly theClass: Class | undefined;
  readonly theManaged: Managed | undefined;
  readonly choice?: ClassChoice | undefined;
  readonly assignment?: ClassDecision | undefined;
  readonly binding?: Binding | undefined;
  readonly first?: FirstDecision | undefined;
  /** Why a reference of the managed resource names no object. */
  readonly unresolved?: string | undefined;
}

type WithConditions = { readonly status?: { readonly conditions?: readonly Condition[] } };

/** The conditions of an object of any kind. */
export const conditionsOf = (object: KubernetesObject | undefined): readonly Condition[] =>
  (object as WithConditions | undefined)?.status?.conditions ?? [];
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
  const theClaim = thereOf(findings.claim);
  const theManaged = thereOf(findings.managed);
  const isOfClaim = findings.subject.known.sort === 'claim';
  const facts = { ...findings, theClaim, theManaged, theClass: thereOf(findings.resourceClass) };
  return {
    ...facts,
    ...(theClaim !== undefined && isOfClaim && ofClaim(facts, theClaim)),
    ...(theManaged !== undefined && {
      first: decideFirst({ managed: theManaged }),
      unresolved: unresolvedOf(findings, theManaged),
    }),
  };
}

type Facts = Omit<View, 'binding' | 'first' | 'unresolved' | 'choice' | 'assignment'>;

function ofClaim(facts: Facts, claim: Claim): Pick<View, 'choice' | 'assignment' | 'binding'> {
  const { services, classes } = facts;
  const owned = thereOf(facts.owned) ?? [];
  // A namespace that may not be read is neither selected nor not selected.
  const isNamespaceKnown = facts.namespace.is !== 'withheld';
  const areClassesKnown = isNamespaceKnown && classes.every((found) => found.classes.is !== 'withheld');
  const namespace = namespaceOf(facts, claim);
  const candidates: readonly Candidates[] = classes.map(({ service, classes: found }) => ({
    kind: service.class,
    classes: thereOf(found) ?? [],
    whyNotSuitable: (one, offered) => whyNotSuitable(service, one, offered),
    isForbidden: (offered) => whyNotFor(namespace, offered) !== undefined,
  }));
  const kind = candidates[0]?.kind;
  const input = { claim, isHolding: owned.length > 0, candidates };
  const assignment =
    kind === undefined || !areClassesKnown || claim.spec.classRef !== undefined
      ? undefined
      : claim.spec.classSelector === undefined
        ? decideDefaulting({ ...input, kind })
        : decideScheduling({ ...input, kind });
  const service = services.find((each) => isResponsible(each, claim, owned)) ?? services[0];
  // An object that may not be read is neither there nor absent, so that binding cannot be decided.
  const isKnown = ![facts.named, facts.owned, facts.resourceClass].some(({ is }) => is === 'withheld');
  return {
    choice: choiceOf(claim, areClassesKnown ? candidates : undefined),
    assignment,
    binding: service && isKnown && isNamespaceKnown ? bindingOf(facts, claim, service, owned) : undefined,
  };
}

function bindingOf(
  facts: Facts,
  claim: Claim,
  service: ClaimService,
  owned: readonly Managed[],
): Binding | undefined {
  const { services, theManaged: managed, theClass, decided } = facts;
  const provisioning =
    managed === undefined && !wasDeleted(claim)
      ? provisioningOf(service, claim, theClass, () => true)
      : undefined;
  const offered = managed ?? provisioning?.resourceClass;
  const incompatible = attempt(() => managed && whyResourceIncompatible(service, claim, managed));
  const observed = {
    claim,
    service,
    responsibility: responsibilityFor({ service, peers: services, claim, owned }),
    owned,
    named: thereOf(facts.named),
    managed,
    provisioning,
    forbidden: offered && whyNotFor(namespaceOf(facts, claim), offered),
    ...(!isError(incompatible) && { incompatible }),
    secrets: decided?.secrets ?? noSecrets,
  };
  const decision = decideBinding(observed);
  // Bind depends on the credential, and that is unknown.
  if (decision.name === 'Bind' && decided?.isCredentialKnown === false) return undefined;
  return { name: decision.name, message: messageOf(decision, observed) };
}

const noSecrets = { isWanted: false, hasCopy: false, stale: [], controlled: [] } as const;

function messageOf(decision: BindingDecision, observed: Observed): string | undefined {
  const { provisioning, secrets } = observed;
  if (isCall(decision)) return undefined;
  if (decision.name === 'SecretNotOwned') return secrets.obstacle;
  if (decision.name === 'Incompatible' && provisioning?.plan instanceof Error)
    return provisioning.plan.message;
  return reportOf(decision.name, observed)?.facts.conditions[0]?.message;
}

function namespaceOf(
  { namespace: found }: Facts,
  { metadata: { namespace: name = '' } }: Claim,
): ClaimNamespace | undefined {
  if (found.is === 'there') return { name, labels: labelsOf(found.value) };
  return found.is === 'absent' ? { name, problem: 'it does not exist' } : undefined;
}

function choiceOf(claim: Claim, candidates: readonly Candidates[] | undefined): ClassChoice | undefined {
  const { classRef, classSelector, resourceRef } = claim.spec;
  if (classSelector === undefined) {
    if (classRef !== undefined) return { by: 'classRef' };
    if (classRef === undefined && resourceRef !== undefined) return { by: 'resourceRef' };
  }
  const by = classSelector === undefined ? 'default' : 'selector';
  const sought = classSelector && describeSelector(classSelector);
  const selects = classSelector === undefined ? isDefault : labelSelector(classSelector);
  if (typeof selects === 'string') return { by, ...(sought && { sought }), isMalformed: true };
  const named = { by, ...(sought && { sought }) } as const;
  if (candidates === undefined) return named;
  const qualifies = (one: Class): boolean =>
    classSelector === undefined ? isDefaultClass(one) : selects(one.metadata.labels);
  const { incompatible, forbidden } = qualified(claim, candidates, qualifies);
  const all = candidates.flatMap(({ classes }) => classes);
  return { ...named, all, incompatible, forbidden, matching: all.filter(qualifies) };
}

const isDefault = (): boolean => true;

function unresolvedOf({ managedService, referenced }: Findings, managed: Managed): string | undefined {
  const fields = managedService?.references ?? [];
  if (fields.length === 0 || referenced.some(({ objects }) => objects.is !== 'there')) return undefined;
  const all = (kind: { readonly plural: string; readonly version: string; readonly group: string }) =>
    thereOf(referenced.find((one) => kindKey(one.kind) === kindKey(kind))?.objects ?? { is: 'unsought' }) ??
    [];
  const resolved = attempt(() =>
    withReferences(managed, fields, {
      all,
      get: (kind, name) => all(kind).find(({ metadata }) => metadata.name === name),
    }),
  );
  return isError(resolved) ? resolved.message : undefined;
}
