/*
 * The decisions of binding after which a claim has no resource that it can use.
 */

import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { describeReference } from '../../apis/core/v1alpha1/reference.ts';
import { isOwnedBy, namesClaim } from '../../controllers/core/claim/ownership.ts';
import { howToMakeAvailable } from '../../controllers/core/claim-binding/report.ts';
import { anotherClaim } from './another-claim.ts';
import type { Find } from './fault-finding.ts';
import { adviceOf, claimKindOf, keyOf, meantIn, sentence } from './fault-finding.ts';
import { annotate, describeObject, kubectl, making } from './mend.ts';
import type { Fault } from './trace.ts';
import type { View } from './view.ts';
import { syncedOf } from './view.ts';

/** A claim that is not Bound yet can name another resource. */
const anotherResource = (view: View, or = ''): Pick<Fault, 'advice' | 'mend'> => ({
  advice: `Name another resource in spec.resourceRef of the claim${or}.`,
  mend: view.theClaim === undefined ? [] : [kubectl('edit', claimKindOf(view), keyOf(view.theClaim))],
});

/** Another claim, or an operator of another product, owns the resource that the claim names. */
export const claimedByAnother: Find = (view) => {
  const { binding, theClaim, theManaged } = view;
  if (binding === undefined || theClaim === undefined || theManaged === undefined) return undefined;
  if (binding.name === 'ControlledByOther') {
    return { link: 'resource', cause: `${sentence(binding.message ?? '')}.`, ...anotherResource(view) };
  }
  if (binding.name !== 'ClaimedByOther') return undefined;
  const { claimRef = {} } = theManaged.spec;
  const owner = describeReference(claimRef);
  const verb = claimRef.uid === undefined ? 'is reserved for' : 'is claimed by';
  const isFormer = namesClaim(theManaged, theClaim);
  const how = isFormer ? `belongs to a previous ${owner} with another UID` : `${verb} ${owner}`;
  return {
    link: 'resource',
    cause: `${describeObject(theManaged)} ${how}.`,
    ...anotherResource(view, isFormer ? '' : ', or delete the claim that has this one'),
  };
};

/** An administrator reserved the resource with a `claimRef` that names no claim. */
export const claimRefIncomplete: Find = ({ binding, theManaged, managedService }) =>
  binding?.name !== 'ClaimRefIncomplete' || theManaged === undefined || managedService === undefined
    ? undefined
    : {
        link: 'resource',
        cause: `${sentence(binding.message ?? '')}.`,
        mend: [kubectl('edit', managedService.kind, keyOf(theManaged))],
      };

/** A claim released the resource, and no administrator has made it available again. */
export const released: Find = ({ binding, theClaim, theManaged, managedService }) => {
  if (binding?.name !== 'Released' || theClaim === undefined) return undefined;
  if (theManaged === undefined || managedService === undefined) return undefined;
  return {
    link: 'resource',
    cause: `A previous claim released ${describeObject(theManaged)}, and no administrator has made it available again.`,
    advice:
      'It may hold the data of its previous claim: ask the team of that claim first. Then an administrator can make it available to this claim, and to no other:',
    mend: [howToMakeAvailable(managedService.kind, theManaged, theClaim)],
  };
};

/** The resource does not exist, or not any more. */
export const missingResource: Find = (view) => {
  const { binding, theClaim } = view;
  if (binding === undefined || theClaim === undefined) return undefined;
  const { resourceRef = {} } = theClaim.spec;
  if (binding.name === 'ResourceLost') {
    return {
      link: 'resource',
      cause: `The claim was bound to ${describeReference(resourceRef)}, which no longer exists.`,
      ...anotherClaim(view, theClaim, 'Create another claim'),
    };
  }
  if (binding.name !== 'ResourceMissing') return undefined;
  const create = making(resourceRef);
  const another = anotherClaim(view, theClaim, 'Create another claim, for another resource', {
    ...create,
    advice: `Or create the resource that this claim names. ${create.advice}`,
  });
  return {
    link: 'resource',
    cause: `${sentence(binding.message ?? '')}.`,
    ...adviceOf(meantIn(view), another.advice),
    mend: another.mend,
  };
};

/** No claim can use a resource that is being deleted. */
export const resourceDeleted: Find = (view) => {
  const { binding, theClaim, theManaged } = view;
  if (binding?.name !== 'ResourceDeleted' || theClaim === undefined || theManaged === undefined)
    return undefined;
  return {
    link: 'resource',
    cause: `${describeObject(theManaged)} is being deleted, and no claim can use it any more.`,
    ...(isOwnedBy(theManaged, theClaim)
      ? anotherClaim(view, theClaim, 'Create another claim')
      : anotherResource(view)),
  };
};

/** The previous claim knows the credentials, and no controller can replace them. */
export const credentialCannotChange: Find = ({ decided, theManaged, managedService }) => {
  const credential = decided?.credential;
  if (
    credential?.name !== 'CredentialCannotChange' ||
    theManaged === undefined ||
    managedService === undefined
  )
    return undefined;
  return {
    link: 'resource',
    cause: `${describeObject(theManaged)} still has the credentials of its previous claim: ${credential.message}.`,
    advice:
      'If the previous claim may know the credentials of the new claim, give them to it as they are. Otherwise do the other thing that the message names:',
    mend: [
      annotate(managedService.kind, keyOf(theManaged), `${annotationKeys.reoffer}=with-same-credentials`),
    ],
  };
};

/** The external system does not use a credential for this claim, and the resource's controller reports a failure. */
export const credentialNotApplied: Find = ({ binding, theManaged, managedService }) => {
  if (binding === undefined || theManaged === undefined || managedService === undefined) return undefined;
  const isFailing = syncedOf(theManaged).status === 'False';
  if (binding.name !== 'CredentialNotApplied' || !isFailing) return undefined;
  return {
    link: 'resource',
    cause: `${sentence(binding.message ?? '')}.`,
    advice: 'The claim gets the connection details once the controller has applied the credential.',
    mend: [kubectl('edit', managedService.kind, keyOf(theManaged))],
  };
};
