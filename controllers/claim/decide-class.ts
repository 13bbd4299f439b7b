import isMatch from 'lodash/isMatch.js';
import pick from 'lodash/pick.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';
import { completeReference, describeReference, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import type { Candidates } from './class-choice.ts';
import { describeForbidden, describeIncompatible, passedOver, qualified, tally } from './class-choice.ts';
import type { NotServed } from './other-processes.ts';
import { consideredKinds, isOfOtherProcess } from './other-processes.ts';

export interface ClassFacts {
  readonly claim: Claim | undefined;
  /** Whether the claim owns a managed resource. It may own one even if a user removed `resourceRef`. */
  readonly isHolding: boolean;
  /** The managed resource that the claim can take back: a claim of its kind, namespace and name was deleted. */
  readonly returnable?: Managed | undefined;
  /** Every class kind that can serve the claim kind and whose stack is ready. */
  readonly candidates: readonly Candidates[];
  /** Why the labels of the claim's namespace are not known. */
  readonly namespaceProblem?: string | undefined;
}

type NoClass = Exclude<NotServed, 'UnknownKind'>;
type Nothing = Exclude<
  ReturnType<typeof classDecisions>[number],
  NoClass | 'InvalidClassSelector' | 'AssignClass'
>;

/** All decisions, in the order of docs/decision-tables.md. `reports`: those that report why no class was found. */
export const classDecisions = (...reports: readonly (NoClass | 'InvalidClassSelector')[]) =>
  [
    ...(['ClaimGone', 'HasResource', 'HasClass', 'NeedsNoClass'] as const),
    ...reports,
    ...(['ReportedElsewhere', 'AssignClass'] as const),
  ] as const;

export type ClassDecision =
  | { readonly name: Nothing; readonly act: 'nothing' }
  | {
      readonly name: 'InvalidClassSelector' | NoClass;
      readonly act: 'report';
      readonly reason: string;
      readonly message: string;
      /** The message without the number or list of all classes, so that a new class does not cause another Event. */
      readonly eventMessage: string;
      /** The class kinds that this process knows. A process with other stacks may find a class. */
      readonly consideredKinds?: readonly string[];
    }
  | {
      readonly name: 'AssignClass';
      readonly act: 'schedule';
      readonly classRef: ObjectReference;
      readonly message: string;
      /** The class is that of a resource that the claim can take back. */
      readonly isOfReturnable?: true;
    };

/** The facts for the message if no class was chosen. */
interface NoneChosen {
  /** Whether some class qualifies, but cannot serve the claim or may not be used in the claim's namespace. */
  readonly areIncompatible: boolean;
  /** The number of qualified classes of each kind, as a text for messages. */
  readonly counts: string;
  /** The classes that qualify and that the claim can get. */
  readonly fit: readonly Class[];
  /** All classes that the claim can get, even those that do not qualify. */
  readonly suitable: readonly Class[];
}

/** How the class of a claim is chosen: by selector, by name, or as the default class. */
export interface ClassChoice {
  readonly noneName: Exclude<NoClass, 'AmbiguousClass'>;
  /** Classes that are being deleted never qualify. */
  readonly qualifies: (candidate: Class) => boolean;
  /** `fit`: the classes that qualify and that the claim can get. `all`: every class that qualifies. */
  readonly choose: (fit: readonly Class[], all: readonly Class[]) => Class | undefined;
  /** `details`: the number or list of all classes. The Event has no details. */
  readonly describeNone: (none: NoneChosen) => readonly [problem: string, details: string];
  readonly describeChosen: (chosen: string, fit: readonly Class[]) => string;
}

export interface ClassPolicy {
  readonly needsClass: (claim: Claim) => boolean;
  /** `problem`: why the claim's selector is malformed. */
  readonly choiceOf: (claim: Claim) => ClassChoice | { readonly problem: string };
}

/**
 * Decides whether a claim gets a class, and which. Checks every condition again, because the claim may have changed since
 * the trigger (H8 in docs/decision-tables.md).
 */
export function decideClass(facts: ClassFacts, { needsClass, choiceOf }: ClassPolicy): ClassDecision {
  const { claim, isHolding, returnable, candidates, namespaceProblem } = facts;
  if (claim === undefined) return nothing('ClaimGone');
  if (isHolding) return nothing('HasResource');
  if (completeReference(claim.spec.classRef) !== undefined) return nothing('HasClass');
  if (wasDeleted(claim) || !needsClass(claim)) return nothing('NeedsNoClass');
  const { kind, metadata, spec } = returnable ?? {};
  if (spec?.classRef !== undefined && fits(claim.spec.classRef, spec.classRef)) {
    const message = `${describeReference(spec.classRef)} of ${kind} ${metadata?.name}, which a previous claim of this name had`;
    return { name: 'AssignClass', act: 'schedule', classRef: spec.classRef, message, isOfReturnable: true };
  }
  const choice = choiceOf(claim);
  if ('problem' in choice) return none('InvalidClassSelector', choice.problem);
  const qualifies = (candidate: Class) => !wasDeleted(candidate) && choice.qualifies(candidate);
  const { fit, incompatible, forbidden } = qualified(claim, candidates, qualifies);
  const all = candidates.flatMap(({ classes }) => classes.filter(qualifies));
  const chosen = choice.choose(fit, all);
  if (chosen === undefined) {
    const considered = consideredKinds(candidates.map((candidate) => candidate.kind));
    const name = fit.length > 0 ? 'AmbiguousClass' : choice.noneName;
    if (isOfOtherProcess(claim, name, considered)) return nothing('ReportedElsewhere');
    const [problem, details] = choice.describeNone({
      areIncompatible: incompatible.length + forbidden > 0,
      counts: tally(candidates, qualifies),
      fit,
      suitable: qualified(claim, candidates, (candidate) => !wasDeleted(candidate)).fit,
    });
    const passed = `${describeForbidden(forbidden, claim, namespaceProblem)}${describeIncompatible(incompatible)}`;
    return { ...none(name, problem, details, passed), consideredKinds: considered };
  }
  const described = choice.describeChosen(`${chosen.kind} ${chosen.metadata.name}`, fit);
  const message = `${described}${fit.length === 0 ? '' : passedOver(incompatible)}`;
  return { name: 'AssignClass', act: 'schedule', classRef: referenceTo(chosen), message };
}

/** Whether an incomplete `classRef`, or none, can mean this class. */
const fits = (given: ObjectReference = {}, { apiVersion, kind, name }: ObjectReference): boolean =>
  isMatch({ apiVersion, kind, name }, pick(given, ['apiVersion', 'kind', 'name']));

const nothing = (name: Nothing) => ({ name, act: 'nothing' }) as const;

const none = (name: 'InvalidClassSelector' | NoClass, problem: string, details = '', passed = '') => {
  const [message, eventMessage] = [`${problem}${details}${passed}`, `${problem}${passed}`];
  return { name, act: 'report', reason: name, message, eventMessage } as const;
};
