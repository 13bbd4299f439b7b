import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../../apis/core/v1alpha1/kind.ts';

/** The value of `status.consideredKinds`. */
export const consideredKinds = (kinds: readonly Kind[]): readonly string[] => kinds.map(kindKey).toSorted();

/**
 * Whether a process with other stacks has reported that it found no class or controller for the claim: Ready has
 * this reason and generation, and the report considered a kind that is not `known` here. That report stays,
 * otherwise two processes would overwrite each other forever.
 */
export function isReportedByOtherProcess(
  { metadata, status }: Claim,
  reason: string,
  known: readonly string[],
): boolean {
  const ready = getCondition(status?.conditions, 'Ready');
  const isCurrent = ready.reason === reason && ready.observedGeneration === metadata.generation;
  return isCurrent && (status?.consideredKinds ?? []).some((kind) => !known.includes(kind));
}
