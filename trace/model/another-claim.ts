/*
 *   another claim in place of one that cannot be served: what goes with the deletion of that one is said before, and no
 *   command deletes one that may have something.
 */

import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasBound } from '../../controllers/core/claim/ownership.ts';
import { shouldDelete } from '../../controllers/core/management-policies.ts';
import { adviceOf, claimKindOf, keyOf } from './fault-finding.ts';
import { thereOf } from './findings.ts';
import { describeObject, kubectl } from './mend.ts';
import type { Fault } from './trace.ts';
import type { View } from './view.ts';

/** What becomes of a claim's managed resource with it. */
export function goesWithClaim(managed: Managed): string {
  const what = describeObject(managed);
  if (managed.spec.reclaimPolicy !== 'Delete') return `Deleting this one leaves ${what}, which it has`;
  const outside = shouldDelete(managed.spec)
    ? 'and what that stands for in the external system, with its data'
    : 'and not what that stands for in the external system';
  return `Deleting this one deletes ${what}, too, which it has, ${outside}`;
}

/** What is lost with a claim, a sentence each; none: nothing, as far as may be seen. */
function lostWith({ owned, managed, target }: View, claim: Claim): readonly string[] {
  const has = thereOf(owned)?.[0];
  const mayHaveSecret = wasBound(claim) && target !== undefined && target.secret.is !== 'absent';
  const isNamed = claim.spec.resourceRef !== undefined;
  const isUnseen = owned.is === 'withheld' || (isNamed && managed.is !== 'there' && managed.is !== 'absent');
  return [
    ...(has === undefined ? [] : [`${goesWithClaim(has)}.`]),
    ...(has === undefined && isUnseen
      ? [
          'What this one has cannot be seen here, and may go with it, data and all: delete it only if it has nothing.',
        ]
      : []),
    ...(mayHaveSecret
      ? [
          `The secret ${target.key.name} of this one goes with it, and may be the only copy of a password that works: ask first whether anybody needs that.`,
        ]
      : []),
  ];
}

/**
 * Has another claim made, `todo` being which: `Create another claim, with a class`. Where something may be done `instead`,
 * that has the commands: of alternatives, nobody is to paste both.
 */
export function anotherClaim(
  view: View,
  claim: Claim,
  todo: string,
  instead?: Pick<Fault, 'advice' | 'mend'>,
): Pick<Fault, 'advice' | 'mend'> {
  const lost = lostWith(view, claim);
  const end = instead === undefined ? ':' : '.';
  if (lost.length > 0)
    return { ...adviceOf(`${todo}.`, ...lost, instead?.advice), mend: instead?.mend ?? [] };
  return {
    ...adviceOf(`${todo}, and delete this one, which has nothing${end}`, instead?.advice),
    mend: instead?.mend ?? [kubectl('delete', claimKindOf(view), keyOf(claim))],
  };
}
