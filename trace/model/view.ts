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
import { labelsOf } from '../../apis/core/v1alpha1/namespace.ts';
import { referenceIsOfKind } from '../../apis/core/v1alpha1/reference.ts';
import { describeSelector, labelSelector } from '../../apis/core/v1alpha1/selector.ts';
import { recordKeys } from '../../controllers/core/claim/claim-record.ts';
import { wasBound } from '../../controllers/core/claim/claim-status.ts';
import type { Candidates } from '../../controllers/core/claim/class-choice.ts';
import { drawClass, qualified } from '../../controllers/core/claim/class-choice.ts';
import type { ClassDecision } from '../../controllers/core/claim/class-decision.ts';
import { isNamedBy } from '../../controllers/core/claim/holdings.ts';
import type { ClaimNamespace } from '../../controllers/core/claim/may-claim.ts';
import { whyNotFor } from '../../controllers/core/claim/may-claim.ts';
import { unfitness } from '../../controllers/core/claim/misfit.ts';
import { isOnRecordFor } from '../../controllers/core/claim/rightful-claim.ts';
import type { BindingDecision, BindingInput } from '../../controllers/core/claim-binding/decide.ts';
import { decideBinding, isConcerned } from '../../controllers/core/claim-binding/decide.ts';
import { isHandedTo } from '../../controllers/core/claim-binding/handed-to.ts';
import { decideDefaulting } from '../../controllers/core/claim-defaulting/decide.ts';
import { decideScheduling } from '../../controllers/core/claim-scheduling/decide.ts';
import type { FirstDecision } from '../../controllers/core/managed/decide.ts';
import { decideFirst } from '../../controllers/core/managed/decide.ts';
import { withReferences } from '../../controllers/core/references/references.ts';
import type { PropagationDecision } from '../../controllers/core/secret-propagation/decide.ts';
import { decidePropagation } from '../../controllers/core/secret-propagation/decide.ts';
import type { Findings } from './findings.ts';
import { thereOf } from './findings.ts';

/** How a claim comes by a class. */
export interface ClassChoice {
  readonly by: 'selector' | 'default' | 'classRef' | 'resourceRef';
  /** `size=small`, or which annotation makes a default. */
  readonly sought?: string;
  readonly matching?: readonly Class[];
  /** Of those that match, why they cannot serve the claim. */
  readonly misfits?: readonly string[];
  /** How many of those that match are not for the claim's namespace. */
  readonly forbidden?: number;
  /** All there are. */
  readonly all?: readonly Class[];
  readonly isMalformed?: boolean;
}

/**
 * What follows from what was found: the decisions that the controllers come to over the same objects, by their own pure
 * functions. Absent: there is nothing to decide, or it could not be read.
 */
export interface View extends Findings {
  readonly theClaim: Claim | undefined;
  readonly theClass: Class | undefined;
  readonly theManaged: Managed | undefined;
  readonly choice?: ClassChoice | undefined;
  readonly assignment?: ClassDecision | undefined;
  readonly binding?: BindingDecision | undefined;
  /** Why the class from which the claim is about to be provisioned cannot serve it. */
  readonly misfit?: string | undefined;
  readonly first?: FirstDecision | undefined;
  readonly propagation?: PropagationDecision | undefined;
  /** Why a reference of the managed resource leads nowhere. */
  readonly unresolved?: string | undefined;
}

export const readyOf = (
  object: { readonly status?: { readonly conditions?: readonly Condition[] } } | undefined,
) => getCondition(object?.status?.conditions, 'Ready');
export const syncedOf = (
  object: { readonly status?: { readonly conditions?: readonly Condition[] } } | undefined,
) => getCondition(object?.status?.conditions, 'Synced');

/** Whether an object was looked at as it is now: the generation that its status tells of is its own. */
export function isLookedAt(object: KubernetesObject): boolean {
  const { status } = object as { readonly status?: { readonly observedGeneration?: number } };
  const { generation } = object.metadata;
  if (status?.observedGeneration === undefined) return false;
  return generation === undefined || status.observedGeneration >= generation;
}

/** Decides over findings. Pure. */
export function viewOf(findings: Findings): View {
  const theClaim = thereOf(findings.claim);
  const theManaged = thereOf(findings.managed);
  const isOfClaim = findings.subject.known.sort === 'claim';
  const facts = { ...findings, theClaim, theManaged, theClass: thereOf(findings.resourceClass) };
  return {
    ...facts,
    ...(theClaim !== undefined && isOfClaim && ofClaim(facts, theClaim)),
    ...(theManaged !== undefined && {
      first: decideFirst(theManaged),
      unresolved: unresolvedOf(findings, theManaged),
    }),
    propagation: propagationOf(facts),
  };
}

