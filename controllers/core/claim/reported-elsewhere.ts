import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../../apis/core/v1alpha1/kind.ts';

/** Kinds as `status.consideredKinds` lists them. */
export const consideredKinds = (kinds: readonly Kind[]): readonly string[] => kinds.map(kindKey).toSorted();

/**
 * Whether a process with other stacks has reported that there is nothing for this claim: its Ready has this reason and
 * generation, and the report considered a kind that is not `known` here. That report stays, otherwise the two processes
 * would overwrite each other for ever. A report that considered fewer kinds is replaced.
 */
export function isReportedElsewhere(
  { metadata, status }: Claim,
  reason: string,
  known: readonly string[],
): boolean {
  const ready = getCondition(status?.conditions, 'Ready');
  const isCurrent = ready.reason === reason && ready.observedGeneration === metadata.generation;
  return isCurrent && (status?.consideredKinds ?? []).some((kind) => !known.includes(kind));
}
