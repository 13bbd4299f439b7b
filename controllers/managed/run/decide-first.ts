import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  finalizerNames,
  hasFinalizer,
  isPaused,
  wasDeleted,
} from '../../../apis/core/v1alpha1/meta.ts';
import { firstMatch } from '../../first-match.ts';
import {
  invalidOnLoss,
  invalidPolicies,
  isPausedByPolicies,
  shouldDelete,
} from '../../management-policies.ts';
import { isReturnable } from '../../retention.ts';
import { isCreationIncomplete } from '../recording/creation-tracking.ts';
import type { Decision } from './decision.ts';
import type { Facts } from './facts.ts';

type FirstFacts = Pick<Facts, 'managed'> & Partial<Pick<Facts, 'operation'>>;

/** The decision that ends the run before the external system is called. Undefined: the run continues. */
export const decideFirst = (facts: FirstFacts): Decision | undefined => firstMatch(facts, firstChecks);

const firstChecks: readonly ((facts: FirstFacts) => Decision | undefined)[] = [
  resourceGone,
  paused,
  unsupportedPolicies,
  orphanExternal,
  creationIncomplete,
];

function resourceGone({ managed }: FirstFacts): Decision | undefined {
  const isGone = wasDeleted(managed) && !hasFinalizer(managed, finalizerNames.managed);
  return isGone ? { name: 'ResourceGone' } : undefined;
}

function paused({ managed }: FirstFacts): Decision | undefined {
  if (!isPaused(managed) && !isPausedByPolicies(managed.spec)) return undefined;
  const by = isPaused(managed) ? `the ${annotationKeys.paused} annotation` : 'empty spec.managementPolicies';
  return { name: 'Paused', message: `reconciliation is paused by ${by}${heldBack(managed)}` };
}

/** The deletion that waits for the end of a pause. */
function heldBack(managed: Managed): string {
  if (wasDeleted(managed)) return '; deletion waits until it resumes';
  const hasDate = isReturnable(managed) && managed.status?.deleteAt !== undefined;
  return hasDate ? '; it is not deleted at its date until it resumes' : '';
}

function unsupportedPolicies({ managed }: FirstFacts): Decision | undefined {
  const message =
    invalidPolicies(managed.spec) ?? (wasDeleted(managed) ? undefined : invalidOnLoss(managed.spec));
  return message === undefined ? undefined : { name: 'UnsupportedPolicies', message };
}

function orphanExternal({ managed }: FirstFacts): Decision | undefined {
  return wasDeleted(managed) && !shouldDelete(managed.spec) ? { name: 'OrphanExternal' } : undefined;
}

/** The result of a creation is not recorded, and no ongoing operation will show the result. */
export function creationIncomplete({ managed, operation }: FirstFacts): Decision | undefined {
  if (operation?.underWay !== undefined || !isCreationIncomplete(managed)) return undefined;
  return { name: 'CreationIncomplete', message: undetermined(managed) };
}

/** Crossplane's message for an unknown result of a creation, and how an administrator lets the creation continue. */
const undetermined = (managed: Managed): string =>
  `cannot determine creation result - remove the ${annotationKeys.externalCreatePending} annotation if it is safe to proceed: look for it in the external system; ${advice.continueCreation(managed)}`;
