import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../apis/core/v1alpha1/meta.ts';

/** Whether a loss is recorded. The record is in an annotation, because a backup has no status. */
export const isLossNoted = ({ metadata }: Managed): boolean =>
  metadata.annotations?.[annotationKeys.externalLost] !== undefined;

/**
 * The message about an external resource with data that was lost and exists again. Undefined if there is none, or if an
 * administrator acknowledged it.
 */
export function lossOf(managed: Managed): string | undefined {
  if (!isLossNoted(managed)) return undefined;
  const name = externalName(managed);
  const what = name === undefined ? 'external resource' : `external resource "${name}"`;
  const now = managed.spec.onLoss === 'Report' ? 'exists again' : 'was created again without its data';
  return `${what} was lost, and ${now}; ${advice.acknowledgeLoss(managed)}`;
}
