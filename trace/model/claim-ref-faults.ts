import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { describeReference } from '../../apis/core/v1alpha1/reference.ts';
import { holdsClaim, isNamedBy, refersToClaim } from '../../controllers/core/claim/holdings.ts';
import { isProvisionedName } from '../../controllers/core/claim/provisioned-name.ts';
import { isReserved, reservedFor } from '../../controllers/core/claim/reservation.ts';
import { isOnRecordFor } from '../../controllers/core/claim/rightful-claim.ts';
import { returning, wasTakenFrom } from '../../controllers/core/claim-binding/claim-reference.ts';
import { wasTakenAway } from '../../controllers/core/claim-marks.ts';
import type { Find } from './fault-finding.ts';
import { keyOf } from './fault-finding.ts';
import type { Findings, Found } from './findings.ts';
import { thereOf } from './findings.ts';
import { describeObject, patch } from './mend.ts';
import type { Fault } from './trace.ts';

/** Whether somebody has edited the claimRef of what a claim had, and still names. */
export const isEditedAway = (managed: Managed, claim: Claim): boolean =>
  wasTakenFrom(managed, claim) && isNamedBy(managed, claim) && !holdsClaim(managed, claim);

/** Whether a managed resource names the claim that it was made for or taken by, so that nobody need look for another. */
export const isSettled = (managed: Managed, claim: Found<Claim>): boolean =>
  claim.is === 'there' && holdsClaim(managed, claim.value) && isOnRecordFor(managed, claim.value);

/** What the edited claimRef says in place of the claim, to be said after its name. */
export function saysInstead({ spec: { claimRef } }: Managed, isSameName: boolean): string {
  if (claimRef === undefined) return 'names nobody';
  return isSameName ? 'has another UID than that' : `names ${describeReference(claimRef)}`;
}

/**
 * How a managed resource is given back to its claim. Not where another claim has it, or wants it, or where nobody can
 * tell: what is another's is not taken from him.
 */
export function givingBack(
  { managedService }: Pick<Findings, 'managedService'>,
  managed: Managed,
  { claim, rival }: { readonly claim: Claim; readonly rival: Found<Claim> },
): Pick<Fault, 'advice' | 'mend'> {
  const other = thereOf(rival);
  const isWanted =
    other !== undefined &&
    (isNamedBy(managed, other) || (other.spec.resourceRef === undefined && holdsClaim(managed, other)));
  if (isWanted) {
    return {
      advice: `Two claims want it by now: ask whoever edited that, and whoever has ${describeObject(other)}, before it is taken from there.`,
      mend: [],
    };
  }
  if (rival.is === 'withheld') {
    return {
      advice: 'Whether that claim uses it, you may not read: who may can say, before it is taken from there.',
      mend: [],
    };
  }
  return {
    advice: 'Who administers it can give it back:',
    mend: managedService ? [patch(managedService.kind, keyOf(managed), returning(claim))] : [],
  };
}

/** The managed resource is a claim's that it does not name, or not any more. */
export const claimRefEdited: Find = (view) => {
  const { subject, theManaged, theClaim, claim, deprived = { is: 'unsought' } } = view;
  if (subject.known.sort !== 'managed' || theManaged === undefined) return undefined;
  const theDeprived = thereOf(deprived);
  if (theDeprived !== undefined) {
    const isSame = theClaim?.metadata.uid === theDeprived.metadata.uid;
    const how = isProvisionedName(theDeprived, theManaged.metadata.name) ? 'was made for' : 'was taken by';
    const instead = saysInstead(theManaged, refersToClaim(theManaged, theDeprived));
    return {
      link: 'resource',
      cause: `${describeObject(theManaged)} ${how} ${describeObject(theDeprived)}, which cannot use it: its spec.claimRef ${instead} since somebody edited it.`,
      ...givingBack(view, theManaged, {
        claim: theDeprived,
        rival: isSame ? { is: 'unsought' } : claim,
      }),
    };
  }
  if (deprived.is !== 'withheld' || !isMarkedForAnother(theManaged)) return undefined;
  return {
    link: 'resource',
    cause: `${describeObject(theManaged)} was given to a claim, which its spec.claimRef does not name any more.`,
    advice: 'Who may read the claims can see which.',
    mend: [],
  };
};

/** As far as its own marks tell. */
function isMarkedForAnother(managed: Managed): boolean {
  const isReservedForAnother = reservedFor(managed) !== undefined && !isReserved(managed);
  return wasTakenAway(managed) || isReservedForAnother;
}
