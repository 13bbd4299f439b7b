import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';

/**
 * Whether a process with other stacks says already that there is nothing for a claim: its Ready has this reason, is
 * of this generation, and its message names a kind that this process does not know. That one is left to stand, or the
 * two would overwrite each other for ever. What names fewer kinds than are known here is replaced, so that the
 * fullest report wins.
 *
 * `mentioned` finds the kinds that a message names.
 */
export function isToldElsewhere(
  { metadata, status }: Claim,
  reason: string,
  known: readonly string[],
  mentioned: (message: string) => readonly string[],
): boolean {
  const { reason: told, message = '', observedGeneration } = getCondition(status?.conditions, 'Ready');
  const isStanding = told === reason && observedGeneration === metadata.generation;
  return isStanding && mentioned(message).some((kind) => !known.includes(kind));
}
