import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../apis/core/v1alpha1/meta.ts';

/**
 * Throws an Error where a managed resource names something that is not there, by a name that the external system would have
 * assigned: somebody wrote it down to have that taken over, and means no new one. What we are on record to have made
 * ourselves is no such thing. For `create`, once nothing of ours was found.
 */
export function refuseWrittenName(managed: Managed, noun: string): void {
  const name = externalName(managed);
  const isOurs = managed.metadata.annotations?.[annotationKeys.externalCreateSucceeded] !== undefined;
  if (name === undefined || isOurs) return;
  throw new Error(
    `there is no ${noun} "${name}"; correct the annotation ${annotationKeys.externalName}, or remove it to have a ${noun} created`,
  );
}
