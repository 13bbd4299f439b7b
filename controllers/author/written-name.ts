import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../apis/core/v1alpha1/meta.ts';
import type { Observation } from '../core/managed/external-client.ts';

/** What `observe` answers of what is not there; `problem`: why nothing is to be created, either. */
export const nothingThere = (problem?: string): Observation<never> => ({
  exists: false,
  isUpToDate: false,
  ...(problem !== undefined && { uncreatable: problem }),
});

/**
 * Why nothing is to be created for a managed resource that names something that is not there, by a name that the external
 * system would have assigned: somebody wrote it down to have that taken over, and means no new one. What we are on record to
 * have made ourselves is no such thing, nor is no name: undefined. For {@link nothingThere}.
 */
export function writtenNameProblem(managed: Managed, noun: string): string | undefined {
  const name = externalName(managed);
  const isOurs = managed.metadata.annotations?.[annotationKeys.externalCreateSucceeded] !== undefined;
  if (name === undefined || isOurs) return undefined;
  return `there is no ${noun} "${name}"; correct the annotation ${annotationKeys.externalName}, or remove it to have a ${noun} created`;
}
