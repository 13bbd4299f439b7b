import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';

/** Annotations of a managed resource that are written with its claimRef, and withdrawn with it. */
export const claimMarks = {
  /** The UIDs of the claim that took a resource made by hand, and of the resource itself. */
  reservation: 'crossplane.io/reserved-for',
  /** JSON of the claim's own fields. */
  parameters: 'crossplane.io/claim-parameters',
  /** The external name that the resource had when the claim got it. */
  externalName: 'crossplane.io/claim-external-name',
} as const;

/**
 * Whether a managed resource is Bound, or bears the record of what a claim asked for, and names none by its UID: no
 * controller leaves it so, somebody took its claimRef away, or replaced it with its first manifest. Whether that claim
 * knows the password by then, nobody can tell. Who took it stays on record when it is offered again:
 * docs/decisions/0052.
 */
export const wasTakenAway = ({ metadata, spec, status }: Managed): boolean =>
  spec.claimRef?.uid === undefined &&
  (status?.bindingPhase === 'Bound' || metadata.annotations?.[claimMarks.parameters] !== undefined);

/**
 * Whether an administrator offers a released resource, or one that was taken away from its claim, again: to the claim
 * that its claimRef names, or, where it has none, to whoever claims it: docs/decisions/0053.
 */
export function isReoffered(managed: Managed): boolean {
  const isForNobody = managed.status?.bindingPhase === 'Released' || wasTakenAway(managed);
  const isOffered = managed.metadata.annotations?.[annotationKeys.reoffer] === 'true';
  return isForNobody && isOffered && managed.spec.claimRef?.uid === undefined;
}
