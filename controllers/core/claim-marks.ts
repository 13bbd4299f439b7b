import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';

/** Annotations of a managed resource that are written with its claimRef, and withdrawn with it. */
export const claimMarks = {
  /** The UIDs of the claim that took a resource made by hand, and of the resource itself. */
  reservation: 'crossplane.io/reserved-for',
  /** JSON of the claim's own fields. */
  parameters: 'crossplane.io/claim-parameters',
  /** The external name that the resource had when the claim got it. */
  externalName: 'crossplane.io/claim-external-name',
} as const;

/** The annotation of a managed resource that was another claim's, since it was offered to one: `Kind/namespace/name`. */
export const offeredToKey = 'crossplane.io/offered-to';

const textOf = ({ kind, namespace, name }: ObjectReference): string => `${kind}/${namespace}/${name}`;

/**
 * Whether a managed resource is Bound, or bears the record of what a claim asked for, and names none by its UID: no
 * controller leaves it so, somebody took its claimRef away, or replaced it with its first manifest. Whether that claim
 * knows the password by then, nobody can tell. Who took it stays on record when it is offered again:
 * docs/decisions/0052. Or it was offered to a claim that it does not name any more: docs/decisions/0053.
 */
export function wasTakenAway({ metadata: { annotations }, spec: { claimRef }, status }: Managed): boolean {
  if (claimRef?.uid !== undefined) return false;
  const offeredTo = annotations?.[offeredToKey];
  const isWithdrawn = offeredTo !== undefined && (claimRef === undefined || offeredTo !== textOf(claimRef));
  return (
    isWithdrawn || status?.bindingPhase === 'Bound' || annotations?.[claimMarks.parameters] !== undefined
  );
}

/**
 * Whether an administrator offers a released resource, or one that was taken away from its claim, again: to the claim
 * that its claimRef names, or, where it has none, to whoever claims it: docs/decisions/0053.
 */
export function isReoffered(managed: Managed): boolean {
  const { claimRef } = managed.spec;
  const isForNobody = managed.status?.bindingPhase === 'Released' || wasTakenAway(managed);
  const offer = managed.metadata.annotations?.[annotationKeys.reoffer];
  const isOffered = offer === 'true' || (offer === 'claim' && claimRef !== undefined);
  return isForNobody && isOffered && claimRef?.uid === undefined;
}

/** How Ready begins of a managed resource that is offered again, and waits for other credentials. */
export const offeredAgain = 'it is offered again, and';

/** Why it waits, where only somebody can go on: such a message says how to withdraw the offer; undefined: it does not. */
export function offerWaitsFor({ status }: Managed): string | undefined {
  const { status: is, message = '' } = getCondition(status?.conditions, 'Ready');
  const isSaid = message.startsWith(offeredAgain) && message.includes(annotationKeys.reoffer);
  return is === 'False' && isSaid ? message : undefined;
}

/** The annotations of a managed resource once its offer has been taken up: `used` go, `marks` come. */
export function afterOffer({ spec: { claimRef } }: Managed): {
  readonly used: readonly string[];
  readonly marks: Readonly<Record<string, string>>;
} {
  return {
    used: [annotationKeys.reoffer, claimMarks.parameters, offeredToKey],
    marks: claimRef === undefined ? {} : { [offeredToKey]: textOf(claimRef) },
  };
}
