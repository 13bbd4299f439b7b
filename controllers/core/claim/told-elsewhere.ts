import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../../apis/core/v1alpha1/kind.ts';

/** Kinds as `status.consideredKinds` lists them: the same list in every process that knows the same. */
export const consideredKinds = (kinds: readonly Kind[]): readonly string[] => kinds.map(kindKey).toSorted();

/**
 * Whether a process with other stacks says already that there is nothing for a claim: its Ready has this reason, is
 * of this generation, and who said it considered a kind that is not among `known`, those of this process. That is left
 * to stand, or the two would overwrite each other for ever. Who considered fewer kinds than are known here is
 * overruled, so that the fullest report wins.
 */
export function isToldElsewhere(
  { metadata, status }: Claim,
  reason: string,
  known: readonly string[],
): boolean {
  const { reason: told, observedGeneration } = getCondition(status?.conditions, 'Ready');
  const isStanding = told === reason && observedGeneration === metadata.generation;
  return isStanding && (status?.consideredKinds ?? []).some((kind) => !known.includes(kind));
}
