import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../../apis/core/v1alpha1/kind.ts';

/** The value of `status.consideredKinds`: the kinds that a process knew when it found no class or controller. */
export const consideredKinds = (kinds: readonly Kind[]): readonly string[] => kinds.map(kindKey).toSorted();

/**
 * Whether a process with other stacks has already reported that the claim has no class or controller. If so, this
 * process does not report, because the processes would overwrite each other forever. The report is from another process
 * if Ready has this `reason` and the claim's generation, and `consideredKinds` has a kind that is not `known` here.
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
