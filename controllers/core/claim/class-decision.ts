import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { ObjectReference } from '../../../apis/core/v1alpha1/reference.ts';
import type { Candidates } from './class-choice.ts';

/** What is known when a claim without a class is looked at. */
export interface AssignmentFacts {
  readonly claim: Claim | undefined;
  /** The claim owns a managed resource already, even if its own references were removed. */
  readonly isHolding: boolean;
  /** Every class kind that could satisfy the claim kind and whose stack works, in a fixed order. */
  readonly candidates: readonly Candidates[];
}

/** The decisions of class assignment in docs/decision-tables.md; scheduling and defaulting share them. */
export type ClassDecisionName =
  | 'ClaimGone'
  | 'HasResource'
  | 'HasClass'
  | 'NeedsNoClass'
  | 'InvalidClassSelector'
  | 'NoMatchingClass'
  | 'NoDefaultClass'
  | 'ReportedElsewhere'
  | 'PeerReports'
  | 'AssignClass'
  | 'PeerAssigns';

/** A decision about one claim that may need a class; `name` is its line in docs/decision-tables.md. */
export type ClassDecision =
  | {
      readonly name: Exclude<
        ClassDecisionName,
        'InvalidClassSelector' | 'NoMatchingClass' | 'NoDefaultClass' | 'AssignClass'
      >;
      readonly act: 'nothing';
    }
  | {
      readonly name: 'InvalidClassSelector' | 'NoMatchingClass' | 'NoDefaultClass';
      readonly act: 'report';
      readonly reason: string;
      readonly message: string;
      /** Where a process with other stacks may know better. */
      readonly consideredKinds?: readonly string[];
    }
  | {
      readonly name: 'AssignClass';
      readonly act: 'schedule';
      readonly classRef: ObjectReference;
      readonly message: string;
    };
