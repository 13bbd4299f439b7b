import sortBy from 'lodash/sortBy.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, ineffectiveSwitch, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { shortened } from '../../apis/core/v1alpha1/printable.ts';
import { referenceIsOfKind } from '../../apis/core/v1alpha1/reference.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { ClaimService } from '../claim-service.ts';
import { indexManaged, managedNaming } from '../indexes.ts';
import { hasRetention, isReturnable, isTakenBack } from '../retention.ts';
import { isOwnedBy, namesClaim, wasBoundHere } from './ownership.ts';

/** Whether the author wants a claim that neither takes a resource back nor waits for one. */
export const startsEmpty = ({ metadata }: Claim): boolean =>
  metadata.annotations?.[annotationKeys.startEmpty] === 'true';

/** For messages: the annotation that lets a claim start empty has another value than `true`. Empty: it has not. */
export function noteOnStart({ metadata }: Claim): string {
  const value = ineffectiveSwitch(metadata.annotations?.[annotationKeys.startEmpty]);
  if (value === undefined) return '';
  const text = JSON.stringify(shortened(value, longestValue));
  return `. The annotation ${annotationKeys.startEmpty} of this claim is ${text}, and has no effect: it must be exactly "true"`;
}

/** The most characters of the value of an annotation in a message. */
const longestValue = 40;

/** The resources of previous claims with the kind, namespace and name of a claim. */
export interface PreviousResources {
  /** Those that the claim can take back. One that an administrator gave back comes first, then the latest date. */
  readonly returnable: readonly Managed[];
  /** One that is to be kept, and that no run has released yet. */
  readonly previous: Managed | undefined;
}

const none: PreviousResources = { returnable: [], previous: undefined };

/** Finds the resources of every kind whose `claimRef` names a claim, with the UID of a previous one. */
export function previousResources(
  env: Pick<Environment, 'resource'>,
  services: readonly ClaimService[],
): (claim: Claim) => PreviousResources {
  const stores = [...new Set(services.map(({ managed }) => env.resource(managed).store))];
  for (const store of stores) indexManaged(store);
  return (claim) => {
    const naming = stores.flatMap((store) => managedNaming(store, objectKey(claim.metadata)));
    return naming.length === 0 ? none : previousAmong(claim, naming);
  };
}

/** `naming`: the resources whose `claimRef` has the namespace and name of the claim. Pure. */
export function previousAmong(claim: Claim, naming: readonly Managed[]): PreviousResources {
  const others = naming.filter((one) => namesClaim(one, claim) && !isOwnedBy(one, claim));
  if (others.length === 0 || startsEmpty(claim) || wasDeleted(claim)) return none;
  const returnable = sortBy(others.filter(isReturnable), isGivenBack, deletedAtMs).toReversed();
  return { returnable, previous: others.find(isToBeReleased) };
}

const isGivenBack = ({ metadata }: Managed): boolean =>
  metadata.annotations?.[annotationKeys.giveBack] !== undefined;

const withoutDate = '9999-12-31T00:00:00Z';
const deletedAtMs = ({ status }: Managed): number => Date.parse(status?.deleteAt ?? withoutDate);

const isToBeReleased = (managed: Managed): boolean =>
  (managed.status?.bindingPhase === 'Bound' || isTakenBack(managed)) &&
  managed.spec.claimRef?.uid !== undefined &&
  hasRetention(managed) &&
  wasBoundHere(managed) &&
  !wasDeleted(managed);

/** The resource that the claim takes back: the one that `resourceRef` names, else the first of the kind of its class. */
export function returnableFor(
  { managed: kind }: ClaimService,
  { spec: { resourceRef } }: Claim,
  owned: readonly Managed[],
  returnable: readonly Managed[],
): Managed | undefined {
  if (owned.length > 0) return undefined;
  const candidates = returnable.filter((one) => referenceIsOfKind(one, kind));
  return resourceRef === undefined
    ? candidates[0]
    : candidates.find(({ metadata }) => metadata.name === resourceRef.name);
}

/** The UID of a namespace, or why it is not known. */
export type NamespaceUid = { readonly uid: string } | { readonly problem: string };

/**
 * Why a claim does not take a kept resource back by itself, as a text that follows the name of the resource. Undefined if
 * it does. A namespace with another UID may be of another team.
 */
export function whyNotGivenBack(
  { metadata, spec, status }: Managed,
  { metadata: { namespace } }: Claim,
  found: NamespaceUid,
): string | undefined {
  if ('problem' in found) return `whether namespace ${namespace} is the same is not known: ${found.problem}`;
  if (metadata.annotations?.[annotationKeys.giveBack] === found.uid) return undefined;
  if (spec.giveBack === 'Administrator') return 'only an administrator gives it back';
  if (status?.releasedNamespace === undefined) return 'the previous claim did not end regularly';
  return status.releasedNamespace === found.uid
    ? undefined
    : `namespace ${namespace} was created again since that claim was deleted`;
}
