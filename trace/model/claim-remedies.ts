/*
 * Remedies for a claim that has no resource. Advice to delete a claim lists the data that is deleted with it, and no
 * command deletes a claim that may have data.
 */

import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { describeReference } from '../../apis/core/v1alpha1/reference.ts';
import { isOwnedBy, namesClaim, wasBound } from '../../controllers/core/claim/ownership.ts';
import { howToMakeAvailable } from '../../controllers/core/claim-binding/report.ts';
import { shouldDelete } from '../../controllers/core/management-policies.ts';
import { describeObject, kubectl, making } from './commands.ts';
import type { Remedy } from './fault-parts.ts';
import { adviceOf, claimKindOf, keyOf, meantIn } from './fault-parts.ts';
import type { Details } from './fault-row.ts';
import { thereOf } from './findings.ts';
import type { Sign } from './signs.ts';
import type { View } from './view.ts';

/** The effect of the claim's deletion on its managed resource. */
function deletedWithClaim(managed: Managed): string {
  const resource = describeObject(managed);
  if (managed.spec.reclaimPolicy !== 'Delete') return `Deleting this claim keeps its resource ${resource}`;
  const external = shouldDelete(managed.spec)
    ? 'and the external resource with its data'
    : 'and keeps the external resource';
  return `Deleting this claim also deletes its resource ${resource}, ${external}`;
}

/** The data that is deleted with a claim, a sentence each; empty: none that can be seen. */
function lostWith({ owned, managed, target }: View, claim: Claim): readonly string[] {
  const own = thereOf(owned)?.[0];
  const mayHaveSecret = wasBound(claim) && target !== undefined && target.secret.is !== 'absent';
  const isNamed = claim.spec.resourceRef !== undefined;
  const isUnseen = owned.is === 'withheld' || (isNamed && managed.is !== 'there' && managed.is !== 'absent');
  const sentences = [
    own && `${deletedWithClaim(own)}.`,
    !own && isUnseen
      ? 'You cannot read the resource of this claim. It may be deleted with the claim, with its data. Delete the claim only if it has no resource.'
      : undefined,
    mayHaveSecret
      ? `The Secret ${target.key.name} is deleted with this claim. It may be the only copy of a password that works: ask first whether a user needs it.`
      : undefined,
  ];
  return sentences.filter((one) => one !== undefined);
}

/**
 * Advice to create another claim: `todo`, for example `Create another claim, with a class`. If there is an alternative,
 * the commands are those of the alternative, so that a user does not run both.
 */
function anotherClaim(view: View, todo: string, alternative?: Remedy): Remedy {
  const { theClaim } = view;
  if (theClaim === undefined) return { commands: [] };
  const lost = lostWith(view, theClaim);
  if (lost.length > 0)
    return { ...adviceOf(`${todo}.`, ...lost, alternative?.advice), commands: alternative?.commands ?? [] };
  const end = alternative === undefined ? ':' : '.';
  return {
    ...adviceOf(
      `${todo}, and delete this claim, which has no resource and no data${end}`,
      alternative?.advice,
    ),
    commands: alternative?.commands ?? [kubectl('delete', claimKindOf(view), keyOf(theClaim))],
  };
}

export const incompatibleResource: Details = (view) => {
  const link = view.theManaged === undefined ? 'class' : 'resource';
  return { link, ...anotherClaim(view, `Create another claim, with another ${link} or version`) };
};

export const incompatibleChoice =
  (isRefused: (view: View) => boolean): Sign =>
  (view) =>
    view.choice?.incompatible?.length && isRefused(view) ? view.choice.incompatible.join('; ') : undefined;

export const unknownKind: Details = (view) => ({
  link: view.theClaim?.spec.resourceRef === undefined ? 'class' : 'resource',
  ...anotherClaim(view, 'Run the stack that handles the kind (--stacks), or create another claim'),
});

export const missingClass: Details = (view) => {
  const names = view.classes
    .flatMap(({ classes }) => thereOf(classes) ?? [])
    .map(({ metadata }) => metadata.name);
  const { advice, commands } = making(view.theClaim?.spec.classRef ?? {});
  if (names.length === 0) return { ...adviceOf('There are no classes. Create that one.', advice), commands };
  const alternative = { ...adviceOf('Or create that class.', advice), commands };
  const another = anotherClaim(view, 'Create another claim, with one that exists', alternative);
  return { ...another, ...adviceOf(`There are ${names.toSorted().join(', ')}.`, another.advice) };
};

export const claimedByOther: Details = ({ theClaim, theManaged }) => {
  if (theClaim === undefined || theManaged === undefined) return {};
  const { claimRef = {} } = theManaged.spec;
  const owner = describeReference(claimRef);
  const isPrevious = namesClaim(theManaged, theClaim);
  const verb = claimRef.uid === undefined ? 'is reserved for' : 'is claimed by';
  return {
    cause: `${describeObject(theManaged)} ${
      isPrevious ? `belongs to a previous ${owner} with another UID` : `${verb} ${owner}`
    }.`,
    advice: 'Name another resource in spec.resourceRef of the claim.',
  };
};

export const makeAvailable: Details = ({ managedService, theManaged, theClaim }) =>
  managedService && theManaged && theClaim
    ? { commands: [howToMakeAvailable(managedService.kind, theManaged, theClaim)] }
    : {};

export const lostResource: Details = (view) => anotherClaim(view, 'Create another claim');

export const missingResource: Details = (view) => {
  const { advice, commands } = making(view.theClaim?.spec.resourceRef ?? {});
  const alternative = { ...adviceOf('Or create the resource that this claim names.', advice), commands };
  const another = anotherClaim(view, 'Create another claim, for another resource', alternative);
  return { ...another, ...adviceOf(meantIn(view), another.advice) };
};

export const deletedResource: Details = (view) => {
  const { theClaim, theManaged } = view;
  if (theClaim === undefined || theManaged === undefined || isOwnedBy(theManaged, theClaim))
    return anotherClaim(view, 'Create another claim');
  return {
    advice: 'Name another resource in spec.resourceRef of the claim.',
    commands: [kubectl('edit', claimKindOf(view), keyOf(theClaim))],
  };
};
