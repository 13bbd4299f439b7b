import type { Managed } from '../../apis/core/v1alpha1/managed.ts';

/** Annotations of a managed resource that are written with its claimRef, and withdrawn with it. */
export const claimMarks = {
  /** The UIDs of the claim that took a resource made by hand, and of the resource itself. */
  reservation: 'crossplane.io/reserved-for',
  /** JSON of the claim's own fields. */
  parameters: 'crossplane.io/claim-parameters',
} as const;

/**
 * Whether a managed resource bears the marks of a claim and names none: no controller leaves it so, somebody took its
 * claimRef away. Whether that claim knows the password by then, nobody can tell.
 */
export const wasTakenAway = ({ metadata, spec }: Managed): boolean =>
  spec.claimRef === undefined &&
  Object.values(claimMarks).some((key) => metadata.annotations?.[key] !== undefined);