type Facts = Omit<
  View,
  'binding' | 'misfit' | 'first' | 'propagation' | 'unresolved' | 'choice' | 'assignment'
>;

function ofClaim(facts: Facts, claim: Claim): Pick<View, 'choice' | 'assignment' | 'binding' | 'misfit'> {
  const { services, classes, held, theManaged, theClass } = facts;
  // Whether a namespace that may not be read is selected, nobody guesses.
  const isNamespaceKnown = facts.namespace.is !== 'withheld';
  const areClassesKnown = isNamespaceKnown && classes.every((found) => found.classes.is !== 'withheld');
  const namespace = namespaceOf(facts, claim);
  const candidates: readonly Candidates[] = classes.map(({ service, classes: found }) => ({
    kind: service.class,
    classes: thereOf(found) ?? [],
    unfitness: (one, offered) => unfitness(service, one, offered),
    isForbidden: (offered) => whyNotFor(namespace, offered) !== undefined,
  }));
  const kind = candidates[0]?.kind;
  const input = { claim, isHolding: held.is === 'there', candidates };
  const assignment =
    kind === undefined || !areClassesKnown || claim.spec.classRef !== undefined
      ? undefined
      : claim.spec.classSelector === undefined
        ? decideDefaulting({ ...input, kind })
        : decideScheduling({ ...input, kind, draw: drawClass });
  const holding = thereOf(held);
  const service = services.find((each) => isConcerned(each, claim, holding)) ?? services[0];
  // What may not be read is neither there nor absent: nothing is decided over it.
  const isKnown = ![facts.managed, facts.held, facts.resourceClass].some(({ is }) => is === 'withheld');
  const decided =
    service === undefined || !isKnown || !isNamespaceKnown
      ? undefined
      : attempt(() =>
          decideBinding({
            service,
            peers: services,
            claim,
            managed: theManaged,
            resourceClass: theClass,
            held: holding,
            ...besides(facts, claim),
            namespace,
            isHandedOver: wasHandedOver(facts, claim),
          }),
        );
  const binding = isError(decided) ? undefined : decided;
  const isProvisioning = binding?.act === 'record' || binding?.act === 'create';
  return {
    choice: choiceOf(claim, areClassesKnown ? candidates : undefined),
    assignment,
    binding,
    ...(isProvisioning && service && { misfit: unfitness(service, claim, binding.resourceClass) }),
  };
}

/** As far as its own secret tells, and the mark on the one that it is copied from. */
function wasHandedOver({ source, target }: Facts, { metadata: { uid } }: Claim): boolean {
  const given = source && thereOf(source.secret);
  const isThere = target !== undefined && thereOf(target.secret) !== undefined;
  return isThere || (given !== undefined && isHandedTo(given.secret, uid));
}

/** What is known of the other claims that may have what this one names. */
function besides(
  { otherClaims, theManaged }: Facts,
  claim: Claim,
): Pick<BindingInput, 'rightful' | 'isDisputed'> {
  const others = otherClaims === undefined ? [] : (thereOf(otherClaims) ?? []);
  if (theManaged === undefined) return {};
  const rightful = others.find((other) => isOnRecordFor(theManaged, other));
  // Where they may not be read, nobody can tell.
  const isWithheld = otherClaims?.is === 'withheld' && !isOnRecordFor(theManaged, claim);
  return {
    ...(rightful && { rightful }),
    isDisputed: isWithheld || others.some((other) => wasBound(other) && isNamedBy(theManaged, other)),
  };
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
    // Empty: somebody chose for a claim that selects nothing.
    const isDefaulted = claim.metadata.annotations?.[recordKeys.selector] === '';
    if (classRef !== undefined && !isDefaulted) return { by: 'classRef' };
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
  const { misfits, forbidden } = qualified(claim, candidates, qualifies);
  const all = candidates.flatMap(({ classes }) => classes);
  return { ...named, all, misfits, forbidden, matching: all.filter(qualifies) };
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

function propagationOf(facts: Facts): PropagationDecision | undefined {
  const { source, target, theClaim, theManaged, managedService, services } = facts;
  const kind = managedService?.kind ?? services[0]?.managed;
  if (target === undefined || kind === undefined || theManaged === undefined) return undefined;
  if (target.secret.is !== 'there' || source?.secret.is !== 'there') return undefined;
  if (!referenceIsOfKind(theManaged, kind)) return undefined;
  return decidePropagation({
    kind,
    target: target.secret.value.secret,
    source: source.secret.value.secret,
    claim: theClaim,
    managed: theManaged,
  });
}
